import { isDeepStrictEqual } from 'node:util';
import { type DocumentedMedia, type DocumentedResponse, type Example, findResponse } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import type { OperationInput } from '../openapi/validate-request.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';

/** The values of the `Prefer` header that select which documented response a mock returns. */
export interface ResponsePreferences {
  readonly code?: number | undefined;
  /** The name of an example. */
  readonly example?: string | undefined;
  /** Whether the body is generated from the schema, even if there is an example. */
  readonly dynamic?: boolean | undefined;
  readonly seed?: number | undefined;
  /** The number of items of a stream. */
  readonly items?: number | undefined;
}

/**
 * Describes a preferred status or example that the contract does not document.
 * `problem` begins with the preferred value.
 */
export interface PreferenceIssue {
  readonly preference: 'code' | 'example';
  readonly problem: string;
  readonly remedy: string;
}

/** Chooses the response to a request. `names`: the names of the examples that the request selects. */
export function chooseForRequest(route: Route, input: OperationInput, preferences: ResponsePreferences) {
  const names = preferences.example === undefined ? findExampleNames(route, input) : [preferences.example];
  return { names, chosen: chooseResponse(route, preferences, preferences.dynamic ? [] : names) };
}

/** Returns an issue if a request prefers a status or an example that the contract does not document. */
export function findPreferenceIssue(
  route: Route,
  input: OperationInput,
  preferences: ResponsePreferences,
): PreferenceIssue | undefined {
  if (preferences.code === undefined && preferences.example === undefined) return undefined;
  const { chosen } = chooseForRequest(route, input, preferences);
  return 'problem' in chosen ? chosen : undefined;
}

/** Returns a message such as `code=500 is not documented for listPets: use 200, 404`. */
export function formatPreferenceIssue({ preference, problem, remedy }: PreferenceIssue): string {
  return `${preference}=${problem}: ${remedy}`;
}

/** A response that the contract documents, and its status. */
interface ChosenResponse {
  readonly response: DocumentedResponse;
  readonly status: number;
}

/**
 * Chooses a documented response and its status.
 * A preferred status (`code`) selects the response for this status.
 * Else, chooses the first response that has an example with one of `names`; successes come first.
 * Else, chooses the success response.
 * Returns an issue if the contract does not document the preferred status or example.
 */
export function chooseResponse(
  route: Route,
  { code, example }: ResponsePreferences,
  names: readonly string[],
): ChosenResponse | PreferenceIssue {
  if (code !== undefined) return findPreferredResponse(route, code, example);
  const successesFirst = route.responses.toSorted((a, b) => Number(isSuccess(b)) - Number(isSuccess(a)));
  const named = successesFirst.find((response) => getExampleNames(response).some((name) => names.includes(name)));
  if (named) return { response: named, status: getStatus(named, route, names) };
  if (example !== undefined) return createExampleIssue(route, example, route.responses);
  const response = findResponse(route.responses, route.successStatus);
  if (!response) throw new Error(`${route.operationId} documents no response`);
  return { response, status: route.successStatus };
}

function findPreferredResponse(
  route: Route,
  code: number,
  example: string | undefined,
): ChosenResponse | PreferenceIssue {
  const response = findResponse(route.responses, code);
  if (!response) {
    const codes = route.responses.map(({ name }) => (name === 'default' ? 'any code (default)' : name));
    const problem = `${code} is not documented for ${route.operationId}`;
    return { preference: 'code', problem, remedy: `use ${codes.join(', ')}` };
  }
  if (example !== undefined && !getExampleNames(response).includes(example))
    return createExampleIssue(route, example, [response]);
  return { response, status: code };
}

function isSuccess({ name }: DocumentedResponse): boolean {
  return name.startsWith('2');
}

/**
 * Returns the status of a documented response.
 * A range such as `4XX`, or `default`, stands for several statuses.
 * In this case, returns the `status` in the body of the example with one of `names`.
 * Without such a status, returns 400 for `4XX`, and the success status of the operation for `default`.
 */
function getStatus({ name, media }: DocumentedResponse, { successStatus }: Route, names: readonly string[]): number {
  if (/^\d+$/.test(name)) return Number(name);
  const status = getBodyStatus(getExamples(media).find((example) => names.includes(example.name ?? ''))?.value);
  if (status !== undefined && (name === 'default' || Math.floor(status / 100) === Number(name.charAt(0))))
    return status;
  return name === 'default' ? successStatus : Number(name.replace('XX', '00'));
}

/** Returns the `status` in a body, such as a problem document (RFC 9457); undefined if the body has no HTTP status. */
export function getBodyStatus(body: unknown): number | undefined {
  const { status } = (body ?? {}) as { status?: unknown };
  return typeof status === 'number' && Number.isInteger(status) && status >= 100 && status < 600 ? status : undefined;
}

function getExampleNames({ media }: DocumentedResponse): readonly string[] {
  return getExamples(media).flatMap(({ name }) => name ?? []);
}

function getExamples(media: DocumentedResponse['media']): readonly Example[] {
  return Object.values(media).flatMap(({ examples }) => examples);
}

function createExampleIssue(route: Route, example: string, responses: readonly DocumentedResponse[]): PreferenceIssue {
  const names = [...new Set(responses.flatMap(getExampleNames))];
  const remedy =
    names.length > 0 ? `use ${names.join(', ')}` : 'remove the preference, because the operation has no named examples';
  return { preference: 'example', problem: `${example} is not documented for ${route.operationId}`, remedy };
}

/**
 * Chooses the example for the body of a response: the example with one of `names`, else an example whose body has the
 * status of the response, else the first example.
 * For a range of errors such as `4XX`, the first example is not used, because it can have another status.
 */
export function chooseExample({ examples }: DocumentedMedia, names: readonly string[], chosen: ChosenResponse) {
  const { response, status } = chosen;
  const isErrorRange = status >= 400 && !/^\d+$/.test(response.name);
  return (
    examples.find(({ name }) => name !== undefined && names.includes(name)) ??
    examples.find(({ value }) => getBodyStatus(value) === status) ??
    (isErrorRange ? undefined : examples[0])
  );
}

/**
 * Returns the names of the request examples that match a request.
 * The body and the parameters can have examples with the same name; all of them must be equal to the values in the
 * request.
 * If several names match, returns the names with the most examples.
 * Microcks, Specmatic and Prism also pair request and response examples by name.
 */
export function findExampleNames(route: Route, { path, query, body }: OperationInput): readonly string[] {
  const isSent = ({ in: location, name, values }: NamedExamples['parts'][number]) => {
    if (location === 'body') return values.some((value) => isDeepStrictEqual(value, body));
    const sent = location === 'path' ? path[name] : location === 'query' ? query[name] : undefined;
    return sent !== undefined && values.some((value) => String(value) === String(sent));
  };
  const matching = listNamedExamples(route).filter(({ parts }) => parts.every(isSent));
  const highest = Math.max(0, ...matching.map(({ parts }) => parts.length));
  return matching.flatMap(({ name, parts }) => (parts.length === highest ? name : []));
}

/** The request examples with one name: their values in each part of the request that has some. */
interface NamedExamples {
  readonly name: string;
  readonly parts: readonly { readonly in: string; readonly name: string; readonly values: readonly unknown[] }[];
}

const listNamedExamples = memoizeByObject(({ bodyMedia, parameters }: Route): readonly NamedExamples[] => {
  const parts = [{ in: 'body', name: '', examples: getExamples(bodyMedia) }, ...parameters];
  const names = new Set(parts.flatMap(({ examples }) => examples.flatMap(({ name }) => name ?? [])));
  return [...names].map((example) => ({
    name: example,
    parts: parts.flatMap(({ in: location, name, examples }) => {
      const values = examples.filter((other) => other.name === example).map(({ value }) => value);
      return values.length === 0 ? [] : { in: location, name, values };
    }),
  }));
});
