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

/** Judges answers by the contract, and gives those that it has as examples. */
export function createAnswerJudge(document: Document, judge: SchemaJudge) {
  const responses = new Map<string, string | undefined>();

  /** Where the response to a status stands, itself or as a range; undefined where the operation documents none. */
  function responsePointer(route: Route, status: number): string | undefined {
    const key = `${status} ${route.pointer}`;
    if (!responses.has(key)) {
      const all = `${route.pointer}/responses`;
      const documented = [`${status}`, `${Math.floor(status / 100)}XX`].find((name) =>
        isNode(at(document, `${all}/${name}`)),
      );
      responses.set(key, documented && settledPointer(document, `${all}/${documented}`));
    }
    return responses.get(key);
  }

  return {
    /** How an answer breaks the contract, a sentence each: status, media type, body and headers. Empty where it keeps it. */
    verify(route: Route, { status, headers: anyCase, body }: PlainAnswer): readonly string[] {
      const response = responsePointer(route, status);
      if (!response) return [`status ${status} is not documented`];
      const headers = Object.fromEntries(Object.entries(anyCase).map(([name, value]) => [name.toLowerCase(), value]));
      return [
        ...bodyTroubles(document, judge, response, headers['content-type'], body),
        ...headerTroubles(document, judge, response, headers),
      ];
    },

    /** The answer that the contract gives as the first example of an operation's success. */
    example(route: Route): PlainAnswer {
      const response = responsePointer(route, route.successStatus) ?? '';
      const body = exampleIn(at(document, `${response}/content/application~1json`));
      const documented = Object.entries(at(document, `${response}/headers`) ?? {});
      const headers = documented.map(([name, header]) => [name, exampleIn(header)]);
      return {
        status: route.successStatus,
        headers: Object.fromEntries(headers.filter(([, value]) => value !== undefined)),
        body,
      };
    },
  };
}

function bodyTroubles(
  document: Document,
  judge: SchemaJudge,
  response: string,
  type: string | undefined,
  body: unknown,
): readonly string[] {
  const content = at(document, `${response}/content`);
  if (!isNode(content)) return body === undefined ? [] : ['a body is not documented'];
  if (type === undefined || !Object.hasOwn(content, type)) return [`content type ${type} is not documented`];
  return described('body', judge(`${response}${pointerTo('content', type, 'schema')}`, body));
}

function headerTroubles(
  document: Document,
  judge: SchemaJudge,
  response: string,
  headers: PlainAnswer['headers'],
): readonly string[] {
  const documented = Object.entries(at(document, `${response}/headers`) ?? {});
  return documented.flatMap(([name, header]) => {
    const value = headers[name.toLowerCase()];
    if (value === undefined) return isNode(header) && header.required === true ? [`header ${name} is missing`] : [];
    const pointer = `${response}${pointerTo('headers', name, 'schema')}`;
    const isNumber = /integer|number/.test(String(at(document, `${pointer}/type`)));
    return described(`header ${name}`, judge(pointer, isNumber ? Number(value) : value));
  });
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
