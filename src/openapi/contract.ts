import type { ErrorObject } from 'ajv';
import { type DataValidator, type Issue, UserError } from '../util/issue.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import { runInSlices, type Steps, splitList } from '../util/slices.ts';
import { isUrl } from '../util/source-path.ts';
import { closeSchemas } from './close-schemas.ts';
import {
  type CompiledContract,
  type CompiledDocuments,
  editCompiledContract,
  findCompiledContract,
  hashContract,
} from './compiled-contract.ts';
import { type ContractOptions, createDocuments, type LoadedDocuments, type Parts } from './contract-documents.ts';
import { type Document, formatYaml, getNode, isNode, parseReference } from './document.ts';
import { readSource } from './document-source.ts';
import { createInvalidExamples } from './invalid-examples.ts';
import { createBackend } from './openapi-backend.ts';
import { type Overlay, readOverlay } from './overlay.ts';
import {
  type DocumentedResponse,
  type FindExample,
  findResponse,
  type ResponseToVerify,
  type ResponseViolation,
  verifyItem,
  verifyResponse,
} from './responses.ts';
import { createRouting, type Route, type Routing } from './routes.ts';
import {
  createDirectionView,
  createSchemaValidator,
  type SchemaValidator,
  type WorkLimits,
} from './schema-validator.ts';
import { isUnchanged } from './source-files.ts';
import { createLocator, type Locate } from './source-location.ts';
import type { DocumentedItems } from './stream-items.ts';
import { convertSwagger } from './swagger.ts';
import { type RequestResult, type RequestToValidate, validateRequest } from './validate-request.ts';
import { createDataValidator } from './violations.ts';
import { parseXml } from './xml/parse-xml.ts';

/**
 * The keywords of an array schema whose validation does not need the whole list: each entry can be validated on its
 * own.
 */
const ENTRY_KEYWORDS = ['type', 'items', 'nullable', 'title', 'description', 'example', 'examples', 'externalDocs'];

/** The maximum number of violations that are reported for a long list. */
const MAX_VIOLATIONS = 1_000;

/** A response with a list as its body. */
type ListResponse = ResponseToVerify & { readonly body: readonly unknown[] };

/**
 * Verifies a list in a response part by part, and yields after each part.
 * Returns the first 1,000 violations.
 * `verify`: returns the violations in a response that has only a part of the list.
 */
function* verifyListParts(
  response: ListResponse,
  verify: (response: ResponseToVerify) => readonly ResponseViolation[],
): Steps<readonly ResponseViolation[]> {
  const violations: ResponseViolation[] = [];
  for (const [body, start] of splitList(response.body)) {
    const found = verify({ ...response, body });
    violations.push(...(start === 0 ? found : found.flatMap((violation) => moveToEntry(violation, start))));
    if (violations.length >= MAX_VIOLATIONS) break;
    yield;
  }
  return violations.slice(0, MAX_VIOLATIONS);
}

/**
 * Converts a violation in a part of a list so that it refers to the whole list: `body/3/name` becomes `body/503/name`
 * if the part starts at index 500.
 * Returns an empty array for a violation in the status or a header.
 * `start`: the index at which the part starts.
 */
function moveToEntry(violation: ResponseViolation, start: number): readonly ResponseViolation[] {
  const [place, index] = /^body\/(\d+)/.exec(violation.where) ?? [];
  // The first part has already reported the violations in the status and the headers.
  if (place === undefined) return [];
  const move = (text: string) => `body/${start + Number(index)}${text.slice(place.length)}`;
  return [{ ...violation, where: move(violation.where), message: move(violation.message) }];
}

/**
 * Returns whether a list in a response can be verified in parts.
 * This is not possible if the schema has a rule for the whole list, such as `uniqueItems`.
 */
function canVerifyParts(
  document: Document,
  responses: readonly DocumentedResponse[],
  { status }: ResponseToVerify,
): boolean {
  return Object.values(findResponse(responses, status)?.media ?? {}).every(
    ({ schema }) => schema === undefined || hasOnlyEntryRules(document, getNode(document, schema)),
  );
}

/**
 * Returns whether a schema has only rules for the entries of a list.
 * Also checks the keywords beside a reference, which are rules in OpenAPI 3.1.
 */
function hasOnlyEntryRules(document: Document, schema: unknown): boolean {
  if (!isNode(schema)) return false;
  const { $ref, ...rules } = schema;
  if (!Object.keys(rules).every((key) => ENTRY_KEYWORDS.includes(key) || key.startsWith('x-'))) return false;
  return typeof $ref !== 'string' || hasOnlyEntryRules(document, getNode(document, parseReference($ref)));
}

/**
 * A loaded contract (an OpenAPI document), with functions that route requests, and validate requests, responses and
 * data.
 */
export interface Contract extends Routing {
  /** The path of the contract file, or its URL without credentials. */
  readonly path: string;
  /**
   * The text of the contract file.
   * If the contract has several files or an overlay, the text of the combined document.
   * Created from bytes each time.
   */
  readonly text: string;
  /** The path of the overlay that changes the document; undefined if there is none. */
  readonly overlay: string | undefined;
  /** Whether the document was converted from Swagger 2.0. */
  readonly isConverted: boolean;
  /** Formats the source position of the value at a JSON Pointer of the document: `FILE:LINE:COLUMN #POINTER`. */
  readonly locate: Locate;
  /** The document in the contract file, after the option `edit` and the overlay have changed it. */
  readonly document: Document;
  /**
   * The document that is used to validate requests.
   * In strict mode, its schemas forbid undocumented properties.
   * Created on first use.
   */
  readonly enforced: Pick<Contract, 'document' | 'text'>;
  /** The document with its schemas in the JSON Schema dialect of ajv, and with an operationId for every operation. */
  readonly normalized: Document;
  /**
   * A message about ignored parts of the document; undefined if there are none.
   * Ignored are schema keywords with invalid values, operations that no request can reach, and unsupported styles of
   * parameters.
   */
  readonly warning: string | undefined;
  /** Validates a request. Returns the input of the operation, or violations. */
  validateRequest(route: Route, request: RequestToValidate): RequestResult;
  /** Returns the violations in a response. */
  verifyResponse(route: Route, response: ResponseToVerify, options: VerifyOptions): readonly ResponseViolation[];
  /**
   * Returns the violations in an item of a stream.
   * `items`: what the document says about the items.
   */
  verifyItem(
    items: DocumentedItems,
    item: { readonly index: number; readonly value: unknown },
  ): readonly ResponseViolation[];
  /**
   * Returns the violations in a response with a long list.
   * The list is verified in slices, and the server can handle other requests between two slices.
   * Stops after 1,000 violations.
   * If the schema has a rule for the whole list, such as `uniqueItems`, the list is verified at once.
   */
  verifyListInSlices(
    route: Route,
    response: ListResponse,
    options: VerifyOptions,
  ): Promise<readonly ResponseViolation[]>;
  /**
   * Validates a value in a response against the schema at a JSON Pointer.
   * Returns the errors.
   * Leaves out an error that an example of the document has as well, because the server sends examples as they are
   * written.
   */
  getErrors: SchemaValidator;
  /** Like `getErrors`, but a missing property is an error, also if an example lacks the property. */
  getErrorsOfComplete: SchemaValidator;
  /** Like `getErrors`, but returns all errors. */
  getAllErrors: SchemaValidator;
  /** Returns whether a value is valid against the schema at a JSON Pointer: whether `getErrors` returns no error. */
  isValid(schema: string, value: unknown): boolean;
  /**
   * Parses a request body in XML, as `parseXml` does.
   * `schema`: the JSON Pointer of its schema.
   */
  parseXmlBody(schema: string, text: string): unknown;
  /**
   * Finds the examples of responses and schemas that violate their schemas.
   * A contract that ships with the package has none.
   */
  findInvalidExamples(): Steps<readonly Issue[]>;
  /** Validates a value against a component schema. Unknown properties are errors. */
  validateData: DataValidator;
  /**
   * Compiles the schemas of an operation before its first request.
   * This takes about 10 ms.
   * Does nothing if the contract is precompiled.
   * Throws `UserError` if ajv can't compile a schema.
   */
  warmUp(route: Route, options: VerifyOptions): void;
}

/**
 * Options of the verification of responses.
 * `closed`: whether undocumented properties are violations.
 * `isReceived`: whether the response came from a server and has all its headers.
 * Otherwise the headers that only the server sets are not expected, because they are added later.
 * `allowsExamples`: whether a mistake that an example of the document has as well is no violation.
 * It has no effect together with `closed`.
 */
type VerifyOptions = { readonly closed: boolean; readonly isReceived?: boolean; readonly allowsExamples?: boolean };

/** The maximum number of cached contracts. */
const MAX_CACHED_CONTRACTS = 20;

/** A loaded contract, and the contents of the files from which it was loaded. */
interface CachedContract {
  readonly bytes: Buffer;
  readonly overlay: Overlay | undefined;
  readonly parts: Parts;
  readonly contract: Contract;
}

const cache = new Map<string, CachedContract>();

/**
 * Loads a contract from a YAML or JSON file, or from a URL.
 * Throws `UserError` if the contract can't be served.
 * Loading takes about 100 ms if the contract is not precompiled, so the contract is cached until one of its files
 * changes.
 * All servers of a process share the cached contract, because it has no state.
 */
export async function loadContract(options: ContractOptions): Promise<Contract> {
  const { strict, edit, allowRefs } = options;
  try {
    const source = options.source ?? (await readSource(options));
    const { path, bytes } = source;
    const overlay = isUrl(path) ? undefined : readOverlay(path, source.reader);
    const key = JSON.stringify([strict, path, edit?.key, allowRefs]);
    const cached = cache.get(key);
    if (cached && hasContents(cached, bytes, overlay)) return cached.contract;
    const found = findCompiledContract(getContractName(bytes.toString(), options, overlay));
    const compiled = found && edit ? editCompiledContract(found, edit) : found;
    const loaded = compiled
      ? createLoaded(bytes, path, compiled.documents)
      : createDocuments(await convertSwagger(source), options, overlay);
    const contract = createContract(loaded, { path, strict }, compiled);
    if (cache.size >= MAX_CACHED_CONTRACTS) cache.clear();
    cache.set(key, { bytes, overlay, parts: loaded.parts, contract });
    return contract;
  } catch (cause) {
    throw createContractError(cause, (options.source ?? options).path);
  }
}

/** Returns whether the files of a cached contract have not changed. Bytes are compared much faster than hashes. */
function hasContents(cached: CachedContract, bytes: Buffer, overlay: Overlay | undefined): boolean {
  const { path, text } = cached.overlay ?? {};
  return (
    cached.bytes.equals(bytes) && path === overlay?.path && text === overlay?.text && cached.parts.every(isUnchanged)
  );
}

function createContractError(cause: unknown, path: string): UserError {
  if (cause instanceof UserError)
    return cause.reason ? cause : new UserError(cause.message, { cause, reason: 'contract' });
  // The stack is used up.
  const isTooDeep = cause instanceof RangeError;
  const reason = isTooDeep ? `it is nested too deeply: ${REDUCE_NESTING}` : (cause as Error).message;
  return new UserError(`${path} can't be served: ${reason}`, { cause, reason: 'contract' });
}

const REDUCE_NESTING = 'move nested schemas to #/components/schemas, and refer to them with $ref';

/**
 * Returns the name of the folder with the precompiled contract: a hash of the text, the options and the overlay.
 * The folder exists only if the build has compiled the contract.
 */
export function getContractName(
  text: string,
  { strict, edit }: Omit<ContractOptions, 'path'>,
  overlay?: Overlay,
): string {
  const edited = edit?.schemas?.join() ?? edit?.key ?? '';
  return hashContract(text, String(strict), edited, ...(overlay ? [overlay.path, overlay.text] : []));
}

function createLoaded(bytes: Buffer, path: string, documents: CompiledDocuments): LoadedDocuments {
  return { bytes, documents, locate: createLocator(path, bytes), parts: [], overlay: undefined, isConverted: false };
}

/** Creates a contract from its documents. `compiled`: the precompiled contract; undefined if there is none. */
function createContract(
  { bytes, locate, overlay, isConverted, documents: { document, normalized, warning } }: LoadedDocuments,
  { path, strict }: Pick<ContractOptions, 'path' | 'strict'>,
  compiled?: CompiledContract,
): Contract {
  const backend = createBackend(normalized);
  const views = createViews(normalized, bytes, strict);
  const { open, closed } = createDataValidators(views, compiled);
  const requests = {
    document: normalized,
    isValid: (schema: string, value: unknown) => open(schema, value).length === 0,
    strict,
    getParameterValidators: createParameterValidators(backend, compiled),
    ...createBodyValidators(views.request, compiled),
  };
  let enforced: Contract['enforced'] | undefined;
  const examples = createInvalidExamples(compiled ? NO_EXAMPLES : normalized, open);
  const findExample: FindExample = (schema, error) => {
    const pointer = examples.find(schema, error);
    return pointer === undefined ? undefined : locate(pointer);
  };
  const verify: Contract['verifyResponse'] = (route, response, { closed: isClosed, allowsExamples, isReceived }) => {
    const validate = isClosed ? closed : allowsExamples ? examples.validate : open;
    return verifyResponse({ validate, findExample, isReceived }, route, response);
  };
  return {
    path,
    get text() {
      return bytes.toString();
    },
    overlay,
    isConverted,
    locate,
    document,
    get enforced() {
      enforced ??= strict ? closeDocument(document) : this;
      return enforced;
    },
    normalized,
    warning,
    ...createRouting(backend, normalized),
    validateRequest: (route, request) => validateRequest(requests, route, request),
    verifyResponse: verify,
    verifyItem: (items, item) => verifyItem({ validate: examples.validate, findExample }, items, item),
    async verifyListInSlices(route, response, options) {
      if (!canVerifyParts(normalized, route.responses, response)) return verify(route, response, options);
      return runInSlices(verifyListParts(response, (part) => verify(route, part, options)));
    },
    getErrors: examples.validate,
    getErrorsOfComplete: examples.validateComplete,
    getAllErrors: open,
    isValid: (schema, value) => examples.validate(schema, value).length === 0,
    parseXmlBody: (schema, text) => parseXml({ normalized, getErrors: requests.compareJson }, schema, text),
    findInvalidExamples: examples.list,
    validateData: createDataValidator(closed),
    warmUp(route, options) {
      if (compiled) return;
      requests.getParameterValidators(route);
      const errors = compileBodySchemas(route, requests.validateJson, options.closed ? closed : open);
      throwIfUnusable(path, errors);
    },
  };
}

/** A document without examples. It replaces a precompiled document, whose examples are valid: a test ensures it. */
const NO_EXAMPLES = { openapi: '3.0.3', info: { title: '', version: '' }, paths: {} };

/** Creates a function that returns the validators of an operation's parameters. */
function createParameterValidators(backend: ReturnType<typeof createBackend>, compiled: CompiledContract | undefined) {
  return memoizeByObject(({ operationId }: Route) => {
    const validator = compiled?.getValidator('parameters', operationId);
    return validator ? [validator] : backend.getParameterValidators(operationId);
  });
}

/**
 * The limits for collecting all errors of a request body.
 * Above them, only the first error is reported.
 * The work takes up to 20 ms.
 */
const COLLECTED_LIMITS: WorkLimits = { calls: 100_000, errors: 2_000 };

/**
 * The limits for finding the first error of a request body.
 * Above them, the body is refused.
 * The work takes up to 100 ms.
 */
const FIRST_LIMITS: WorkLimits = { calls: 200_000, errors: 200_000 };

/** Creates the validators of request bodies. */
function createBodyValidators(getDocument: () => Document, compiled: CompiledContract | undefined) {
  const validateLargeJson = createSchemaValidator(getDocument, { ajv: { allErrors: false }, limits: FIRST_LIMITS });
  const validateJson = createSchemaValidator(getDocument, {
    findCompiled: (pointer) => compiled?.getValidator('request', pointer),
    limits: COLLECTED_LIMITS,
    fallback: validateLargeJson,
  });
  const comparison = { ajv: { allErrors: false }, limits: FIRST_LIMITS, isPlain: true };
  return { validateJson, validateLargeJson, compareJson: createSchemaValidator(getDocument, comparison) };
}

/**
 * Creates the validators of responses and data.
 * The validator `open` allows undocumented properties.
 * For the validator `closed`, undocumented properties are errors.
 */
function createDataValidators(views: ReturnType<typeof createViews>, compiled: CompiledContract | undefined) {
  const create = (group: 'open' | 'closed') =>
    createSchemaValidator(views[group], { findCompiled: (pointer) => compiled?.getValidator(group, pointer) });
  return { open: create('open'), closed: create('closed') };
}

/** Throws a `UserError` if one of the errors says that a schema can't be compiled. */
function throwIfUnusable(path: string, errors: readonly ErrorObject[]): void {
  const unusable = errors.find(({ keyword }) => keyword === 'unusable');
  if (unusable) throw new UserError(`${path} ${unusable.message}`);
}

/** Compiles the schemas of the request body and of the 2xx responses of an operation. Returns the errors. */
function compileBodySchemas({ bodyMedia, responses }: Route, request: SchemaValidator, response: SchemaValidator) {
  const successes = responses.filter(({ name }) => name.startsWith('2'));
  return [...compileSchemas(request, bodyMedia), ...successes.flatMap(({ media }) => compileSchemas(response, media))];
}

function closeDocument(document: Document): Contract['enforced'] {
  const closed = closeSchemas(document);
  return { document: closed, text: formatYaml(closed) };
}

/**
 * Returns functions that create the documents for validation: `request` for requests, `open` and `closed` for
 * responses.
 * In the document of `closed`, schemas forbid undocumented properties.
 */
export function createViews(normalized: Document, text: string | Buffer, strict: boolean) {
  const createRequestView = () => createDirectionView(normalized, text, 'readOnly');
  const createResponseView = () => createDirectionView(normalized, text, 'writeOnly');
  return {
    request: () => (strict ? closeSchemas(createRequestView()) : createRequestView()),
    open: createResponseView,
    closed: () => closeSchemas(createResponseView()),
  };
}

/** Compiles the schemas of media types: validates `undefined` against each schema. Returns the errors. */
function compileSchemas(validate: SchemaValidator, media: Route['bodyMedia']): readonly ErrorObject[] {
  return Object.values(media).flatMap(({ schema }) => (schema === undefined ? [] : validate(schema, undefined)));
}
