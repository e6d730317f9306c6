import type { Contract } from '../openapi/contract.ts';
import { getNode, getTarget, isNode, resolvePointer, toNode } from '../openapi/document.ts';
import {
  type DocumentedHeader,
  type DocumentedMedia,
  type Example,
  isJsonType,
  type ResponseToVerify,
  removeTypeParameters,
} from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import type { OperationInput } from '../openapi/validate-request.ts';
import { toSeed } from '../util/random.ts';
import { toSingular } from '../util/singular.ts';
import { tryOrError } from '../util/try-or-undefined.ts';
import { findAskedValues } from './asked-values.ts';
import {
  chooseExample,
  chooseMediaType,
  chooseResponse,
  findExampleNames,
  getBodyStatus,
  type ResponsePreferences,
} from './choose-response.ts';
import { type CompleteValue, createCompleter, isUnusable } from './complete-value.ts';
import { createErrorResponder } from './error-response.ts';
import { createShapes } from './fit-schema.ts';
import { createGenerator, EndlessSchemaError, type Generate } from './generate.ts';
import { setGiven } from './given-values.ts';
import { PROBLEM_TYPE, toContentType, toText } from './media-types.ts';
import type { GeneratorOptions } from './place.ts';
import { createSampleFile } from './sample-files.ts';
import {
  createStatusProblem,
  describeStatus,
  getMethodsAtPath,
  replaceOtherPath,
  setStatusHeaders,
} from './status-problem.ts';

/** Thrown if no valid value is found for a schema. `message` has the JSON Pointer of the schema. */
export class MockError extends Error {
  override readonly name = 'MockError';
}

/** A request, and the status and example that were chosen for its response. */
interface ResponseInput {
  readonly route: Route;
  readonly input: OperationInput;
  readonly preferences: ResponsePreferences;
  readonly status: number;
  readonly example: Example | undefined;
  /** The values of the body that the path of the request names. */
  readonly given: unknown;
}

/** The input for creating a response body. `type`: the media type without parameters. */
type BodyInput = ResponseInput & { readonly media: DocumentedMedia; readonly type: string };

/** The maximum number of attempts to generate a valid value, each with another seed. The second half omits optional properties and entries. */
const MAX_ATTEMPTS = 30;

/** The number of attempts after which the invalid values in a generated value are replaced. */
const MAX_REPAIRS = 2;

/** Generates a valid value for the schema at a JSON Pointer. Throws `MockError`. */
type GenerateValid = (schema: string, options: ValueOptions) => unknown;
type ValueOptions = Omit<GeneratorOptions, 'isBare'>;

/** Creates a mock. It uses the examples of the contract. It generates values from schemas if there is no example, or if the request prefers a dynamic response. */
export function createMock(contract: Contract) {
  const generateOnce = createGenerator(contract.normalized);
  const completeValue = createCompleter(contract, generateOnce);
  const generate = createValidGenerator(contract, generateOnce, completeValue);
  const getShape = createShapes(contract.normalized);
  return {
    /** Returns the response to a request. `accept`: the `Accept` header. Throws `InvalidPreferenceError` or `MockError`. */
    createResponse(
      route: Route,
      input: OperationInput,
      preferences: ResponsePreferences,
      accept: string,
    ): ResponseToVerify {
      const names = preferences.example === undefined ? findExampleNames(route, input) : [preferences.example];
      const chosen = chooseResponse(route, preferences, preferences.dynamic ? [] : names);
      const { response, status } = chosen;
      const type = chooseMediaType(response, accept);
      const media = type === undefined ? undefined : response.media[type];
      const example = media && chooseExample(media, names, chosen);
      const schema = media?.schema === undefined ? undefined : getNode(contract.normalized, media.schema);
      const given = status < 300 ? findAskedValues(getShape, schema, route, input.path) : undefined;
      // An example that the request names stays as it is.
      const isNamed = example?.name !== undefined && names.includes(example.name);
      const responseInput = { route, input, preferences, status, example, given: isNamed ? undefined : given };
      const own = createHeaders(generate, response.headers, responseInput);
      const documented = { headers: response.headers, methods: getMethodsAtPath(contract, route) };
      const headers = status < 400 ? own : setStatusHeaders(contract, { status, headers: own }, documented);
      if (!media || type === undefined) return { status, headers };
      const contentType = toContentType(type);
      const body = createBody(contract, generate, { ...responseInput, media, type: removeTypeParameters(type) });
      return {
        status,
        headers: { ...headers, 'Content-Type': contentType },
        body: isJsonType(contentType) ? body : toText(contentType, body),
      };
    },
    completeValue,
    /** Returns the response to an error of a request as the contract documents it; undefined if the response is a problem document. */
    createErrorResponse: createErrorResponder(contract, {
      generate: (schema, options) => generate(schema, { ...options, query: {}, isFull: true }),
      createHeaders: (headers, status) =>
        createHeaders(generate, headers, { status, example: undefined, preferences: {} }),
    }),
    /** Returns the default of the schema at a JSON Pointer, else a value generated from the seed; undefined if no valid value is found. */
    generateField(schema: string, seed: number): unknown {
      const value = getNode(contract.normalized, `${resolvePointer(contract.normalized, schema)}/default`);
      if (value !== undefined && contract.isValid(schema, value)) return value;
      const generated = tryOrError(MockError, () => generate(schema, { seed, query: {}, usesExamples: false }));
      return generated instanceof MockError ? undefined : generated;
    },
  };
}

/** Creates responses from the examples and schemas of a contract. */
export type Mock = ReturnType<typeof createMock>;

function createValidGenerator(contract: Contract, generate: Generate, completeValue: CompleteValue): GenerateValid {
  return (schema, options) => {
    const node = getNode(contract.normalized, schema);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const generated = tryOrError(EndlessSchemaError, () => generate(node, getAttempt(options, attempt)));
      if (generated instanceof EndlessSchemaError) continue;
      const errors = contract.getErrors(schema, generated);
      if (errors.length === 0) return generated;
      // Endless recursion takes long, and no other value is valid.
      if (errors.some(isUnusable)) break;
      if (attempt >= MAX_REPAIRS) continue;
      // An entry of a list stays the same as the item alone if only its invalid values are replaced.
      const { value } = completeValue(schema, generated, options.entitySeed ?? 0);
      if (contract.isValid(schema, value)) return value;
    }
    throw new MockError(`no valid value could be generated for the schema at #${schema}: add an example`);
  };
}

/** Returns the options of an attempt. */
function getAttempt(options: ValueOptions, attempt: number): GeneratorOptions {
  return {
    ...options,
    seed: options.seed + attempt * 7_919,
    entitySeed: (options.entitySeed ?? options.seed) + attempt * 7_919,
    usesExamples: options.usesExamples && attempt === 0,
    isBare: attempt > MAX_ATTEMPTS / 2,
    given: attempt < MAX_ATTEMPTS / 4 ? options.given : undefined,
  };
}

/** Returns the body of a response. Uses the example if it is valid and the request does not prefer a dynamic response. Otherwise generates the body. */
function createBody(contract: Contract, generate: GenerateValid, bodyInput: BodyInput): unknown {
  const { route, input, preferences, status, example, given, media, type } = bodyInput;
  const { schema } = media;
  const isValid = (value: unknown) => schema === undefined || contract.isValid(schema, value);
  if (example && !preferences.dynamic) {
    const updated = setBodyStatus(isValid, example.value, status);
    const body = status === 405 ? replaceOtherPath(isValid, updated) : updated;
    const asked = setGiven(body, given);
    if (isValid(asked)) return asked;
    if (isValid(body)) return body;
  }
  const describesStatus = status >= 400 && !preferences.dynamic;
  const problem = createStatusProblem(status);
  if (describesStatus && type === PROBLEM_TYPE && isValid(problem)) return problem;
  const file = status < 400 ? createSampleFile(type) : undefined;
  if (file !== undefined && (schema === undefined || allowsFile(contract, schema))) return file;
  if (schema === undefined) return {};
  const [first] = media.examples;
  if (describesStatus && first && isValid(first.value)) return describeStatus(isValid, first.value, status);
  const seed = preferences.seed ?? (preferences.dynamic ? toSeed(JSON.stringify(input)) : toSeed(route.operationId));
  const name = toSingular(route.path.split('/').findLast((segment) => /^[a-z]/i.test(segment)) ?? '');
  const entitySeed = preferences.seed ?? 0;
  const options = { seed, entitySeed, query: input.query, usesExamples: !preferences.dynamic, name, given };
  const value = generate(schema, options);
  if (describesStatus) return describeStatus(isValid, value, status);
  return type === PROBLEM_TYPE ? setBodyStatus(isValid, value, status) : value;
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

/** Returns the documented headers that have an example, and the required headers. */
function createHeaders(
  generate: GenerateValid,
  headers: readonly DocumentedHeader[],
  responseInput: Pick<ResponseInput, 'status' | 'example' | 'preferences'>,
) {
  const { status, example, preferences } = responseInput;
  const entries = headers.flatMap(({ name, isRequired: isAlwaysRequired, schema, examples }) => {
    // A client can't follow a redirect without `Location`.
    const isRequired = isAlwaysRequired || (name.toLowerCase() === 'location' && status >= 300 && status < 400);
    const own =
      examples.find((candidate) => candidate.name === undefined || candidate.name === example?.name) ??
      (isRequired ? examples[0] : undefined);
    if (own?.value !== undefined) return [[name, formatHeader(own.value)]];
    if (own || !isRequired || schema === undefined) return [];
    const seed = preferences.seed ?? toSeed(name);
    return [[name, formatHeader(generate(schema, { seed, query: {}, usesExamples: true }))]];
  });
  return Object.fromEntries(entries);
}

/**
 * Sets the `status` in a body to the status of the response (RFC 9457, section 3.1.3). Returns the body unchanged if it has no `status`, or if the new
 * body would be invalid.
 */
function setBodyStatus(isValid: (value: unknown) => boolean, body: unknown, status: number): unknown {
  if (!isNode(body) || (getBodyStatus(body) ?? status) === status) return body;
  const updated = { ...body, status };
  return isValid(updated) ? updated : body;
}

function formatHeader(value: unknown): string {
  const isObject = typeof value === 'object' && !Array.isArray(value);
  // String() joins the entries of an array with commas.
  return (isObject ? JSON.stringify(value) : String(value)).replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '');
}
