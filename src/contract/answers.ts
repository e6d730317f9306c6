import type { ErrorObject } from 'ajv';
import type { Document } from 'openapi-backend';
import { at, isNode, pointerTo, settledPointer } from './document.ts';
import type { Route } from './routes.ts';
import type { SchemaJudge } from './schemas.ts';
import { onePerPlace } from './violations.ts';

/** An answer, before it goes out. */
export interface PlainAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined where there is none. */
  readonly body?: unknown;
}

/** A response of the contract, with what is asked of it for every answer. */
interface DocumentedResponse {
  /** JSON Pointers of the body's schemas by media type; undefined where the response has no body. */
  readonly schemas: Readonly<Record<string, string>> | undefined;
  readonly headers: readonly DocumentedHeader[];
  /** The first example of its JSON body. */
  readonly example: unknown;
}

interface DocumentedHeader {
  readonly name: string;
  readonly isRequired: boolean;
  /** Whether its text is to be read as a number. */
  readonly isNumber: boolean;
  /** JSON Pointer of its schema. */
  readonly schema: string;
  readonly example: unknown;
}

/** Judges answers by the contract, and gives those that it has as examples. */
export function createAnswerJudge(document: Document, judge: SchemaJudge) {
  const responses = new Map<string, DocumentedResponse | undefined>();

  /** The response to a status, documented itself or as a range; undefined where the operation documents neither. */
  function responseTo({ pointer }: Route, status: number): DocumentedResponse | undefined {
    const key = `${status} ${pointer}`;
    if (!responses.has(key)) responses.set(key, documentedResponse(document, `${pointer}/responses`, status));
    return responses.get(key);
  }

  return {
    /** How an answer breaks the contract, a sentence each: status, media type, body and headers. Empty where it keeps it. */
    verify(route: Route, answer: PlainAnswer): readonly string[] {
      const response = responseTo(route, answer.status);
      if (!response) return [`status ${answer.status} is not documented`];
      return [...bodyTroubles(judge, response, answer), ...headerTroubles(judge, response, answer)];
    },

    /** The answer that the contract gives as the first example of an operation's success. */
    example(route: Route): PlainAnswer {
      const response = responseTo(route, route.successStatus);
      const headers = (response?.headers ?? []).filter(({ example }) => example !== undefined);
      return {
        status: route.successStatus,
        headers: Object.fromEntries(headers.map(({ name, example }) => [name, String(example)])),
        body: response?.example,
      };
    },
  };
}

function documentedResponse(document: Document, responses: string, status: number): DocumentedResponse | undefined {
  const names = [`${status}`, `${Math.floor(status / 100)}XX`];
  const documented = names.find((name) => isNode(at(document, `${responses}/${name}`)));
  if (documented === undefined) return undefined;
  const pointer = settledPointer(document, `${responses}/${documented}`);
  const content = at(document, `${pointer}/content`);
  const schemas = Object.keys(content ?? {}).map((type) => [type, `${pointer}${pointerTo('content', type, 'schema')}`]);
  const headers = at(document, `${pointer}/headers`);
  return {
    schemas: content === undefined ? undefined : Object.fromEntries(schemas),
    headers: Object.keys(headers ?? {}).map((name) => documentedHeader(document, `${pointer}/headers`, name)),
    example: exampleIn(at(document, `${pointer}/content/application~1json`)),
  };
}

function documentedHeader(document: Document, headers: string, name: string): DocumentedHeader {
  const pointer = settledPointer(document, `${headers}${pointerTo(name)}`);
  return {
    name,
    isRequired: at(document, `${pointer}/required`) === true,
    isNumber: /^(integer|number)$/.test(String(at(document, `${pointer}/schema/type`))),
    schema: `${pointer}/schema`,
    example: exampleIn(at(document, pointer)),
  };
}

function bodyTroubles(judge: SchemaJudge, { schemas }: DocumentedResponse, answer: PlainAnswer): readonly string[] {
  if (!schemas) return answer.body === undefined ? [] : ['a body is not documented'];
  const type = headerOf(answer, 'Content-Type');
  const schema = type === undefined ? undefined : schemas[type];
  return schema === undefined
    ? [`content type ${type} is not documented`]
    : described('body', judge(schema, answer.body));
}

function headerTroubles(judge: SchemaJudge, { headers }: DocumentedResponse, answer: PlainAnswer): readonly string[] {
  return headers.flatMap(({ name, isRequired, isNumber, schema }) => {
    const value = headerOf(answer, name);
    if (value === undefined) return isRequired ? [`header ${name} is missing`] : [];
    return described(`header ${name}`, judge(schema, isNumber ? Number(value) : value));
  });
}

/** A header of an answer, whatever the case in which its name is written. */
function headerOf({ headers }: PlainAnswer, name: string): string | undefined {
  return headers[name] ?? Object.entries(headers).find(([other]) => other.toLowerCase() === name.toLowerCase())?.[1];
}

function described(what: string, errors: readonly ErrorObject[]): readonly string[] {
  return [...onePerPlace(errors)].map(([place, { message }]) => `${what}${place} ${message}`);
}

/** The first example of a media type or header: `example`, or the first of `examples`. */
function exampleIn(holder: unknown): unknown {
  if (!isNode(holder)) return undefined;
  if (holder.example !== undefined) return holder.example;
  const [first] = isNode(holder.examples) ? Object.values(holder.examples) : [];
  return isNode(first) ? first.value : undefined;
}
