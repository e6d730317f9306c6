import type { ErrorObject } from 'ajv';
import type { DataValidator } from '../util/issue.ts';
import { runInSlices } from '../util/slices.ts';
import { bundleDocument } from './bundle.ts';
import { checkStructure, withOperationIds } from './check-structure.ts';
import { closeSchemas } from './close-schemas.ts';
import {
  type CompiledContract,
  type CompiledDocuments,
  type DocumentEdit,
  editCompiledContract,
  findCompiledContract,
  hashContract,
} from './compiled-contract.ts';
import { ContractError, type Document, formatIssues, formatYaml, parseDocument, readContract } from './document.ts';
import { findIgnoredParts } from './find-ignored-parts.ts';
import { normalizeSchemas } from './normalize-schemas.ts';
import { createBackend } from './openapi-backend.ts';
import { type ResponseToVerify, type ResponseViolation, verifyResponse } from './responses.ts';
import { createRouting, type Route, type Routing } from './routes.ts';
import { createDirectionView, createSchemaValidator, type SchemaValidator } from './schema-validator.ts';
import { isUnchanged, type SourceFile, SourceFiles } from './source-files.ts';
import { createLocator } from './source-location.ts';
import { type RequestResult, type RequestToValidate, validateRequest } from './validate-request.ts';
import { canVerifyParts, type ListResponse, verifyListParts } from './verify-list.ts';
import { createDataValidator } from './violations.ts';

export type { DocumentEdit } from './compiled-contract.ts';

/** A loaded contract. It routes requests, and validates requests, responses and data. */
export interface Contract extends Routing {
  /** The path of the contract file. */
  readonly path: string;
  /** The text of the contract file. If the document has several files, the text of the document that is made of them. */
  readonly text: string;
  /** Formats the position of the value at a JSON Pointer of the document: `FILE:LINE:COLUMN #POINTER`. */
  locate(pointer: string): string;
  /** The document in the file, changed by the option `edit`. */
  readonly document: Document;
  /** The document that requests are validated against. In strict mode, its schemas are closed. Created on first use. */
  readonly enforced: Pick<Contract, 'document' | 'text'>;
  /** The document with its schemas in the JSON Schema dialect of ajv, and with an operationId for every operation. */
  readonly normalized: Document;
  /** A message that lists what is ignored: schema keywords with invalid values, unreachable operations, and unsupported styles; undefined if there is nothing. */
  readonly warning: string | undefined;
  /** Validates a request. Returns the input of the operation, or violations. */
  validateRequest(route: Route, request: RequestToValidate): RequestResult;
  /** Returns the violations in a response. */
  verifyResponse(route: Route, response: ResponseToVerify, options: VerifyOptions): readonly ResponseViolation[];
  /** Returns the first 1,000 violations in a response with a long list. The server can handle other requests during the verification. */
  verifyListInSlices(
    route: Route,
    response: ListResponse,
    options: VerifyOptions,
  ): Promise<readonly ResponseViolation[]>;
  /** Returns the errors of a value in a response against the schema at a JSON Pointer. */
  getErrors: SchemaValidator;
  /** Returns whether a value is valid against the schema at a JSON Pointer. */
  isValid(schema: string, value: unknown): boolean;
  /** Validates a value against a component schema. Unknown properties are errors. */
  validateData: DataValidator;
  /** Compiles the schemas of an operation that are not precompiled, which takes about 10 ms. Throws `ContractError` if ajv can't compile a schema. */
  warmUp(route: Route, options: VerifyOptions): void;
}

/** Options of the verification of responses. `closed`: whether undocumented properties are violations. */
type VerifyOptions = { readonly closed: boolean };

/** Options of `loadContract`. */
export interface ContractOptions {
  readonly path: string;
  /** Whether unknown query parameters and properties are violations. If not, they are ignored. */
  readonly strict: boolean;
  /** Edits the document before it is validated. */
  readonly edit?: DocumentEdit | undefined;
}

/** The files of a document other than its main file. */
type Parts = readonly Pick<SourceFile, 'path' | 'text'>[];

/** The maximum number of cached contracts. */
const MAX_CACHED_CONTRACTS = 20;

const cache = new Map<string, { name: string; parts: Parts; contract: Contract }>();

/** The paths of the other files of each contract file, from its last loading. */
const partPaths = new Map<string, readonly string[]>();

/** Returns the paths of the files to which the contract file at `path` refers, including those that could not be read. Empty until the contract is loaded. */
export function getPartPaths(path: string): readonly string[] {
  return partPaths.get(path) ?? [];
}

/**
 * Loads a contract from a YAML or JSON file. Throws `ContractError` if the contract can't be served. Loading takes about 100 ms, unless the contract is
 * precompiled, so the contract is cached until one of its files changes. All servers of a process share the contract, because it has no state.
 */
export async function loadContract(options: ContractOptions): Promise<Contract> {
  const { path, strict, edit } = options;
  const text = readContract(path);
  const name = getContractName(text, options);
  const key = JSON.stringify([strict, path, edit?.key]);
  const cached = cache.get(key);
  if (cached?.name === name && cached.parts.every(isUnchanged)) return cached.contract;
  try {
    const found = findCompiledContract(name);
    const compiled = found && edit ? editCompiledContract(found, edit) : found;
    const loaded = compiled ? createLoaded(text, path, compiled.documents) : createDocuments(text, options);
    const contract = createContract(loaded, options, compiled);
    if (cache.size >= MAX_CACHED_CONTRACTS) cache.clear();
    cache.set(key, { name, parts: loaded.parts, contract });
    return contract;
  } catch (cause) {
    if (cause instanceof ContractError) throw cause;
    throw new ContractError(`${path} can't be served: ${(cause as Error).message}`, { cause });
  }
}

/** Returns the name of the compiled form of a contract. */
export function getContractName(text: string, { strict, edit }: Omit<ContractOptions, 'path'>): string {
  return hashContract(text, String(strict), edit?.schemas?.join() ?? edit?.key ?? '');
}

/** The documents of a contract and their source. */
interface LoadedDocuments extends Pick<Contract, 'text' | 'locate'> {
  readonly documents: CompiledDocuments;
  readonly parts: Parts;
}

function createLoaded(text: string, path: string, documents: CompiledDocuments): LoadedDocuments {
  return { text, documents, locate: createLocator(path, text), parts: [] };
}

/** Creates a contract from its documents. `compiled`: the compiled form of the contract; undefined if it is not precompiled. */
function createContract(loaded: LoadedDocuments, options: ContractOptions, compiled?: CompiledContract): Contract {
  const { path, strict } = options;
  const { text, locate } = loaded;
  const { document, normalized, warning } = loaded.documents;
  const backend = createBackend(normalized);
  const views = createViews(normalized, text, strict);
  const requests = {
    document: normalized,
    strict,
    getParameterValidators: ({ operationId }: Route) => {
      const validator = compiled?.getValidator('parameters', operationId);
      return validator ? [validator] : backend.getParameterValidators(operationId);
    },
    validateJson: createSchemaValidator(views.request, {}, (pointer) => compiled?.getValidator('request', pointer)),
    validateLargeJson: createSchemaValidator(views.request, { allErrors: false }),
    validateForm: createSchemaValidator(views.request, { coerceTypes: 'array' }),
  };
  const open = createSchemaValidator(views.open, {}, (pointer) => compiled?.getValidator('open', pointer));
  const closed = createSchemaValidator(views.closed, {}, (pointer) => compiled?.getValidator('closed', pointer));
  let enforced: Contract['enforced'] | undefined;
  const verify: Contract['verifyResponse'] = (route, response, options) =>
    verifyResponse(options.closed ? closed : open, route.responses, response);
  return {
    path,
    text,
    locate,
    document,
    get enforced() {
      enforced ??= strict ? closeDocument(document) : { document, text };
      return enforced;
    },
    normalized,
    warning,
    ...createRouting(backend, normalized),
    validateRequest: (route, request) => validateRequest(requests, route, request),
    verifyResponse: verify,
    async verifyListInSlices(route, response, options) {
      if (!canVerifyParts(normalized, route.responses, response)) return verify(route, response, options);
      return runInSlices(verifyListParts(response, (part) => verify(route, part, options)));
    },
    getErrors: open,
    isValid: (schema, value) => open(schema, value).length === 0,
    validateData: createDataValidator(closed),
    warmUp(route, options) {
      if (compiled) return;
      requests.getParameterValidators(route);
      const successes = route.responses.filter(({ name }) => name.startsWith('2'));
      const errors = [
        ...compileSchemas(requests.validateJson, route.bodyMedia),
        ...successes.flatMap(({ media }) => compileSchemas(options.closed ? closed : open, media)),
      ];
      const unusable = errors.find(({ keyword }) => keyword === 'unusable');
      if (unusable) throw new ContractError(`${path} ${unusable.message}`);
    },
  };
}

function closeDocument(document: Document): Contract['enforced'] {
  const closed = closeSchemas(document);
  return { document: closed, text: formatYaml(closed) };
}

/** Returns the documents against which requests and responses are validated. */
export function createViews(normalized: Document, text: string, strict: boolean) {
  const createRequestView = () => createDirectionView(normalized, text, 'readOnly');
  const createResponseView = () => createDirectionView(normalized, text, 'writeOnly');
  return {
    request: () => (strict ? closeSchemas(createRequestView()) : createRequestView()),
    open: createResponseView,
    closed: () => closeSchemas(createResponseView()),
  };
}

/** Parses, edits and normalizes a document, with the other files to which it refers. Throws `ContractError` if the document can't be served. */
export function createDocuments(text: string, { path, edit }: ContractOptions): LoadedDocuments {
  const parsed = parseDocument(path, text);
  const main = { path, text, content: edit ? edit.edit(parsed) : parsed };
  const files = new SourceFiles(main);
  const { document, locate, issues } = bundleFiles(files, main);
  const found = issues.length > 0 ? issues : checkStructure(document);
  if (found.length > 0) throw new ContractError(formatIssues(locate, found));
  const { document: normalized, warnings } = normalizeSchemas(document);
  const withIds = withOperationIds(normalized);
  const ignored = [...warnings, ...findIgnoredParts(withIds)];
  const documents = {
    document,
    normalized: withIds,
    ...(edit ? { editKey: edit.key } : {}),
    ...(ignored.length > 0 ? { warning: formatIssues(locate, ignored) } : {}),
  };
  return { documents, locate, parts: files.parts, text: files.parts.length > 0 ? formatYaml(document) : text };
}

function bundleFiles(files: SourceFiles, main: SourceFile) {
  try {
    return bundleDocument(files, main);
  } finally {
    partPaths.set(main.path, files.paths);
  }
}

/** Compiles the schemas of media types by validating `undefined` against each. Returns the errors. */
function compileSchemas(validate: SchemaValidator, media: Route['bodyMedia']): readonly ErrorObject[] {
  return Object.values(media).flatMap(({ schema }) => (schema === undefined ? [] : validate(schema, undefined)));
}
