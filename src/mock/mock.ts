import type { PlainAnswer } from '../contract/answers.ts';
import type { Contract } from '../contract/contract.ts';
import { at, isNode, settledPointer } from '../contract/document.ts';
import type { RawInput } from '../contract/requests.ts';
import {
  bareType,
  type DocumentedMedia,
  type DocumentedResponse,
  type Example,
  isJsonType,
  responseTo,
} from '../contract/responses.ts';
import type { Route } from '../contract/routes.ts';
import { createGenerator, EndlessSchema } from './generate.ts';
import { namesOf } from './pairing.ts';
import { randomFrom, seedOf } from './random.ts';
import { asXml } from './xml.ts';

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
export class WishFault extends Error {
  override readonly name = 'WishFault';

  constructor(
    readonly wish: 'code' | 'example',
    message: string,
  ) {
    super(message);
  }
}

/** A schema that no value could be made for: `message` names the place. */
export class MockFault extends Error {
  override readonly name = 'MockFault';
}

/** Answers from the contract alone. */
export interface Mock {
  /** The answer to a request. `accept`: its Accept header. Throws a `WishFault` for a wish that the contract doesn't document. */
  answer(route: Route, input: RawInput, wish: Wish, accept: string): PlainAnswer;
  /** A value for a field by its schema: the schema's default, else one that is made, the same for the same seed; undefined where there is none. */
  field(schema: string, seed: number): unknown;
}

/** With how many seeds a value is made before there is said to be none. */
const TRIES = 30;

/** The mock of a contract: examples where it has them, values by its schemas where it hasn't or where these are wished for. All that it gives holds. */
export function createMock(contract: Contract): Mock {
  const generate = createGenerator(contract.plain);

  /** A value that holds: with a chance that a further try has another way out of, in the end of what must be there alone. */
  function made(schema: string, seed: number, query: RawInput['query'], usesExamples: boolean): unknown {
    const node = at(contract.plain, schema);
    for (let time = 0; time < TRIES; time++) {
      const making = {
        random: randomFrom(seed + time * 7_919),
        query,
        usesExamples: usesExamples && time === 0,
        isBare: time > TRIES / 2,
      };
      const value = attempted(() => generate(node, making));
      if (contract.holds(schema, value)) return value;
    }
    throw new MockFault(`no value was found that holds by the schema at #${schema}: give it an example`);
  }

  function bodyOf(
    media: DocumentedMedia,
    example: Example | undefined,
    wish: Wish,
    route: Route,
    input: RawInput,
  ): unknown {
    if (example && !wish.dynamic) return example.value;
    if (media.schema === undefined) return {};
    const seed = wish.seed ?? (wish.dynamic ? seedOf(JSON.stringify(input)) : seedOf(route.operationId));
    return made(media.schema, seed, input.query, !wish.dynamic);
  }

  function headersOf(
    { headers }: DocumentedResponse,
    status: number,
    example: Example | undefined,
    wish: Wish,
  ): Readonly<Record<string, string>> {
    const given = headers.flatMap(({ name, isRequired: isAlways, schema, examples }) => {
      // Without it a client can't go where it is sent.
      const isRequired = isAlways || (name.toLowerCase() === 'location' && status >= 300 && status < 400);
      const own =
        examples.find((one) => one.name === undefined || one.name === example?.name) ??
        (isRequired ? examples[0] : undefined);
      const value = own
        ? own.value
        : isRequired && schema !== undefined
          ? made(schema, wish.seed ?? seedOf(name), {}, true)
          : undefined;
      return value === undefined ? [] : [[name, headerText(value)]];
    });
    return Object.fromEntries(given);
  }

  return {
    answer(route, input, wish, accept) {
      const names = wish.example === undefined ? namesOf(route, input) : [wish.example];
      const { response, status } = chosenResponse(route, wish, wish.dynamic ? [] : names);
      const type = chosenType(response, accept);
      const media = type === undefined ? undefined : response.media[type];
      const chosen = media && chosenExample(media, names, status);
      const headers = headersOf(response, status, chosen, wish);
      if (!media || type === undefined) return { status, headers };
      const made = bodyOf(media, fitting(contract, media, chosen, status), wish, route, input);
      const body = toldRightly(contract, media, bareType(type), made, status);
      const contentType = concrete(type);
      return {
        status,
        headers: { ...headers, 'Content-Type': contentType },
        body: isJsonType(contentType) ? body : textOf(contentType, body),
      };
    },
    field(schema, seed) {
      const given = at(contract.plain, `${settledPointer(contract.plain, schema)}/default`);
      if (given !== undefined && contract.holds(schema, given)) return given;
      try {
        return made(schema, seed, {}, false);
      } catch (error) {
        if (error instanceof MockFault) return undefined;
        throw error;
      }
    },
  };
}

/** What is made; undefined by a schema that never ends. */
function attempted(make: () => unknown): unknown {
  try {
    return make();
  } catch (error) {
    if (error instanceof EndlessSchema) return undefined;
    throw error;
  }
}

/** The response that is wished for; else that which has an example of the request's name, a success rather than another; else the success. */
function chosenResponse(route: Route, { code, example }: Wish, names: readonly string[]) {
  if (code !== undefined) {
    const response = responseTo(route.responses, code);
    if (!response)
      throw new WishFault(
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
  if (!response) throw new MockFault(`${route.operationId} documents no response`);
  return { response, status: route.successStatus };
}

function isSuccess({ name }: DocumentedResponse): boolean {
  return name.startsWith('2');
}

/** The status of an answer by a response: its own; of a range that which its example tells, else the first. */
function statusOf({ name, media }: DocumentedResponse, { successStatus }: Route, names: readonly string[]): number {
  if (/^\d+$/.test(name)) return Number(name);
  const examples = Object.values(media).flatMap(({ examples }) => examples);
  const told = toldStatus(examples.find((example) => names.includes(example.name ?? '')));
  if (told !== undefined && (name === 'default' || Math.floor(told / 100) === Number(name.charAt(0)))) return told;
  return name === 'default' ? successStatus : Number(name.replace('XX', '00'));
}

/** The status that an example tells of itself, as problem documents do (RFC 9457). */
function toldStatus(example: Example | undefined): number | undefined {
  const { status } = (example?.value ?? {}) as { status?: unknown };
  return typeof status === 'number' && Number.isInteger(status) && status >= 100 && status < 600 ? status : undefined;
}

function documentedCodes({ responses }: Route): string {
  return responses.map(({ name }) => (name === 'default' ? 'any code (default)' : name)).join(', ');
}

function exampleNames({ media }: DocumentedResponse): readonly string[] {
  return Object.values(media).flatMap(({ examples }) => examples.flatMap(({ name }) => name ?? []));
}

function unknownExample(route: Route, example: string, responses: readonly DocumentedResponse[]): WishFault {
  const names = [...new Set(responses.flatMap(exampleNames))];
  const remedy = names.length > 0 ? `use ${names.join(', ')}` : 'there are none';
  return new WishFault('example', `example=${example} is not documented for ${route.operationId}: ${remedy}`);
}

/** The media type that the client likes best; JSON where it doesn't care. */
function chosenType({ media }: DocumentedResponse, accept: string): string | undefined {
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

/** The example of one of the names; else one that tells of this status, else the first. */
function chosenExample({ examples }: DocumentedMedia, names: readonly string[], status: number): Example | undefined {
  return (
    examples.find(({ name }) => name !== undefined && names.includes(name)) ??
    examples.find((example) => toldStatus(example) === status) ??
    examples[0]
  );
}

/** An example as the answer of a status: one that tells of another one tells of this, where that holds. One that doesn't hold by its schema is none. */
function fitting(
  contract: Contract,
  { schema }: DocumentedMedia,
  example: Example | undefined,
  status: number,
): Example | undefined {
  const told = toldStatus(example);
  if (!example || schema === undefined) return example;
  const adapted = { ...example, value: { ...(example.value as object), status } };
  if (told !== undefined && told !== status && contract.holds(schema, adapted.value)) return adapted;
  return contract.holds(schema, example.value) ? example : undefined;
}

/** A problem document, which tells the status of its answer (RFC 9457, section 3.1.3), with this one; where that holds. */
function toldRightly(
  contract: Contract,
  { schema }: DocumentedMedia,
  type: string,
  body: unknown,
  status: number,
): unknown {
  if (type !== 'application/problem+json' || !isNode(body) || typeof body.status !== 'number') return body;
  const right = { ...body, status };
  return schema === undefined || contract.holds(schema, right) ? right : body;
}

/** A media type that an answer can have, of one that may be a range. */
function concrete(type: string): string {
  if (type === '*/*' || type === 'application/*') return 'application/json';
  return type.endsWith('/*') ? `${type.slice(0, -1)}plain` : type;
}

function headerText(value: unknown): string {
  const text = Array.isArray(value)
    ? value.join(',')
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value);
  return text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '');
}

/** A body that is no JSON, as text: what is a text stays, XML is written as such, all else as JSON. */
function textOf(type: string, body: unknown): string {
  if (typeof body === 'string') return body;
  return /[/+]xml$/.test(bareType(type)) ? asXml(body) : JSON.stringify(body);
}
