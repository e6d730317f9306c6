import { createHmac } from 'node:crypto';
import { type LookupAddress, lookup } from 'node:dns';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { AttemptResult, Delivery } from './delivery.ts';

/** The maximum duration of an attempt, in ms. */
export const TIMEOUT_MS = 10_000;

/** The maximum length of a response of which the body is read, in bytes. */
const MAX_RESPONSE_BYTES = 64 * 1024;

/** Options of an attempt. */
interface SendOptions {
  readonly headers: Readonly<Record<string, string>>;
  /** The host names in the option `allowCallback`. */
  readonly allowedHosts: readonly string[];
  /** Whether a client of a public server has chosen the URL, so that loopback addresses need to be allowed, too. */
  readonly isForeign: boolean;
  /** The signal that ends the attempt when the server stops. */
  readonly signal: AbortSignal;
}

/** The response of a receiver. */
export interface ReceivedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The start of the body. */
  readonly text: string;
  readonly bytes: number;
  readonly isTruncated: boolean;
}

/** An attempt that has ended. */
export interface Attempt extends AttemptResult {
  readonly response: ReceivedResponse | undefined;
}

/** The error of a target to which the server sends nothing. */
class RefusedTargetError extends Error {}

/**
 * Sends a delivery.
 * Connects only to loopback addresses and to allowed hosts, follows no redirects, and ends after 10 s.
 * Never rejects.
 */
export async function sendDelivery(delivery: Delivery, options: SendOptions): Promise<Attempt> {
  try {
    const issue = findTargetIssue(delivery.url, options.allowedHosts, options.isForeign);
    if (issue !== undefined) throw new RefusedTargetError(issue);
    const response = await send(delivery, options);
    return { response, status: response.status, ...describeStatus(response) };
  } catch (error) {
    const isFinal = error instanceof RefusedTargetError;
    return { response: undefined, error: describeError(error as NodeJS.ErrnoException), isFinal };
  }
}

function describeStatus({ status }: ReceivedResponse): { readonly error?: string } {
  if (status >= 200 && status < 300) return {};
  if (status >= 300 && status < 400) return { error: `the response has status ${status}: redirects are not followed` };
  return { error: `the response has status ${status}` };
}

function describeError({ name, code, message }: NodeJS.ErrnoException): string {
  if (name === 'TimeoutError') return `no response within ${TIMEOUT_MS / 1_000} s`;
  // Node joins the errors of several addresses, and leaves the message empty.
  return message || code || 'the request failed';
}

/**
 * Returns why the server can't send to a URL, and what to do.
 * Returns undefined if it can: then only the address of a host name is not known yet.
 */
export function findTargetIssue(text: string, allowedHosts: readonly string[], isForeign = false): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) return 'the target is not an absolute http or https URL';
  if (url.username !== '' || url.password !== '')
    return 'the target has a user name or a password: use a URL without them';
  // A document must not control the server.
  if (/^\/+_control(?:\/|$)/i.test(url.pathname)) return 'the target is a control API';
  const host = getHost(url);
  if (isAllowed(host, allowedHosts) || isIP(host) === 0) return undefined;
  return isLoopback(host) && !isForeign ? undefined : describeRefusal(host, isForeign);
}

function describeRefusal(host: string, isForeign: boolean): string {
  const reason = isForeign ? 'is not allowed for the callbacks of a public server' : 'is not a loopback address';
  return `${host} ${reason}: start the server with --allow-callback ${host}`;
}

function getHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '').toLowerCase();
}

function isAllowed(host: string, allowedHosts: readonly string[]): boolean {
  return allowedHosts.some((entry) => {
    const name = entry.toLowerCase();
    return name === '*' || name === host || (name.startsWith('.') && (host.endsWith(name) || host === name.slice(1)));
  });
}

/** Returns whether an IP address is that of this machine. */
function isLoopback(address: string): boolean {
  const mapped = /^::ffff:(?:7f[\da-f]{2}:[\da-f]{1,4}|127(?:\.\d{1,3}){3})$/i;
  return (isIP(address) === 4 && address.startsWith('127.')) || address === '::1' || mapped.test(address);
}

/** Creates a function that resolves a host name, and refuses addresses that are neither loopback nor allowed. */
function createLookup(allowedHosts: readonly string[], isForeign: boolean): LookupFunction {
  return (host, options, callback) => {
    lookup(host, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      const refused = isAllowed(host, allowedHosts)
        ? undefined
        : addresses?.find((one) => isForeign || !isLoopback(one.address));
      const [first] = addresses ?? [];
      if (error || !first) callback(error ?? new Error(`${host} has no address`), []);
      else if (refused) callback(new RefusedTargetError(describeRefusal(host, isForeign)), []);
      else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

function send(
  { url, method, content }: Delivery,
  { headers, allowedHosts, isForeign, signal }: SendOptions,
): Promise<ReceivedResponse> {
  const target = new URL(url);
  const createRequest = target.protocol === 'https:' ? httpsRequest : httpRequest;
  const hasBody = method !== 'GET' && method !== 'HEAD';
  // Node 20 can collect the signal of `AbortSignal.timeout` in `AbortSignal.any` before its time.
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new DOMException('', 'TimeoutError')), TIMEOUT_MS);
  const stop = () => limit.abort(signal.reason);
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  const sent = new Promise<ReceivedResponse>((resolve, reject) => {
    const fail = (error: Error) => reject(limit.signal.aborted ? limit.signal.reason : error);
    const request = createRequest(target, {
      method,
      headers: hasBody ? { ...headers, 'content-length': String(Buffer.byteLength(content)) } : headers,
      // Each attempt has a new connection, whose address is checked.
      agent: false,
      lookup: createLookup(allowedHosts, isForeign),
      signal: limit.signal,
    });
    request.on('error', fail);
    request.on('response', (response) => {
      readResponse(response)
        .then(resolve, fail)
        .finally(() => request.destroy());
    });
    request.end(hasBody ? content : undefined);
  });
  return sent.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  });
}

async function readResponse(response: IncomingMessage): Promise<ReceivedResponse> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_RESPONSE_BYTES) break;
  }
  const headers = Object.entries(response.headers).map(([name, value]) => [name, [value].flat().join(', ')]);
  return {
    status: response.statusCode ?? 0,
    headers: Object.fromEntries(headers),
    text: Buffer.concat(chunks).subarray(0, MAX_RESPONSE_BYTES).toString('utf8'),
    bytes,
    isTruncated: bytes > MAX_RESPONSE_BYTES,
  };
}

/** The start of a secret of Standard Webhooks, before its key in Base64. */
const SECRET_PREFIX = 'whsec_';

/**
 * Returns the headers of Standard Webhooks.
 * `nowMs`: the system time, because receivers compare it with theirs.
 * `secret`: `whsec_` and the key in Base64; without it, there is no signature.
 */
export function createSignatureHeaders(
  { id, content }: Pick<Delivery, 'id' | 'content'>,
  { nowMs, secret }: { readonly nowMs: number; readonly secret: string | undefined },
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(nowMs / 1_000));
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp };
  if (secret === undefined) return headers;
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${content}`).digest('base64');
  return { ...headers, 'webhook-signature': `v1,${signature}` };
}
