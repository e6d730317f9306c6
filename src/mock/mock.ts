import type { Contract } from '../openapi/contract.ts';
import { getNode, isNode, resolvePointer } from '../openapi/document.ts';
import {
  bareType,
  type DocumentedMedia,
  type DocumentedResponse,
  type Example,
  isJsonType,
} from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import type { RawInput } from '../openapi/validate-request.ts';
import type { ResponseToVerify } from '../openapi/verify-response.ts';
import { createRandom, toSeed } from '../util/random.ts';
import { chosenExample, chosenResponse, chosenType, toldStatus, type Wish } from './choose-response.ts';
import { createGenerator, EndlessSchemaError } from './generate.ts';
import { namesOf } from './pair-examples.ts';
import { describingStatus, headersOfStatus, methodsAt, statusProblem, withoutOtherPath } from './status-problem.ts';
import { asXml } from './xml.ts';

/** A schema that no value could be made for: `message` names the place. */
export class MockError extends Error {
  override readonly name = 'MockError';
}

/** Answers from the contract alone. */
export interface Mock {
  /** The answer to a request. `accept`: its Accept header. Throws a `InvalidPreferenceError` for a wish that the contract doesn't document. */
  answer(route: Route, input: RawInput, wish: Wish, accept: string): ResponseToVerify;
  /** A value for a field by its schema: the schema's default, else one that is made, the same for the same seed; undefined where there is none. */
  field(schema: string, seed: number): unknown;
}

/** What a body is for. */
interface Asked {
  readonly route: Route;
  readonly input: RawInput;
  readonly wish: Wish;
  readonly status: number;
  /** The media type, without parameters. */
  readonly type: string;
}

/** The media type of problem documents, which tell the status of their answer. */
const PROBLEM_TYPE = 'application/problem+json';

/** With how many seeds a value is made before there is said to be none. */
const TRIES = 30;

/** The mock of a contract: examples where it has them, values by its schemas where it hasn't or where these are wished for. All that it gives holds. */
export function createMock(contract: Contract): Mock {
  const generate = createGenerator(contract.plain);

  /** A value that holds: with a chance that a further try has another way out of, in the end of what must be there alone. */
  function made(schema: string, seed: number, query: RawInput['query'], usesExamples: boolean): unknown {
    const node = getNode(contract.plain, schema);
    for (let time = 0; time < TRIES; time++) {
      const making = {
        random: createRandom(seed + time * 7_919),
        query,
        usesExamples: usesExamples && time === 0,
        isBare: time > TRIES / 2,
      };
      const value = attempted(() => generate(node, making));
      if (contract.holds(schema, value)) return value;
    }
    throw new MockError(`no value was found that holds by the schema at #${schema}: give it an example`);
  }

  /** The example, where there is one that holds and no other body is wished for; else a body that is made. */
  function bodyOf(
    media: DocumentedMedia,
    example: Example | undefined,
    { route, input, wish, status, type }: Asked,
  ): unknown {
    const { schema } = media;
    if (example && !wish.dynamic) {
      const told = tellingStatus(contract, schema, example.value, status);
      const value = status === 405 ? withoutOtherPath(contract, schema, told) : told;
      if (schema === undefined || contract.holds(schema, value)) return value;
    }
    const isDescribed = status >= 400 && !wish.dynamic;
    const problem = statusProblem(status);
    if (isDescribed && type === PROBLEM_TYPE && (schema === undefined || contract.holds(schema, problem)))
      return problem;
    if (schema === undefined) return {};
    const [other] = media.examples;
    if (isDescribed && other && contract.holds(schema, other.value))
      return describingStatus(contract, schema, other.value, status);
    const seed = wish.seed ?? (wish.dynamic ? toSeed(JSON.stringify(input)) : toSeed(route.operationId));
    const value = made(schema, seed, input.query, !wish.dynamic);
    if (isDescribed) return describingStatus(contract, schema, value, status);
    return type === PROBLEM_TYPE ? tellingStatus(contract, schema, value, status) : value;
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
          ? made(schema, wish.seed ?? toSeed(name), {}, true)
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
      const chosen = media && chosenExample(media, names, { response, status });
      const own = headersOf(response, status, chosen, wish);
      const headers =
        status < 400 ? own : headersOfStatus(contract, methodsAt(contract, route), { response, status }, own);
      if (!media || type === undefined) return { status, headers };
      const contentType = concrete(type);
      const body = bodyOf(media, chosen, { route, input, wish, status, type: bareType(type) });
      return {
        status,
        headers: { ...headers, 'Content-Type': contentType },
        body: isJsonType(contentType) ? body : textOf(contentType, body),
      };
    },
    field(schema, seed) {
      const given = getNode(contract.plain, `${resolvePointer(contract.plain, schema)}/default`);
      if (given !== undefined && contract.holds(schema, given)) return given;
      try {
        return made(schema, seed, {}, false);
      } catch (error) {
        if (error instanceof MockError) return undefined;
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
    if (error instanceof EndlessSchemaError) return undefined;
    throw error;
  }
}

/** A body with the status of its answer, where it tells one (RFC 9457, section 3.1.3) and where that holds. */
function tellingStatus(contract: Contract, schema: string | undefined, body: unknown, status: number): unknown {
  if (!isNode(body) || (toldStatus(body) ?? status) === status) return body;
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
