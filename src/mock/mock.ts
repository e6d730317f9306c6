import type { Contract } from '../openapi/contract.ts';
import { getNode, isNode, resolvePointer } from '../openapi/document.ts';
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
import { createRandom, toSeed } from '../util/random.ts';
import { tryOrError } from '../util/try-or-undefined.ts';
import {
  chooseExample,
  chooseMediaType,
  chooseResponse,
  findExampleNames,
  getBodyStatus,
  type ResponsePreferences,
} from './choose-response.ts';
import { createCompleter } from './complete-value.ts';
import { toXml } from './format-xml.ts';
import { createGenerator, EndlessSchemaError, type GeneratorOptions } from './generate.ts';
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
}

/** The input for creating a response body. `type`: the media type without parameters. */
type BodyInput = ResponseInput & { readonly media: DocumentedMedia; readonly type: string };

/** The media type of problem documents (RFC 9457). */
const PROBLEM_TYPE = 'application/problem+json';

/** The maximum number of attempts to generate a valid value, each with another seed. The second half omits optional properties and entries. */
const MAX_ATTEMPTS = 30;

/** Generates a valid value for the schema at a JSON Pointer. Throws `MockError`. */
type GenerateValid = (schema: string, options: ValueOptions) => unknown;
type ValueOptions = Pick<GeneratorOptions, 'query' | 'usesExamples'> & { readonly seed: number };

/** Creates a mock. It uses the examples of the contract. It generates values from schemas if there is no example, or if the request prefers a dynamic response. */
export function createMock(contract: Contract) {
  const generate = createValidGenerator(contract);
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
      const responseInput = { route, input, preferences, status, example };
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
    completeValue: createCompleter(contract),
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

function createValidGenerator(contract: Contract): GenerateValid {
  const generate = createGenerator(contract.normalized);
  return (schema, { seed, query, usesExamples }) => {
    const node = getNode(contract.normalized, schema);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const random = createRandom(seed + attempt * 7_919);
      const isBare = attempt > MAX_ATTEMPTS / 2;
      const options = { random, query, usesExamples: usesExamples && attempt === 0, isBare };
      const generated = tryOrError(EndlessSchemaError, () => generate(node, options));
      const value = generated instanceof EndlessSchemaError ? undefined : generated;
      if (contract.isValid(schema, value)) return value;
    }
    throw new MockError(`no valid value could be generated for the schema at #${schema}: add an example`);
  };
}

/** Returns the body of a response. Uses the example if it is valid and the request does not prefer a dynamic response. Otherwise generates the body. */
function createBody(contract: Contract, generate: GenerateValid, bodyInput: BodyInput): unknown {
  const { route, input, preferences, status, example, media, type } = bodyInput;
  const { schema } = media;
  const isValid = (value: unknown) => schema === undefined || contract.isValid(schema, value);
  if (example && !preferences.dynamic) {
    const updated = setBodyStatus(isValid, example.value, status);
    const body = status === 405 ? replaceOtherPath(isValid, updated) : updated;
    if (isValid(body)) return body;
  }
  const describesStatus = status >= 400 && !preferences.dynamic;
  const problem = createStatusProblem(status);
  if (describesStatus && type === PROBLEM_TYPE && isValid(problem)) return problem;
  if (schema === undefined) return {};
  const [first] = media.examples;
  if (describesStatus && first && isValid(first.value)) return describeStatus(isValid, first.value, status);
  const seed = preferences.seed ?? (preferences.dynamic ? toSeed(JSON.stringify(input)) : toSeed(route.operationId));
  const value = generate(schema, { seed, query: input.query, usesExamples: !preferences.dynamic });
  if (describesStatus) return describeStatus(isValid, value, status);
  return type === PROBLEM_TYPE ? setBodyStatus(isValid, value, status) : value;
}

/** Returns the documented headers that have an example, and the required headers. */
function createHeaders(generate: GenerateValid, headers: readonly DocumentedHeader[], responseInput: ResponseInput) {
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

/** Returns the content type for a documented media type, which can be a range: `application/*` becomes JSON, `text/*` becomes `text/plain`. */
function toContentType(type: string): string {
  if (type === '*/*' || type === 'application/*') return 'application/json';
  return type.endsWith('/*') ? `${type.slice(0, -1)}plain` : type;
}

function formatHeader(value: unknown): string {
  const isObject = typeof value === 'object' && !Array.isArray(value);
  // String() joins the entries of an array with commas.
  return (isObject ? JSON.stringify(value) : String(value)).replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '');
}

/** Formats a body whose content type is not JSON. A string stays unchanged; other values become XML or JSON text. */
function toText(type: string, body: unknown): string {
  if (typeof body === 'string') return body;
  return /[/+]xml$/.test(removeTypeParameters(type)) ? toXml(body) : JSON.stringify(body);
}
