import type { ErrorObject } from 'ajv';
import { bareType, type DocumentedResponse, isJsonType, mediaTypeFor, responseTo } from './responses.ts';
import type { Route } from './routes.ts';
import type { SchemaValidator } from './schema-validator.ts';
import { groupByPointer } from './violations.ts';

/** An answer, before it goes out. */
export interface ResponseToVerify {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined where there is none. */
  readonly body?: unknown;
}

/** What is done with an answer that breaks the contract: it is told of in the log, refused as a fault of the server, or let through unseen. */
export type VerifyMode = 'log' | 'strict' | 'off';

/** One way in which an answer breaks the contract. */
export interface ResponseViolation {
  /** Where: `status`, `content type`, `header NAME`, or `body` and a JSON Pointer into it. */
  readonly where: string;
  /** The rule that is broken: a keyword of JSON Schema, or `documented`. */
  readonly rule: string;
  /** Both, as a sentence. */
  readonly message: string;
}

/** How an answer to an operation breaks the contract: status, media type, body and headers. Empty where it keeps it. */
export function verifyResponse(
  judge: SchemaValidator,
  { responses }: Route,
  answer: ResponseToVerify,
): readonly ResponseViolation[] {
  const response = responseTo(responses, answer.status);
  if (!response) return [undocumented('status', `status ${answer.status} is not documented`)];
  return [...bodyBreaches(judge, response, answer), ...headerBreaches(judge, response, answer)];
}

function bodyBreaches(
  judge: SchemaValidator,
  { media }: DocumentedResponse,
  answer: ResponseToVerify,
): readonly ResponseViolation[] {
  const types = Object.keys(media);
  if (types.length === 0) return answer.body === undefined ? [] : [undocumented('body', 'a body is not documented')];
  const sent = headerOf(answer, 'Content-Type');
  const type = sent === undefined ? undefined : mediaTypeFor(types, sent);
  if (sent === undefined || type === undefined) {
    return [
      undocumented(
        'content type',
        sent === undefined ? 'no content type is given' : `content type ${sent} is not documented`,
      ),
    ];
  }
  const schema = media[type]?.schema;
  return schema === undefined || !isJsonType(bareType(sent)) ? [] : described('body', judge(schema, answer.body));
}

function headerBreaches(
  judge: SchemaValidator,
  { headers }: DocumentedResponse,
  answer: ResponseToVerify,
): readonly ResponseViolation[] {
  return headers.flatMap(({ name, isRequired, type, schema }) => {
    const where = `header ${name}`;
    const value = headerOf(answer, name);
    if (value === undefined) return isRequired ? [{ where, rule: 'required', message: `${where} is missing` }] : [];
    return schema === undefined || STRUCTURED.has(type) ? [] : described(where, judge(schema, read(value, type)));
  });
}

/** Types that a header writes in a way of its own. */
const STRUCTURED = new Set(['array', 'object']);

function read(text: string, type: string): unknown {
  if (type === 'integer' || type === 'number') return Number(text);
  return type === 'boolean' && /^(true|false)$/.test(text) ? text === 'true' : text;
}

/** A header of an answer, whatever the case in which its name is written. */
function headerOf({ headers }: ResponseToVerify, name: string): string | undefined {
  return headers[name] ?? Object.entries(headers).find(([other]) => other.toLowerCase() === name.toLowerCase())?.[1];
}

function described(what: string, errors: readonly ErrorObject[]): readonly ResponseViolation[] {
  return [...groupByPointer(errors)].map(([place, { keyword, message }]) => ({
    where: what + place,
    rule: keyword,
    message: `${what}${place} ${message}`,
  }));
}

function undocumented(where: string, said: string): ResponseViolation {
  return { where, rule: 'documented', message: said };
}
