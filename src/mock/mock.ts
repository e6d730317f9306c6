import type { Contract } from '../openapi/contract.ts';
import { getNode, getTarget, isNode, type Node, resolvePointer, toNode } from '../openapi/document.ts';
import { isJsonType, removeTypeParameters } from '../openapi/media-types.ts';
import { type DocumentedMedia, type Example, findResponse, type ResponseToVerify } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import type { OperationInput } from '../openapi/validate-request.ts';
import { toSingular } from '../util/names.ts';
import { HttpProblemError } from '../util/problem.ts';
import { toSeed } from '../util/random.ts';
import { tryOrError } from '../util/try-or-undefined.ts';
import {
  chooseExample,
  chooseForRequest,
  formatPreferenceIssue,
  getBodyStatus,
  type ResponsePreferences,
} from './choose-response.ts';
import { type CompleteValue, createCompleter, isUnusable } from './complete-value.ts';
import { getRequestedPage } from './describe-page.ts';
import { describeError, describeProblem } from './error-body.ts';
import { createStatusError } from './error-fields.ts';
import { createErrorResponder } from './error-response.ts';
import { createShapes } from './fit-schema.ts';
import { createGenerator, type Generate } from './generate.ts';
import { GenerationLimit, generateWithinLimit } from './generation-limit.ts';
import {
  chooseMediaType,
  createSampleFile,
  createVary,
  formatBody,
  PROBLEM_TYPE,
  toContentType,
} from './media-types.ts';
import { findPathValues } from './path-values.ts';
import { type GeneratorOptions, setKnownValues } from './place.ts';
import { createHeaders, type HeaderSource } from './response-headers.ts';
import { createStatusProblem, replaceOtherPath } from './status-problem.ts';
import { createItems, type ItemGenerator } from './stream-items.ts';

/** A request, and the status and example that were chosen for its response. */
interface ResponseInput {
  readonly route: Route;
  readonly input: OperationInput;
  readonly preferences: ResponsePreferences;
  readonly status: number;
  readonly example: Example | undefined;
  /** The values of the body that are known from the path of the request. */
  readonly knownValues: unknown;
}

/** The input for creating a response body. `type`: the media type without parameters. */
type BodyInput = ResponseInput & { readonly media: DocumentedMedia; readonly type: string };

/**
 * A response of a mock.
 * `example`: the name of the example that is used as the body; absent if the body is generated, or the example has no
 * name.
 */
export interface MockResponse extends ResponseToVerify {
  readonly example?: string | undefined;
  /** The items of a stream, whose text is the body. */
  readonly items?: readonly unknown[];
}

/**
 * The maximum number of attempts to generate a valid value, each with another seed.
 * The second half omits optional properties and entries.
 */
const MAX_ATTEMPTS = 30;

/**
 * The number of attempts in which the invalid parts of a generated value are replaced.
 * Further attempts discard the whole value.
 */
const MAX_REPAIRS = 2;

/** Generates a valid value for the schema at a JSON Pointer. Throws an `HttpProblemError` if it finds none. */
type GenerateValid = (schema: string, options: ValueOptions) => unknown;
type ValueOptions = Omit<GeneratorOptions, 'omitsOptional'>;

/**
 * Creates a mock of a contract.
 * A response is an example of the contract.
 * It is generated from the schema if there is no example, or if the request prefers a dynamic response.
 */
export function createMock(contract: Contract) {
  const generateOnce = createGenerator(contract.normalized);
  const completeValue = createCompleter(contract, generateOnce);
  const generate = createValidGenerator(contract, generateOnce, completeValue);
  const generateBody = createBodyGenerator(contract, generate);
  const getShape = createShapes(contract.normalized);
  const source = { contract, generate };
  const errors = createErrorResponder(contract, {
    generate: (schema, options) => generate(schema, { ...options, query: {}, includesOptional: true }),
    createHeaders: (route, response, status) => createHeaders(source, response, { ...NO_EXAMPLE, route, status }),
  });
  return {
    /**
     * Returns the response to a request.
     * `accept`: the `Accept` header.
     * Throws an `Error` if there is a preference issue, and an `HttpProblemError` if no valid body is found.
     */
    createResponse(
      route: Route,
      input: OperationInput,
      preferences: ResponsePreferences,
      accept: string,
    ): MockResponse {
      const { names, chosen } = chooseForRequest(route, input, preferences);
      if ('problem' in chosen) throw new Error(formatPreferenceIssue(chosen));
      const { response, status } = chosen;
      const type = chooseMediaType(Object.keys(response.media), accept);
      const media = type === undefined ? undefined : response.media[type];
      const example = media && chooseExample(media, names, chosen);
      // An example that was selected by its name is not changed.
      const isFixed = status >= 300 || (example?.name !== undefined && names.includes(example.name));
      const knownValues = isFixed ? undefined : findPathValues(getShape, getSchema(contract, media), route, input.path);
      const responseInput = { route, input, preferences, status, example, knownValues };
      const toHeaders = (body: unknown) => createHeaders(source, response, { ...responseInput, body });
      if (!media || type === undefined) return { status, headers: toHeaders(undefined) };
      const contentType = toContentType(type);
      const bodyInput = { ...responseInput, media, type: removeTypeParameters(type) };
      const items = createMockItems(contract, generate, generateOnce, bodyInput);
      const body = items ?? createBody(contract, generateBody, bodyInput);
      const headers = toHeaders(body);
      const vary = Object.keys(response.media).length > 1 ? createVary(headers) : {};
      return {
        status,
        headers: { ...headers, 'Content-Type': contentType, ...vary },
        body: formatBody(contentType, body, { contract, ...media }),
        example: preferences.dynamic ? undefined : example?.name,
        ...(items && { items }),
      };
    },
    /**
     * Returns the documented headers of a response whose body is not from the mock.
     * Throws an `HttpProblemError` if no valid value is found for a required header.
     */
    createHeaders: createOwnHeaders.bind(undefined, source),
    completeValue,
    /**
     * Returns an error response as the contract documents it; undefined if the response is the problem document of the
     * error.
     */
    createErrorResponse: errors.createDocumented,
    /**
     * Returns a response with an error status that the contract does not document.
     * The body has the fields that the contract documents for other errors.
     */
    createUndocumentedError: errors.createUndocumented,
    generateField: createFieldGenerator(contract, generate),
  };
}

/** The input for the headers of a response whose body is no example of the contract. */
const NO_EXAMPLE = { example: undefined, preferences: {}, input: { path: {} }, body: undefined };

function createOwnHeaders(
  source: HeaderSource,
  route: Route,
  input: OperationInput,
  { status, body }: Pick<ResponseToVerify, 'status' | 'body'>,
) {
  const response = findResponse(route.responses, status);
  return response ? createHeaders(source, response, { ...NO_EXAMPLE, route, input, status, body }) : {};
}

/** Creates responses from the examples and schemas of a contract. */
export type Mock = ReturnType<typeof createMock>;

/**
 * Creates a function that generates a value for the schema at a JSON Pointer.
 * The function returns the default of the schema, else a value that depends on the seed.
 * It returns undefined if no valid value is found.
 */
function createFieldGenerator(contract: Contract, generate: GenerateValid) {
  return (schema: string, seed: number): unknown => {
    const value = getNode(contract.normalized, `${resolvePointer(contract.normalized, schema)}/default`);
    if (value !== undefined && contract.isValid(schema, value)) return value;
    const generated = tryOrError(HttpProblemError, () => generate(schema, { seed, query: {}, usesExamples: false }));
    return generated instanceof HttpProblemError ? undefined : generated;
  };
}

function createValidGenerator(contract: Contract, generate: Generate, completeValue: CompleteValue): GenerateValid {
  // A schema that has reached the limit is not tried again, because each attempt delays other requests.
  const tooLarge = new Set<string>();
  return (schema, options) => {
    const limit = new GenerationLimit();
    const node = getNode(contract.normalized, schema);
    for (let attempt = 0; attempt < MAX_ATTEMPTS && !tooLarge.has(schema); attempt++) {
      const attemptOptions = { ...getAttempt(options, attempt), limit };
      const generated = generateWithinLimit(() => generate(node, attemptOptions));
      if (limit.isReached) tooLarge.add(schema);
      if (!generated) continue;
      const errors = contract.getErrors(schema, generated.value);
      if (errors.length === 0) return generated.value;
      // If ajv can't use the schema, no value is valid, and each attempt can take long.
      if (errors.some(isUnusable)) break;
      if (attempt >= MAX_REPAIRS) continue;
      // If only its invalid parts are replaced, an object in a list stays equal to the same object alone.
      const { value } = completeValue(schema, generated.value, options.entitySeed ?? 0, limit);
      if (contract.isValid(schema, value)) return value;
    }
    const reason = tooLarge.has(schema) ? ', because it requires too many values or too long strings' : '';
    const detail = `no valid value could be generated for the schema at #${schema}${reason}: add an example`;
    throw new HttpProblemError({ code: 'internal-error', detail });
  };
}

/** The maximum number of generated bodies that are kept. A body has up to 100 kB. */
const MAX_KEPT = 100;

/**
 * Creates a function that generates bodies, and keeps the latest ones.
 * Known values without an id only replace other values of the body, so they are set in the kept body.
 */
function createBodyGenerator(contract: Contract, generate: GenerateValid): GenerateValid {
  const kept = new Map<string, unknown>();
  const generateOnce: GenerateValid = (schema, options) => {
    const key = JSON.stringify([schema, options]);
    const known = kept.get(key);
    if (known !== undefined) return known;
    const body = generate(schema, options);
    if (kept.size >= MAX_KEPT) kept.clear();
    kept.set(key, body);
    return body;
  };
  return (schema, options) => {
    const { knownValues, usesExamples } = options;
    if (!isNode(knownValues) || !usesExamples || hasId(knownValues)) return generateOnce(schema, options);
    const base = tryOrError(HttpProblemError, () => generateOnce(schema, { ...options, knownValues: undefined }));
    const body = base instanceof HttpProblemError ? undefined : replaceValues(base, knownValues);
    return body !== undefined && contract.isValid(schema, body) ? body : generate(schema, options);
  };
}

/** Returns whether known values have an `id`, on which the other values of an object depend. */
function hasId(known: Node): boolean {
  return Object.entries(known).some(([name, inner]) => name === 'id' || (isNode(inner) && hasId(inner)));
}

/** Returns a copy of a value with all known values; undefined if the value has no place for one of them. */
function replaceValues(value: unknown, known: unknown): unknown {
  if (!isNode(known)) return known;
  if (Array.isArray(value)) {
    const entries = value.map((entry) => replaceValues(entry, known['*']));
    return entries.includes(undefined) ? undefined : entries;
  }
  if (!isNode(value)) return undefined;
  const replaced = Object.entries(known).map(
    ([name, inner]) =>
      [
        name,
        Object.hasOwn(value, name) && inner !== undefined ? replaceValues(value[name], inner) : undefined,
      ] as const,
  );
  return replaced.some(([, inner]) => inner === undefined) ? undefined : { ...value, ...Object.fromEntries(replaced) };
}

/** Returns the options for an attempt to generate a valid value. `attempt`: counted from 0. */
function getAttempt(options: ValueOptions, attempt: number): GeneratorOptions {
  return {
    ...options,
    seed: options.seed + attempt * 7_919,
    entitySeed: (options.entitySeed ?? options.seed) + attempt * 7_919,
    usesExamples: options.usesExamples && attempt === 0,
    omitsOptional: attempt > MAX_ATTEMPTS / 2,
    knownValues: attempt < MAX_ATTEMPTS / 4 ? options.knownValues : undefined,
  };
}

/**
 * Creates the body of a response from its example.
 * An invalid example stays as it is written.
 * Sets known values, such as the status of a problem document, if the body does not get further mistakes.
 */
function createExampleBody(contract: Contract, { status, knownValues, media }: BodyInput, example: unknown): unknown {
  const isValid = createComparison(contract, media, example);
  const updated = setBodyStatus(isValid, example, status);
  const body = status === 405 ? replaceOtherPath(isValid, updated) : updated;
  return [setKnownValues(body, knownValues), body].find(isValid);
}

/** Returns a function that tells whether a value has at most as many mistakes as `original`, which is an example. */
function createComparison(contract: Contract, { schema }: DocumentedMedia, original: unknown) {
  if (schema === undefined) return () => true;
  const count = contract.getAllErrors(schema, original).length;
  return (value: unknown) => contract.getAllErrors(schema, value).length <= count;
}

function createValidation(contract: Contract, { schema }: DocumentedMedia): (value: unknown) => boolean {
  return (value) => schema === undefined || contract.isValid(schema, value);
}

/**
 * Creates the body of a response from its example.
 * Generates the body if there is no example, or if the request prefers a dynamic response.
 */
function createBody(contract: Contract, generate: GenerateValid, bodyInput: BodyInput): unknown {
  const { example, preferences } = bodyInput;
  const isExample = example !== undefined && !preferences.dynamic;
  if (isExample && example.serialized !== undefined && !isJsonType(bodyInput.type)) return example.serialized;
  return isExample
    ? createExampleBody(contract, bodyInput, example.value)
    : createOtherBody(contract, generate, bodyInput);
}

function getSchema({ normalized }: Contract, media: DocumentedMedia | undefined): unknown {
  return media?.schema === undefined ? undefined : getNode(normalized, media.schema);
}

/** Creates the items of a stream. Returns undefined for an error response, and if the body is no stream. */
function createMockItems(
  contract: Contract,
  generate: GenerateValid,
  generateOnce: Generate,
  bodyInput: BodyInput,
): readonly unknown[] | undefined {
  const { input, preferences, status, media } = bodyInput;
  if (!media.items || status >= 300) return undefined;
  const { seed: first, entitySeed, name } = getSeeds(bodyInput);
  const options = { entitySeed, query: input.query, usesExamples: !preferences.dynamic, name };
  const generator: ItemGenerator = {
    seed: first,
    generateValid: (schema, seed) => generate(schema, { ...options, seed }),
    generateList: (schema, seed) =>
      generateWithinLimit(() => generateOnce(schema, { ...options, seed, omitsOptional: false }))?.value,
  };
  return createItems(contract, generator, { ...bodyInput, items: media.items });
}

/** Returns the seeds of a generated body, and the name of the resource that it has. */
function getSeeds({ route, input, preferences }: ResponseInput) {
  const seed = preferences.seed ?? (preferences.dynamic ? toSeed(JSON.stringify(input)) : toSeed(route.operationId));
  const name = toSingular(route.path.split('/').findLast((segment) => /^[a-z]/i.test(segment)) ?? '');
  return { seed, entitySeed: preferences.seed ?? 0, name };
}

/** Creates the body of a response without an example. */
function createOtherBody(contract: Contract, generate: GenerateValid, bodyInput: BodyInput): unknown {
  const { route, input, preferences, status, knownValues, media, type } = bodyInput;
  const { schema } = media;
  const isValid = createValidation(contract, media);
  const describesStatus = status >= 400 && !preferences.dynamic;
  const describe = (base: unknown) => describeBody(base, isValid, bodyInput);
  if (describesStatus && type === PROBLEM_TYPE && schema === undefined) return createStatusProblem(status);
  const file = status < 400 ? createSampleFile(type) : undefined;
  if (file !== undefined && (schema === undefined || allowsFile(contract, schema))) return file;
  if (schema === undefined) return {};
  const [first] = media.examples;
  if (describesStatus && first && isValid(first.value)) return describe(first.value);
  const { seed, entitySeed, name } = getSeeds(bodyInput);
  const page =
    status >= 400
      ? undefined
      : getRequestedPage(route, input.query, (pointer) => getTarget(contract.normalized, pointer));
  const usesExamples = !preferences.dynamic;
  const options = { seed, entitySeed, query: input.query, usesExamples, name, knownValues, page };
  if (describesStatus) return describe(tryOrError(HttpProblemError, () => generate(schema, options)));
  const value = generate(schema, options);
  return type === PROBLEM_TYPE ? setBodyStatus(isValid, value, status) : value;
}

/**
 * Changes the body of an error response so that it describes the status.
 * `base`: a valid body, or the error that says why none was generated.
 * Throws this error if the response can't be a problem document.
 */
function describeBody(base: unknown, isValid: (value: unknown) => boolean, { status, type }: BodyInput): unknown {
  const error = createStatusError(status);
  const problem = createStatusProblem(status);
  const isGenerated = !(base instanceof HttpProblemError);
  const document =
    type === PROBLEM_TYPE ? describeProblem(isGenerated ? base : {}, isValid, error, problem) : undefined;
  if (document) return document;
  if (!isGenerated) throw base;
  return describeError(base, isValid, error).value;
}

/** Returns whether a schema allows any text or binary data. */
function allowsFile({ normalized, isValid }: Contract, schema: string): boolean {
  const {
    type: _type,
    title: _title,
    description: _text,
    format = 'binary',
    ...rest
  } = toNode(getTarget(normalized, schema));
  return (format === 'binary' || format === 'byte') && Object.keys(rest).length === 0 && isValid(schema, '');
}

/**
 * Sets the `status` in a body to the status of the response (RFC 9457, section 3.1.3).
 * Returns the body unchanged if it has no `status`, or if the new body would be invalid.
 */
function setBodyStatus(isValid: (value: unknown) => boolean, body: unknown, status: number): unknown {
  if (!isNode(body) || (getBodyStatus(body) ?? status) === status) return body;
  const updated = { ...body, status };
  return isValid(updated) ? updated : body;
}
