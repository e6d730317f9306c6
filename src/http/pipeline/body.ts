import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type * as CoBody from 'co-body';
import { findMediaType, isJsonType, isParsedType, removeTypeParameters } from '../../openapi/media-types.ts';
import { isXmlType } from '../../openapi/xml.ts';
import { findInexactIntegers, type InexactInteger } from '../../util/exact-numbers.ts';
import { hasTooManyValues, MAX_JSON_VALUES } from '../../util/json-limits.ts';
import { MAX_BODY_BYTES } from '../../util/limits.ts';
import { loadPackage } from '../../util/load-package.ts';
import { MULTIPART_TYPE } from '../../util/request-target.ts';
import { HttpProblemError } from '../problem.ts';
import { type BodyError, createBodyTooLarge, findTypeProblem, toProblem } from './body-problems.ts';
import { parseMultipart } from './multipart.ts';
import { hasSmallBody, receiveSmallText } from './small-body.ts';

/** The maximum size in bytes of a form with files. Also the maximum size of a body that the operation ignores. */
const MAX_IGNORED_BODY_BYTES = 10_000_000;

/**
 * Options of co-body. `limit`: the maximum size of a decompressed body, in bytes. Use only constant objects: creating an object for each request takes longer
 * than reading a body.
 */
export interface BodyOptions {
  readonly limit: number;
  readonly returnRawBody: true;
  /** The rules for parsing the fields of a form. */
  readonly queryString?: {
    readonly allowDots: boolean;
    readonly arrayLimit: number;
    readonly throwOnLimitExceeded: boolean;
  };
}

/**
 * The maximum number of fields in a form (`arrayLimit` of the package qs). By default, qs converts more than 20 fields with the same name to an object instead
 * of an array.
 */
const MAX_FIELDS = 1_000;

/** The default options. `allowDots` is false, because the contract can document a form field with a dot in its name, such as `address.city`. */
const DEFAULT_OPTIONS: BodyOptions = {
  limit: MAX_BODY_BYTES,
  returnRawBody: true,
  queryString: { allowDots: false, arrayLimit: MAX_FIELDS, throwOnLimitExceeded: true },
};

/** The options for a form with files. With the encoding `null`, co-body returns bytes. */
const MULTIPART_OPTIONS = {
  limit: MAX_IGNORED_BODY_BYTES,
  returnRawBody: true,
  encoding: null,
} as unknown as BodyOptions;

/** The body of a request. */
interface RequestBody {
  /** The parsed value. Undefined if the body is empty, or if it is neither JSON nor a form. */
  readonly body: unknown;
  /** The media type in the contract that matches the `Content-Type` of the request. */
  readonly contentType?: string | undefined;
  /** The integers in a JSON body that JavaScript can't represent. */
  readonly inexact?: readonly InexactInteger[];
}

/** Loads the package co-body when the first request with a body arrives. */
const loadBodyParser = () => loadPackage<typeof CoBody>('co-body');

const NO_BODY: Promise<RequestBody> = Promise.resolve({ body: undefined });

/** Reads the body of one request. Several calls of `read` read the body only once. */
export class BodyReader {
  /** The received text of the body; undefined if no text was received. */
  text: string | undefined;
  #body: Promise<RequestBody> | undefined;

  constructor(private readonly req: IncomingMessage) {}

  /** Whether the request has a body. */
  get isSent(): boolean {
    return hasBody(this.req.headers);
  }

  /**
   * Receives the whole request and returns its body. `mediaTypes`: the media types that the operation accepts. Parses only JSON and forms; XML is in `text`. Discards other
   * bodies, and all bodies if `mediaTypes` is empty. Throws an `HttpProblemError` if the body is invalid or incomplete. Further calls return the same body.
   */
  read(mediaTypes: readonly string[], options: BodyOptions = DEFAULT_OPTIONS): Promise<RequestBody> {
    if (!this.isSent) return NO_BODY;
    this.#body ??= this.#receive(mediaTypes, options);
    return this.#body;
  }

  /**
   * Receives the text of the body without parsing it. A later call of `read` parses this text. With the two steps, a caller can limit receiving and parsing
   * separately. `receive`: receives and decompresses the body. Throws an `HttpProblemError` if the body cannot be received.
   */
  async receiveText(receive: (req: IncomingMessage) => Promise<string>, options: BodyOptions): Promise<string> {
    try {
      this.text = await receive(this.req);
      return this.text;
    } catch (error) {
      throw this.#toProblemError(error, options);
    }
  }

  async #receive(mediaTypes: readonly string[], options: BodyOptions): Promise<RequestBody> {
    const contentType = mediaTypes.length === 0 ? undefined : getContentType(this.req, mediaTypes);
    if (contentType !== undefined && removeTypeParameters(contentType) === MULTIPART_TYPE)
      return this.#readMultipart(contentType);
    try {
      if (contentType !== undefined && isXmlType(contentType)) {
        // The caller parses the text, because this needs the schema.
        this.text ??= await this.#receiveText(options);
        return { body: undefined, contentType };
      }
      if (contentType === undefined || !isParsedType(contentType)) return await this.#ignore(contentType);
      if (!isJsonType(contentType)) return await this.#readForm(options, contentType);
      this.text ??= await this.#receiveText(options);
      return { body: parseJson(this.text), contentType, inexact: findInexactIntegers(this.text) };
    } catch (error) {
      throw this.#toProblemError(error, options);
    }
  }

  #receiveText(options: BodyOptions): Promise<string> {
    return hasSmallBody(this.req, options.limit) ? receiveSmallText(this.req) : this.#receiveLargeText(options);
  }

  async #receiveLargeText(options: BodyOptions): Promise<string> {
    this.#normalizeEncoding();
    const { raw } = await loadBodyParser().text(this.req, options);
    return raw;
  }

  async #readForm(options: BodyOptions, contentType: string): Promise<RequestBody> {
    this.#normalizeEncoding();
    const { parsed, raw } = await loadBodyParser().form(this.req, options);
    this.text = raw;
    return { body: raw === '' ? undefined : parsed, contentType };
  }

  /** Reads a form with files (`multipart/form-data`). Sets `text` to the parsed form as JSON, which the journal shows. */
  async #readMultipart(contentType: string): Promise<RequestBody> {
    this.#normalizeEncoding();
    try {
      const { raw } = await loadBodyParser().text(this.req, MULTIPART_OPTIONS);
      const body = await parseMultipart(raw as unknown as Buffer, this.req.headers['content-type'] ?? '');
      this.text = JSON.stringify(body);
      return { body, contentType };
    } catch (error) {
      throw this.#toProblemError(error, MULTIPART_OPTIONS);
    }
  }

  /** Receives a body and discards it. Throws an `HttpProblemError` if the body has more than 10 MB. */
  async #ignore(contentType: string | undefined): Promise<RequestBody> {
    let bytes = 0;
    // An error in this loop must not close the connection, because the client still has to receive the problem document.
    for await (const chunk of this.req.iterator({ destroyOnReturn: false })) {
      bytes += chunk.length;
      if (bytes > MAX_IGNORED_BODY_BYTES) throw new HttpProblemError(createBodyTooLarge(MAX_IGNORED_BODY_BYTES));
    }
    return { body: undefined, contentType };
  }

  /**
   * Converts the `Content-Encoding` header to lower case, because co-body accepts only lower case. The header is case-insensitive (RFC 9110, section 8.4.1).
   */
  #normalizeEncoding(): void {
    const { headers } = this.req;
    const encoding = headers['content-encoding'];
    if (encoding) headers['content-encoding'] = encoding.toLowerCase();
  }

  /** Converts an error to an `HttpProblemError`. The error occurred while a body was received or parsed. */
  #toProblemError(error: unknown, { limit }: BodyOptions): HttpProblemError {
    // The rest of the body must be received and discarded, because the next request on the connection follows it.
    this.req.unpipe().resume();
    const { body } = error as BodyError;
    if (typeof body === 'string') this.text = body;
    return error instanceof HttpProblemError ? error : new HttpProblemError(toProblem(error as BodyError, limit));
  }
}

/**
 * Returns the media type in the contract that matches the `Content-Type` of a request. If the contract has a range such as `text/*`, returns the `Content-Type`
 * itself. Throws an `HttpProblemError` if the operation does not accept the type.
 */
function getContentType({ headers }: IncomingMessage, mediaTypes: readonly string[]): string | undefined {
  const sent = headers['content-type'];
  const documented = findMediaType(mediaTypes, sent ?? '');
  const contentType = documented?.includes('*') ? removeTypeParameters(sent ?? '') : documented;
  const problem = findTypeProblem(sent, contentType, mediaTypes);
  if (problem) throw new HttpProblemError(problem);
  return contentType;
}

/**
 * Parses a JSON body. Returns undefined if the body is empty. Throws a `SyntaxError` if the body is not JSON, and an `HttpProblemError` if the body has too
 * many values.
 */
function parseJson(json: string): unknown {
  if (json === '') return undefined;
  if (!hasTooManyValues(json)) return JSON.parse(json);
  const detail = `the body has more than ${MAX_JSON_VALUES} objects, arrays, properties and array items: send a smaller body`;
  throw new HttpProblemError({ code: 'body-too-large', detail });
}

/** Returns whether the headers of a request announce a body of at least one byte (RFC 9112, section 6.3). */
export function hasBody(headers: IncomingHttpHeaders): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && Number(length) > 0);
}
