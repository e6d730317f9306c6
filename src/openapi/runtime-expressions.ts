import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { getNode } from './document.ts';

/** A request to an operation and its response, from which runtime expressions take their values. */
interface ExchangedMessages {
  /** The absolute URL of the request. */
  readonly url: string;
  readonly method: string;
  readonly status: number;
  readonly request: Message;
  readonly response: Message;
}

/** The parts of a message that an expression can name. The header names are in lower case. */
interface Message {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  readonly path?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Matches an expression in braces, such as `{$request.body#/callbackUrl}`. A JSON Pointer can contain no brace. */
const EMBEDDED = /\{(\$[^{}]+)\}/g;

/**
 * Evaluates a text with runtime expressions (OpenAPI, section Runtime Expressions), such as
 * `http://localhost/{$request.body#/id}` or `$request.body#/callbackUrl`.
 * Returns undefined if an expression is invalid or has no value.
 */
export function evaluateExpressions(text: string, messages: ExchangedMessages): string | undefined {
  if (text.startsWith('$')) return evaluate(text, messages);
  let isMissing = false;
  const evaluated = text.replaceAll(EMBEDDED, (_, expression: string) => {
    const value = evaluate(expression, messages);
    isMissing ||= value === undefined;
    return value ?? '';
  });
  return isMissing ? undefined : evaluated;
}

/** Returns whether the whole text is one expression, so that a request without a value asks for no callback. */
export function isWholeExpression(text: string): boolean {
  return /^(?:\$[^{}]+|\{\$[^{}]+\})$/.test(text);
}

function evaluate(expression: string, { url, method, status, request, response }: ExchangedMessages) {
  if (expression === '$url') return url;
  if (expression === '$method') return method;
  if (expression === '$statusCode') return String(status);
  const [, side, rest = ''] = /^\$(request|response)\.(.+)$/s.exec(expression) ?? [];
  if (side === undefined) return undefined;
  return readMessage(side === 'request' ? request : response, rest);
}

function readMessage({ headers, query = {}, path = {}, body }: Message, source: string): string | undefined {
  if (source === 'body') return toText(body);
  if (source.startsWith('body#')) return toText(getNode(body, decodePointer(source.slice('body#'.length))));
  const [, place, name = ''] = /^(header|query|path)\.(.+)$/s.exec(source) ?? [];
  if (place === 'header') return toText(headers[name.toLowerCase()]);
  const values = place === 'query' ? query : path;
  if (place === undefined || !Object.hasOwn(values, name)) return undefined;
  return toText([values[name]].flat()[0]);
}

/** Decodes a JSON Pointer in a URI fragment, which can be percent-encoded (RFC 6901, section 6). */
function decodePointer(pointer: string): string {
  return tryOrUndefined(() => decodeURIComponent(pointer)) ?? pointer;
}

/** Returns a value as text. Returns undefined for a missing value, null, an object and an array. */
function toText(value: unknown): string | undefined {
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined;
}
