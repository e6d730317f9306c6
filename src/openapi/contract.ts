import type { ErrorObject } from 'ajv';
import { checkStructure, withOperationIds } from './check-structure.ts';
import { closeSchemas } from './close-schemas.ts';
import { ContractError, type Document, formatIssues, formatYaml, parseDocument, readContract } from './document.ts';
import { normalizeSchemas } from './normalize-schemas.ts';
import { createBackend } from './openapi-backend.ts';
import type { ResponseToVerify } from './responses.ts';
import { createRouting, type Route, type Routing } from './routes.ts';
import { createDirectionView, createSchemaValidator, type SchemaValidator } from './schema-validator.ts';
import {
  type RequestResult,
  type RequestToValidate,
  type RequestValidation,
  validateRequest,
} from './validate-request.ts';
import { type ResponseViolation, verifyResponse } from './verify-response.ts';
import { createDataValidator, type DataValidator } from './violations.ts';

/** A loaded contract: finds operations, and validates requests, responses and data. */
export interface Contract extends Routing {
  /** The path of the file. */
  readonly path: string;
  /** The text of the file. */
  readonly text: string;
  /** The document in the file, with the edit of the options. */
  readonly document: Document;
  /** The document that is enforced: that of the file or, in strict mode, one with closed schemas. Created when it is first read. */
  readonly enforced: Pick<Contract, 'document' | 'text'>;
  /** The document with schemas in the dialect of ajv, and an id for every operation. */
  readonly normalized: Document;
  /** A message about keywords that are ignored because their values are invalid; undefined if there are none. */
  readonly warning: string | undefined;
  /** Validates a request to an operation. Returns its input or its violations. */
  validateRequest(route: Route, request: RequestToValidate): RequestResult;
  /** Returns the violations of a response. `closed`: properties that the contract does not document are violations. */
  verifyResponse(
    route: Route,
    response: ResponseToVerify,
    options: { readonly closed: boolean },
  ): readonly ResponseViolation[];
  /** Returns whether a value is valid against the schema at a JSON Pointer. */
  isValid(schema: string, value: unknown): boolean;
  /** Validates a value against a component schema, in which unknown properties are errors. */
  validateData: DataValidator;
  /** Compiles what the first request to an operation needs, some 10 ms of work. `closed`: as in `verifyResponse`. Throws `ContractError` if a schema is unusable. */
  warmUp(route: Route, options: { readonly closed: boolean }): void;
}

/** Options of `loadContract`. */
interface ContractOptions {
  readonly path: string;
  /** Whether unknown query parameters and properties are violations. Otherwise they are ignored with a note. */
  readonly strict: boolean;
  /** Edits the document before it is enforced. The same function makes the same edit. */
  readonly edit?: EditDocument | undefined;
}

/** Returns a document with an edit. */
export type EditDocument = (document: Document) => Document;

const cache = new Map<string, { text: string; edit: EditDocument | undefined; contract: Promise<Contract> }>();

/**
 * Loads the contract in a YAML or JSON file. Throws `ContractError` if it can't be served. A contract has no state and takes 100 ms to create, so it is
 * cached until its text changes: tests that start a server each load it once.
 */
export async function loadContract({ path, strict, edit }: ContractOptions): Promise<Contract> {
  const text = readContract(path);
  const key = `${strict} ${path}`;
  let entry = cache.get(key);
  if (entry?.text !== text || entry.edit !== edit) {
    const contract = createContract(text, { path, strict, edit }).catch((cause: Error) => {
      if (cause instanceof ContractError) throw cause;
      throw new ContractError(`${path} can't be served: ${cause.message}`, { cause });
    });
    entry = { text, edit, contract };
    cache.set(key, entry);
  }
  return entry.contract;
}

function createStrictDocument(document: Document): Contract['enforced'] {
  const closed = closeSchemas(document);
  return { document: closed, text: formatYaml(closed) };
}

async function createContract(
  text: string,
  { path, strict, edit = (document) => document }: ContractOptions,
): Promise<Contract> {
  const document = edit(parseDocument(path, text));
  const { normalized, warning } = normalize(path, text, document);
  const { router, validator } = await createBackend(normalized);
  const requestDocument = createDirectionView(normalized, text, 'readOnly');
  const getRequestDocument = () => (strict ? closeSchemas(requestDocument) : requestDocument);
  const requests: RequestValidation = {
    document: normalized,
    strict,
    getParameterValidators: (route) => validator.getRequestValidatorsForOperation(route.operationId) ?? [],
    validateJson: createSchemaValidator(getRequestDocument),
    validateLargeJson: createSchemaValidator(getRequestDocument, { allErrors: false }),
    validateForm: createSchemaValidator(getRequestDocument, { coerceTypes: 'array' }),
  };
  const responseDocument = createDirectionView(normalized, text, 'writeOnly');
  const open = createSchemaValidator(() => responseDocument);
  const closed = createSchemaValidator(() => closeSchemas(responseDocument));
  let enforced: Contract['enforced'] | undefined;
  return {
    path,
    text,
    document,
    get enforced() {
      enforced ??= strict ? createStrictDocument(document) : { document, text };
      return enforced;
    },
    normalized,
    warning,
    ...createRouting(router, normalized),
    validateRequest: (route, request) => validateRequest(requests, route, request),
    verifyResponse: (route, response, options) =>
      verifyResponse(options.closed ? closed : open, route.responses, response),
    isValid: (schema, value) => open(schema, value).length === 0,
    validateData: createDataValidator(closed),
    warmUp(route, options) {
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

/** Throws `ContractError` if the document can't be served. */
function normalize(path: string, text: string, document: Document) {
  const issues = checkStructure(document);
  if (issues.length > 0) throw new ContractError(formatIssues(path, text, issues));
  const { document: normalized, errors, warnings } = normalizeSchemas(document);
  if (errors.length > 0) throw new ContractError(formatIssues(path, text, errors));
  return {
    normalized: withOperationIds(normalized),
    warning: warnings.length > 0 ? formatIssues(path, text, warnings) : undefined,
  };
}

/** Compiles the schemas of media types: validates `undefined` against them, and returns the errors. */
function compileSchemas(validate: SchemaValidator, media: Route['bodyMedia']): readonly ErrorObject[] {
  return Object.values(media).flatMap(({ schema }) => (schema === undefined ? [] : validate(schema, undefined)));
}
