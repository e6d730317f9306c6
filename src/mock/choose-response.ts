import {
  bareType,
  type DocumentedMedia,
  type DocumentedResponse,
  type Example,
  isJsonType,
  responseTo,
} from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';

/** Which of the documented answers is wanted. */
export interface Wish {
  readonly code?: number | undefined;
  /** The name of an example. */
  readonly example?: string | undefined;
  /** Made from the schema rather than taken from the examples. */
  readonly dynamic?: boolean | undefined;
  readonly seed?: number | undefined;
}

/** A wish for what the contract doesn't document: `message` says what it does. */
export class InvalidPreferenceError extends Error {
  override readonly name = 'InvalidPreferenceError';

  constructor(
    readonly wish: 'code' | 'example',
    message: string,
  ) {
    super(message);
  }
}

/** The response that is wished for; else that which has an example of the request's name, a success rather than another; else the success. */
export function chosenResponse(route: Route, { code, example }: Wish, names: readonly string[]) {
  if (code !== undefined) {
    const response = responseTo(route.responses, code);
    if (!response)
      throw new InvalidPreferenceError(
        'code',
        `code=${code} is not documented for ${route.operationId}: use ${documentedCodes(route)}`,
      );
    if (example !== undefined && !exampleNames(response).includes(example))
      throw unknownExample(route, example, [response]);
    return { response, status: code };
  }
  const inOrder = [...route.responses].sort((one, other) => Number(isSuccess(other)) - Number(isSuccess(one)));
  const named = inOrder.find((response) => exampleNames(response).some((name) => names.includes(name)));
  if (named) return { response: named, status: statusOf(named, route, names) };
  if (example !== undefined) throw unknownExample(route, example, route.responses);
  const response = responseTo(route.responses, route.successStatus);
  if (!response) throw new Error(`${route.operationId} documents no response`);
  return { response, status: route.successStatus };
}

function isSuccess({ name }: DocumentedResponse): boolean {
  return name.startsWith('2');
}

/** The status of an answer by a response: its own; of a range that which its example tells, else the first. */
function statusOf({ name, media }: DocumentedResponse, { successStatus }: Route, names: readonly string[]): number {
  if (/^\d+$/.test(name)) return Number(name);
  const examples = Object.values(media).flatMap(({ examples }) => examples);
  const told = toldStatus(examples.find((example) => names.includes(example.name ?? ''))?.value);
  if (told !== undefined && (name === 'default' || Math.floor(told / 100) === Number(name.charAt(0)))) return told;
  return name === 'default' ? successStatus : Number(name.replace('XX', '00'));
}

/** The status that a body tells of its answer, as problem documents do (RFC 9457). */
export function toldStatus(body: unknown): number | undefined {
  const { status } = (body ?? {}) as { status?: unknown };
  return typeof status === 'number' && Number.isInteger(status) && status >= 100 && status < 600 ? status : undefined;
}

function documentedCodes({ responses }: Route): string {
  return responses.map(({ name }) => (name === 'default' ? 'any code (default)' : name)).join(', ');
}

function exampleNames({ media }: DocumentedResponse): readonly string[] {
  return Object.values(media).flatMap(({ examples }) => examples.flatMap(({ name }) => name ?? []));
}

function unknownExample(
  route: Route,
  example: string,
  responses: readonly DocumentedResponse[],
): InvalidPreferenceError {
  const names = [...new Set(responses.flatMap(exampleNames))];
  const remedy = names.length > 0 ? `use ${names.join(', ')}` : 'there are none';
  return new InvalidPreferenceError(
    'example',
    `example=${example} is not documented for ${route.operationId}: ${remedy}`,
  );
}

/** The media type that the client likes best; JSON where it doesn't care. */
export function chosenType({ media }: DocumentedResponse, accept: string): string | undefined {
  const types = Object.keys(media);
  const inOrder = [...types.filter(isJsonType), ...types.filter((type) => !isJsonType(type))];
  const ranges = accept
    .split(',')
    .map((range) => ({ type: bareType(range), quality: Number(/;\s*q=([\d.]+)/i.exec(range)?.[1] ?? 1) }))
    .filter(({ type }) => type !== '')
    .sort((one, other) => other.quality - one.quality);
  const unwanted = ranges.filter(({ quality }) => quality === 0).map(({ type }) => type);
  for (const { type } of ranges.filter(({ quality }) => quality > 0)) {
    const found = inOrder.find((one) => isWithin(bareType(one), type) && !unwanted.includes(bareType(one)));
    if (found !== undefined) return found;
  }
  return inOrder[0];
}

function isWithin(type: string, range: string): boolean {
  return range === '*/*' || type === range || (range.endsWith('/*') && type.startsWith(range.slice(0, -1)));
}

/** The example of one of the names; else one that tells of this status; else the first, unless it is of another error of the same range. */
export function chosenExample(
  { examples }: DocumentedMedia,
  names: readonly string[],
  { response, status }: { readonly response: DocumentedResponse; readonly status: number },
): Example | undefined {
  const isOfRange = status >= 400 && !/^\d+$/.test(response.name);
  return (
    examples.find(({ name }) => name !== undefined && names.includes(name)) ??
    examples.find(({ value }) => toldStatus(value) === status) ??
    (isOfRange ? undefined : examples[0])
  );
}
