import {
  type DocumentedMedia,
  type DocumentedResponse,
  type Example,
  findResponse,
  isJsonType,
  removeTypeParameters,
} from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';

/** The preferences of a request for one of the documented responses. */
export interface ResponsePreferences {
  readonly code?: number | undefined;
  /** The name of an example. */
  readonly example?: string | undefined;
  /** Whether the body is generated from the schema rather than taken from the examples. */
  readonly dynamic?: boolean | undefined;
  readonly seed?: number | undefined;
}

/** Thrown for a preference that the contract doesn't document. `message` ends with a colon and the remedy. */
export class InvalidPreferenceError extends Error {
  override readonly name = 'InvalidPreferenceError';

  constructor(
    readonly preference: 'code' | 'example',
    message: string,
  ) {
    super(message);
  }
}

/**
 * Returns the preferred response and its status; else the response with an example of one of the names, preferably a success; else the success.
 * Throws `InvalidPreferenceError`.
 */
export function chooseResponse(route: Route, { code, example }: ResponsePreferences, names: readonly string[]) {
  if (code !== undefined) return { response: findPreferredResponse(route, code, example), status: code };
  const successesFirst = [...route.responses].sort((a, b) => Number(isSuccess(b)) - Number(isSuccess(a)));
  const named = successesFirst.find((response) => getExampleNames(response).some((name) => names.includes(name)));
  if (named) return { response: named, status: getStatus(named, route, names) };
  if (example !== undefined) throw createExampleError(route, example, route.responses);
  const response = findResponse(route.responses, route.successStatus);
  if (!response) throw new Error(`${route.operationId} documents no response`);
  return { response, status: route.successStatus };
}

function findPreferredResponse(route: Route, code: number, example: string | undefined): DocumentedResponse {
  const response = findResponse(route.responses, code);
  if (!response) {
    const codes = route.responses.map(({ name }) => (name === 'default' ? 'any code (default)' : name));
    const message = `code=${code} is not documented for ${route.operationId}: use ${codes.join(', ')}`;
    throw new InvalidPreferenceError('code', message);
  }
  if (example !== undefined && !getExampleNames(response).includes(example))
    throw createExampleError(route, example, [response]);
  return response;
}

function isSuccess({ name }: DocumentedResponse): boolean {
  return name.startsWith('2');
}

/** Returns the status of a response: for a range, that in the body of the example, else the first of the range. */
function getStatus({ name, media }: DocumentedResponse, { successStatus }: Route, names: readonly string[]): number {
  if (/^\d+$/.test(name)) return Number(name);
  const examples = Object.values(media).flatMap(({ examples }) => examples);
  const status = getBodyStatus(examples.find((example) => names.includes(example.name ?? ''))?.value);
  if (status !== undefined && (name === 'default' || Math.floor(status / 100) === Number(name.charAt(0))))
    return status;
  return name === 'default' ? successStatus : Number(name.replace('XX', '00'));
}

/** Returns the `status` in a body, as problem documents have it (RFC 9457); undefined if there is none. */
export function getBodyStatus(body: unknown): number | undefined {
  const { status } = (body ?? {}) as { status?: unknown };
  return typeof status === 'number' && Number.isInteger(status) && status >= 100 && status < 600 ? status : undefined;
}

function getExampleNames({ media }: DocumentedResponse): readonly string[] {
  return Object.values(media).flatMap(({ examples }) => examples.flatMap(({ name }) => name ?? []));
}

function createExampleError(
  route: Route,
  example: string,
  responses: readonly DocumentedResponse[],
): InvalidPreferenceError {
  const names = [...new Set(responses.flatMap(getExampleNames))];
  const remedy = names.length > 0 ? `use ${names.join(', ')}` : 'the contract has no named examples for it';
  return new InvalidPreferenceError(
    'example',
    `example=${example} is not documented for ${route.operationId}: ${remedy}`,
  );
}

/** Returns the media type of a response that an `Accept` header prefers. JSON is preferred among equals, and if no type is acceptable. */
export function chooseMediaType({ media }: DocumentedResponse, accept: string): string | undefined {
  const types = Object.keys(media);
  const jsonFirst = [...types.filter(isJsonType), ...types.filter((type) => !isJsonType(type))];
  const ranges = accept
    .split(',')
    .map((range) => ({ type: removeTypeParameters(range), quality: Number(/;\s*q=([\d.]+)/i.exec(range)?.[1] ?? 1) }))
    .filter(({ type }) => type !== '')
    .sort((a, b) => b.quality - a.quality);
  const refused = ranges.filter(({ quality }) => quality === 0).map(({ type }) => type);
  for (const range of ranges.filter(({ quality }) => quality > 0)) {
    const type = jsonFirst.find(
      (name) => isInRange(removeTypeParameters(name), range.type) && !refused.includes(removeTypeParameters(name)),
    );
    if (type !== undefined) return type;
  }
  return jsonFirst[0];
}

function isInRange(type: string, range: string): boolean {
  return range === '*/*' || type === range || (range.endsWith('/*') && type.startsWith(range.slice(0, -1)));
}

/** Returns the example with one of the names; else one whose body has the status; else the first, unless the response is a range of errors. */
export function chooseExample(
  { examples }: DocumentedMedia,
  names: readonly string[],
  { response, status }: { readonly response: DocumentedResponse; readonly status: number },
): Example | undefined {
  const isErrorRange = status >= 400 && !/^\d+$/.test(response.name);
  return (
    examples.find(({ name }) => name !== undefined && names.includes(name)) ??
    examples.find(({ value }) => getBodyStatus(value) === status) ??
    (isErrorRange ? undefined : examples[0])
  );
}
