import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type * as FastifyBusboy from '@fastify/busboy';
import type { Context, Middleware } from 'koa';
import type bodyParser from 'koa-bodyparser';
import type { ControlId } from '../control/operation.ts';
import { nestFields } from '../openapi/form-body.ts';
import {
  findMediaType,
  isFormBody,
  isJsonType,
  isParsedType,
  isXmlType,
  removeTypeParameters,
} from '../openapi/media-types.ts';
import { isXmlSchema } from '../openapi/xml/xml-schema.ts';
import { JsonParser } from '../store/json-parser.ts';
import { findInexactIntegers, hasTooManyValues, MAX_BODY_BYTES, MAX_JSON_VALUES, MEGABYTE } from '../util/limits.ts';
import { loadPackage } from '../util/load-package.ts';
import { type HttpProblem, HttpProblemError } from '../util/problem.ts';
import { FORM_TYPE, JSON_TYPE, MULTIPART_TYPE } from '../util/request-target.ts';
import { runAtOnce, runInSlices } from '../util/slices.ts';
import type { Exchange, ReceivedBody } from './exchange.ts';

/** The maximum size in bytes of a form with files. Also the maximum size of a body that the operation ignores. */
const MAX_IGNORED_BODY_BYTES = 10_000_000;

/**
 * The maximum size of a request body with a state, in bytes.
 * A patch of the state, and a text that is not JSON, are parsed at once, which takes about 100 ms for 16 MB.
 */
const MAX_STATE_BYTES = 16 * MEGABYTE;

/** The operations of the control API whose request bodies can be as large as a state. */
const STATE_OPERATIONS: readonly string[] = ['putState', 'patchState'] satisfies readonly ControlId[];

/** Returns whether the headers of a request announce a body of at least one byte (RFC 9112, section 6.3). */
export function hasBody(headers: IncomingHttpHeaders): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && Number(length) > 0);
}

/**
 * Receives the whole request and returns its body.
 * Parses JSON, forms and XML, and discards other bodies.
 * Throws an `HttpProblemError` if the body is invalid or incomplete.
 */
export async function receiveBody(exchange: Exchange): Promise<ReceivedBody> {
  const { ctx, route } = exchange;
  if (!hasBody(exchange.headers)) return { body: undefined };
  const { req } = ctx;
  const mediaTypes = Object.keys(route?.bodyMedia ?? {});
  const contentType = mediaTypes.length === 0 ? undefined : getContentType(req, mediaTypes);
  const type = contentType && removeTypeParameters(contentType);
  const isState = exchange.api === 'control' && takesLargeState(exchange);
  const limit = isState ? MAX_STATE_BYTES : type === MULTIPART_TYPE ? MAX_IGNORED_BODY_BYTES : MAX_BODY_BYTES;
  try {
    const isJson = contentType !== undefined && isJsonType(contentType);
    if (contentType === undefined || !(isJson || isFormBody(contentType) || isXmlType(contentType))) {
      await discardBody(req);
      return { body: undefined, contentType };
    }
    if (type === MULTIPART_TYPE) return { body: await receiveMultipart(exchange), contentType };
    if (isState) return { ...(await receiveState(exchange)), contentType };
    const text = await receiveText(ctx);
    exchange.bodyText = text;
    if (isJson) return { body: parseJson(text), contentType, inexact: findInexactIntegers(text) };
    if (type === FORM_TYPE) return { body: parseForm(text), contentType };
    return { body: readXml(exchange, contentType), contentType };
  } catch (error) {
    // The rest of the body must be received and discarded, because the next request on the connection follows it.
    req.unpipe().resume();
    const { body } = error as BodyError;
    if (typeof body === 'string') exchange.bodyText = body;
    throw error instanceof HttpProblemError ? error : new HttpProblemError(toProblem(error as BodyError, limit));
  }
}

/**
 * Receives and decompresses a body with koa-bodyparser.
 * Returns the text, because the contract has rules for the text of JSON, such as exact integers, and schemas for XML
 * and forms.
 */
async function receiveText(ctx: Context): Promise<string> {
  const { headers } = ctx.req;
  // Content codings are case-insensitive (RFC 9110, section 8.4.1), but koa-bodyparser accepts only lower case.
  const encoding = headers['content-encoding'];
  if (encoding) headers['content-encoding'] = encoding.toLowerCase();
  bodyParserMiddleware ??= createBodyParser();
  await bodyParserMiddleware(ctx, DO_NOTHING);
  return ctx.request.rawBody;
}

const DO_NOTHING = async () => {};

let bodyParserMiddleware: Middleware | undefined;

/** Loads koa-bodyparser when the first request with a body arrives. */
function createBodyParser(): Middleware {
  const create = loadPackage<typeof bodyParser>('koa-bodyparser');
  return create({
    enableTypes: ['text'],
    // The caller has compared the type with the types that the contract documents.
    extendTypes: { text: ['*/*'] },
    textLimit: String(MAX_BODY_BYTES),
  } as bodyParser.Options);
}

/** Receives a body and discards it. Throws an `HttpProblemError` if the body has more than 10 MB. */
async function discardBody(req: IncomingMessage): Promise<void> {
  let bytes = 0;
  // An error in this loop must not close the connection, because the client still has to receive the problem document.
  for await (const chunk of req.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length;
    if (bytes > MAX_IGNORED_BODY_BYTES) throw new HttpProblemError(createBodyTooLarge(MAX_IGNORED_BODY_BYTES));
  }
}

/**
 * Returns whether a request to the control API has a state that is larger than the default limit.
 * Returns true if its length is unknown (`Transfer-Encoding`).
 */
function takesLargeState({ route, headers }: Exchange): boolean {
  if (!STATE_OPERATIONS.includes(route?.operationId ?? '')) return false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES;
}

/**
 * Receives a state for the control API.
 * Parses it when fewer than two requests with large states are handled, in slices between which the server handles
 * other requests.
 */
async function receiveState(exchange: Exchange): Promise<ReceivedBody> {
  const { app, ctx, releases } = exchange;
  const { bytes, release } = await app.largeBodies.receive(ctx.req, MAX_STATE_BYTES);
  releases.push(release);
  releases.push(await app.largeBodies.waitForTurn());
  const text = decodeText(bytes);
  exchange.bodyText = text;
  refuseTooManyValues(await runInSlices(hasTooManyValues(text)));
  try {
    return { body: await runInSlices(new JsonParser(bytes).parse()) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // `JsonParser` parses only objects that `JSON.parse` parses exactly, and does not say what is wrong with others.
    return { body: text === '' ? undefined : JSON.parse(text), inexact: findInexactIntegers(text) };
  }
}

const BYTE_ORDER_MARK = '\ufeff';

/** Decodes a body as UTF-8 without a byte order mark. */
function decodeText(bytes: Buffer): string {
  const text = bytes.toString();
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(BYTE_ORDER_MARK.length) : text;
}

/**
 * Receives a form with files (`multipart/form-data`), which koa-bodyparser does not support.
 * The journal shows the parsed form as JSON, in which large files have no content.
 */
async function receiveMultipart(exchange: Exchange): Promise<unknown> {
  const { app, ctx, releases, headers } = exchange;
  const { bytes, release } = await app.largeBodies.receive(ctx.req, MAX_IGNORED_BODY_BYTES);
  releases.push(release);
  const body = await parseMultipart(bytes, headers['content-type'] ?? '');
  exchange.bodyText = JSON.stringify(body, (_name, value: unknown) =>
    typeof value === 'string' && value.length > MAX_BODY_BYTES ? value.replace(FILE_CONTENT, '$1') : value,
  );
  return body;
}

/** Matches the `data:` URL of a file. */
const FILE_CONTENT = /^(data:[^,]*;size=\d+;base64,).*$/s;

/**
 * Parses the body of a `multipart/form-data` request (RFC 7578).
 * A file becomes a `data:` URL (RFC 2397) with its media type, name and size:
 * `data:image/png;name=cat.png;size=68;base64,iVBO…`.
 * A JSON part without a file name stays text.
 */
async function parseMultipart(body: Buffer, contentType: string): Promise<unknown> {
  const { Busboy } = loadPackage<typeof FastifyBusboy>('@fastify/busboy');
  const fields: (readonly [name: string, value: string])[] = [];
  let problem: HttpProblem | undefined;
  const refuse = (detail: string) => {
    problem ??= { code: 'body-too-large', detail };
  };
  await new Promise<void>((resolve, reject) => {
    const parser = new Busboy({
      headers: { 'content-type': contentType },
      limits: { parts: MAX_FIELDS, fieldSize: MAX_BODY_BYTES },
    });
    let textLength = 0;
    const countText = (length: number) => {
      textLength += length;
      if (textLength <= MAX_BODY_BYTES) return;
      refuse(`the body has more than ${MAX_BODY_BYTES} bytes of fields that are not files: send less text, or a file`);
    };
    parser.on('field', (name, value, _isNameCut, isCut) => {
      countText(isCut ? Number.POSITIVE_INFINITY : value.length);
      fields.push([name, value]);
    });
    parser.on('file', (name, stream, fileName, _encoding, type) => {
      if (name === undefined) return void stream.resume();
      // Reserves the position of the field, because the content arrives later.
      const index = fields.push([name, '']) - 1;
      const chunks: Buffer[] = [];
      stream.on('error', reject);
      const isText = isJsonText(fileName, type);
      stream.on('data', (chunk: Buffer) => {
        if (isText) countText(chunk.length);
        chunks.push(chunk);
      });
      stream.on('end', () => {
        fields[index] = [name, formatFile(fileName, type, Buffer.concat(chunks))];
      });
    });
    parser.on('partsLimit', () => refuse(`the body has more than ${MAX_FIELDS} parts: send fewer fields and files`));
    parser.on('error', reject);
    parser.on('finish', resolve);
    // In slices, because the parser goes on with what it has received after a limit is reached.
    for (let start = 0; start < body.length && !problem; start += SLICE_BYTES)
      parser.write(body.subarray(start, start + SLICE_BYTES));
    if (problem) resolve();
    else parser.end();
  });
  if (problem) throw new HttpProblemError(problem);
  return nestFields(fields);
}

/** The part of a multipart body that is parsed at a time, in bytes. */
const SLICE_BYTES = 64 * 1_024;

/** The maximum number of fields and files in a form. */
const MAX_FIELDS = 1_000;

/** The file name that a browser sends for a `Blob` without a name. */
const BLOB_NAME = 'blob';

function isFileName(name: string | undefined): name is string {
  return name !== undefined && name !== '' && name !== BLOB_NAME;
}

/** Returns whether a part with a media type is JSON in a field, and no file. */
function isJsonText(name: string | undefined, type: string): boolean {
  return !isFileName(name) && isJsonType(type);
}

/** Matches a media type without parameters (RFC 6838, section 4.2). */
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/;

function formatFile(name: string | undefined, type: string, content: Buffer): string {
  if (isJsonText(name, type)) return content.toString();
  const isNamed = isFileName(name);
  const own = MEDIA_TYPE.test(type) ? type : 'application/octet-stream';
  const parameters = [own, ...(isNamed ? [`name=${encodeURIComponent(name)}`] : []), `size=${content.length}`];
  return `data:${parameters.join(';')};base64,${content.toString('base64')}`;
}

/**
 * Returns the value that the schema describes for a body in XML.
 * Returns undefined for an empty body, and for a schema that describes neither an object nor an array.
 * Throws an `HttpProblemError` if the text is not well-formed, or if it has another root element.
 */
function readXml({ contract, route, bodyText = '' }: Exchange, contentType: string): unknown {
  const schema = route?.bodyMedia[contentType]?.schema;
  if (bodyText === '' || schema === undefined || !isXmlSchema(contract.normalized, schema)) return undefined;
  try {
    return contract.parseXmlBody(schema, bodyText);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const detail = `the body is not the expected XML: ${error.message}`;
    throw new HttpProblemError({ code: 'malformed-request', detail });
  }
}

/**
 * Parses a form of the type `application/x-www-form-urlencoded`.
 * Returns undefined if the form is empty.
 * Throws an `HttpProblemError` if the form has too many fields.
 */
function parseForm(text: string): unknown {
  if (text === '') return undefined;
  const fields = [...new URLSearchParams(text)];
  if (fields.length > MAX_FIELDS)
    throw new HttpProblemError({
      code: 'body-too-large',
      detail: `the body has more than ${MAX_FIELDS} fields: send fewer fields`,
    });
  return nestFields(fields);
}

/**
 * Parses a JSON body.
 * Returns undefined if the body is empty.
 * Throws a `SyntaxError` if the body is not JSON, and an `HttpProblemError` if the body has too many values.
 */
function parseJson(json: string): unknown {
  if (json === '') return undefined;
  // A shorter text can't have as many values.
  if (json.length > MAX_JSON_VALUES) refuseTooManyValues(runAtOnce(hasTooManyValues(json)));
  return JSON.parse(json);
}

function refuseTooManyValues(isRefused: boolean): void {
  if (!isRefused) return;
  const detail = `the body has more than ${MAX_JSON_VALUES} objects, arrays, properties and array items: send a smaller body`;
  throw new HttpProblemError({ code: 'body-too-large', detail });
}

/** The accepted values of `charset`. JSON is always UTF-8 (RFC 8259, section 8.1), and ASCII text is also UTF-8. */
const CHARSETS = ['utf-8', 'utf8', 'us-ascii'];

/**
 * Returns the media type in the contract that matches the `Content-Type` of a request.
 * If the contract has a range such as `text/*`, returns the `Content-Type` itself.
 * Throws an `HttpProblemError` if the operation does not accept the type.
 */
function getContentType({ headers }: IncomingMessage, mediaTypes: readonly string[]): string {
  const sent = headers['content-type'];
  const documented = findMediaType(mediaTypes, sent ?? '');
  const contentType = documented?.includes('*') ? removeTypeParameters(sent ?? '') : documented;
  const charset = /;\s*charset="?([^\s;"]*)/i.exec(sent ?? '')?.[1]?.toLowerCase();
  const isReadable =
    charset === undefined ||
    CHARSETS.includes(charset) ||
    !(isParsedType(contentType ?? '') || isXmlType(contentType ?? ''));
  if (sent !== undefined && contentType !== undefined && isReadable) return contentType;
  const body = isReadable ? 'the body' : 'the body in UTF-8';
  const expected = mediaTypes.every(isJsonType) ? 'JSON in UTF-8' : body;
  throw new HttpProblemError(createTypeProblem(sent, `${expected} with Content-Type ${mediaTypes.join(' or ')}`));
}

/**
 * Throws an `HttpProblemError` if the body of a request to the control API is not JSON.
 * This prevents CSRF attacks with forms, because browsers send forms to other sites without a preflight request.
 */
export function refuseForms({ method, headers }: Exchange): void {
  const contentType = headers['content-type'];
  if (!['PUT', 'POST', 'PATCH'].includes(method) || !hasBody(headers)) return;
  if (/^application\/json\b/i.test(contentType ?? '')) return;
  throw new HttpProblemError(createTypeProblem(contentType, `JSON with Content-Type ${JSON_TYPE}`));
}

/**
 * Creates the error response with status 415.
 * `sent`: the `Content-Type` of the request.
 * `expected`: what to send instead.
 */
function createTypeProblem(sent: string | undefined, expected: string): HttpProblem {
  const received = sent === undefined ? 'the body has no content type' : `the content type is ${JSON.stringify(sent)}`;
  return { code: 'unsupported-media-type', detail: `${received}: send ${expected}` };
}

function createBodyTooLarge(limitBytes: number): HttpProblem {
  return { code: 'body-too-large', detail: `the body exceeds the limit of ${limitBytes} bytes: send a smaller body` };
}

/** An error of koa-bodyparser, or of a stream that decompresses a body. */
interface BodyError extends Error {
  readonly status?: number;
  /** The text of a form that can't be parsed. */
  readonly body?: unknown;
}

/** `limitBytes`: the maximum size of the body, in bytes. */
function toProblem(error: BodyError, limitBytes: number): HttpProblem {
  if (error.status === 413) return createBodyTooLarge(limitBytes);
  if (error.status === 415)
    return {
      code: 'unsupported-media-type',
      detail: `${error.message}: send UTF-8 text, uncompressed or compressed with gzip, deflate or br`,
    };
  // The message of V8 contains a part of the body, which can be secret.
  const reason = error.message.replace(/, (?:\.\.\.)?"[\s\S]*" is not valid JSON$/, '');
  if (error instanceof SyntaxError) return { code: 'malformed-json', detail: `the body is not JSON: ${reason}` };
  return { code: 'malformed-request', detail: `the body can't be read: ${error.message}` };
}
