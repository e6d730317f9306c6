import type { Context } from 'koa';
import type { Contract } from '../../openapi/contract.ts';
import { isJsonType } from '../../openapi/responses.ts';
import type { Route } from '../../openapi/routes.ts';
import type { Remarks } from '../../sandbox/journal/journal.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { isBodilessStatus } from '../../util/bodiless-status.ts';
import { createProblemDocument, type HttpProblem, problemKinds } from '../problem.ts';
import { sendWithTransportFault, type TransportFault } from './faults.ts';

/** What is known of a request while it is answered. */
export interface Exchange {
  /** The sandbox that it is about. */
  sandbox: Sandbox | undefined;
  /** How the path named it, `/_sandbox/w3`; empty where it didn't. */
  prefix: string;
  /** The operation that was asked for, once it is found, and the contract that has it, where it is not the shop's. */
  route: Route | undefined;
  contract: Contract | undefined;
  /** When it came, in ms of the machine's running. */
  readonly begunMs: number;
  /** Whether it is one of the shop, for the journal. */
  isOfShop: boolean;
  /** What was wrong with the request or ignored in it, a sentence each. */
  notes: readonly string[];
  /** Its body, once somebody has begun to receive it. */
  body: Promise<RequestBody> | undefined;
  /** The text of its body, as far as it was read. */
  sent: string | undefined;
  /** What was wrong with it, place by place, and how its answer breaks the contract. */
  violations: Remarks['violations'];
  responseViolations: readonly string[] | undefined;
  /** What becomes of its answer on the wire; nothing unless forced. */
  wire: TransportFault | undefined;
  /** What was forced upon it, for the journal. */
  forced: Remarks['forced'];
  /** The answer, once it is made. */
  answer: ResponseData | undefined;
  /** The revision of the state that alone the answer is made of; undefined where it has other sources. */
  revision: number | undefined;
}

/** The body of a request: what it holds, where it is of JSON or a form, and the media type of the contract that it is of. */
export interface RequestBody {
  readonly body: unknown;
  readonly contentType?: string | undefined;
}

/** An answer as data; its body is to become JSON unless it is a text of another media type, undefined where there is none. */
export interface ResponseData {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** The exchange of a request: one and the same for all that handle it. */
export function getExchange({ state }: Pick<Context, 'state'>): Exchange {
  state.exchange ??= begun();
  return state.exchange;
}

/** All of it is there from the beginning: an object that grows takes longer than all that is put into it. */
function begun(): Exchange {
  return {
    sandbox: undefined,
    prefix: '',
    route: undefined,
    contract: undefined,
    begunMs: performance.now(),
    isOfShop: false,
    notes: [],
    body: undefined,
    sent: undefined,
    violations: undefined,
    responseViolations: undefined,
    wire: undefined,
    forced: undefined,
    answer: undefined,
    revision: undefined,
  };
}

/** Bare, without a charset: JSON has none (RFC 8259), and dredd compares the text with the contract's. */
export const JSON_TYPE = 'application/json';
const PROBLEM_TYPE = 'application/problem+json';

/** An answer that all went well. */
export function createResponse({
  status,
  headers = {},
  body,
}: Partial<ResponseData> & { status: number }): ResponseData {
  if (body !== undefined) return { status, headers: { 'Content-Type': JSON_TYPE, ...headers }, body };
  const { 'Content-Type': _, ...others } = headers;
  return { status, headers: others };
}

/** The problem document of a fault, as the answer to a request for `path`. */
export function createProblemResponse(fault: HttpProblem, path: string): ResponseData {
  return {
    status: problemKinds[fault.code].status,
    headers: { ...fault.headers, 'Content-Type': PROBLEM_TYPE },
    body: createProblemDocument(fault, path),
  };
}

/** An answer of JSON that somebody opens by itself may load nothing and be framed by nobody. */
const NO_DOCUMENT = "default-src 'none'; frame-ancestors 'none'";

/** Settles how a request is answered; it is written once all who look at answers have done so. */
export function setResponse(ctx: Context, answer: ResponseData): void {
  getExchange(ctx).answer = answer;
}

/**
 * Writes an answer and gives back the text of its body; undefined where the client was answered otherwise meanwhile. Nothing on the way is to keep it:
 * it would be an old one soon. To Node's response, past Koa's: this is done for every request, and Koa's way costs more than all else here.
 */
export function writeResponse(ctx: Context, response: ResponseData): string | undefined {
  const { status, headers, body } = isBodilessStatus(response.status) ? withoutBody(response) : response;
  const { req, res } = ctx;
  // Node's parser may have found fault with the rest of the request; the client was told then.
  if (res.headersSent) return undefined;
  const text = body === undefined ? '' : textOf(body, headers['Content-Type']);
  res.statusCode = status;
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('Content-Security-Policy', NO_DOCUMENT);
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  if (body !== undefined) res.setHeader('Content-Length', Buffer.byteLength(text));
  const { wire } = getExchange(ctx);
  if (wire) return sendWithTransportFault(ctx, text, wire) ? text : undefined;
  res.end(req.method === 'HEAD' ? undefined : text);
  return text;
}

/** A response without its body and the headers that describe one: they may not be sent with 204 (RFC 9110, section 8.6). */
function withoutBody({ status, headers }: ResponseData): ResponseData {
  const kept = Object.entries(headers).filter(([name]) => !/^content-(type|length)$/i.test(name));
  return { status, headers: Object.fromEntries(kept) };
}

function textOf(body: unknown, type = JSON_TYPE): string {
  return typeof body === 'string' && !isJsonType(type) ? body : JSON.stringify(body);
}
