import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type AccessPolicy, findForwardingHeader } from '../access-policy.ts';
import type { ServerParts } from '../parts.ts';
import { HttpProblemError } from '../problem.ts';
import type { ProblemCode } from '../problem-kinds.ts';

/** Throws an `HttpProblemError` if a request is not allowed to use the control API. Does not check the `Host` header, which the caller has already checked. */
export function refuseControlAccess(
  { isOn, isLoopback, publicHost, token }: AccessPolicy['control'],
  headers: IncomingHttpHeaders,
): void {
  const { host, origin, authorization } = headers;
  if (!isOn) throw deny('control-disabled', 'The control API is disabled. Start the server without --no-control.');
  if (!isLoopback && token === undefined)
    throw deny(
      'control-disabled',
      'The control API is disabled, because the server runs without --control-token and other machines can reach it (--host). ' +
        TOKEN_REMEDY,
    );
  if (publicHost !== undefined && token === undefined)
    throw deny(
      'control-disabled',
      `The control API is disabled, because the server runs without --control-token and can be reached under a public name (--allow-host ${publicHost}). ${TOKEN_REMEDY}`,
    );
  const forwarding = token === undefined ? findForwardingHeader(headers) : undefined;
  if (forwarding !== undefined) throw deny('control-disabled', describeForwarding(forwarding));
  if (host === undefined)
    throw deny(
      'host-not-allowed',
      'The request has no Host header. Send the host and port of the server in this header.',
    );
  if (origin !== undefined && !isOwnOrigin(origin, host))
    throw deny(
      'origin-not-allowed',
      `Pages of the origin ${origin.slice(0, 100)} cannot use the control API. Send the request from a program that is not a browser, or from a page of this server.`,
    );
  if (token !== undefined && !hasToken(authorization, token))
    throw deny(
      'token-required',
      'The token is missing or wrong. Send Authorization: Bearer TOKEN with the value of --control-token.',
      { 'WWW-Authenticate': 'Bearer' },
    );
}

const TOKEN_REMEDY = 'Start the server with --control-token TOKEN, and send Authorization: Bearer TOKEN.';

/** Returns the message for a request that came through a proxy to a server without a token. `header`: the header that shows the proxy. */
function describeForwarding(header: string): string {
  return `The request came through a proxy (header ${header}), so it can come from another machine, and the server runs without --control-token. ${TOKEN_REMEDY} Requests that are sent to the server directly need no token.`;
}

/** Logs a warning at the first request to the control API that came through a proxy, if the server runs without a token. */
export function logForwarding(
  { access, log }: Pick<ServerParts, 'access' | 'log'>,
  headers: IncomingHttpHeaders,
): void {
  const { control, forwarding } = access;
  if (!control.isOn || control.token !== undefined || forwarding.isLogged) return;
  const header = findForwardingHeader(headers);
  if (header === undefined) return;
  forwarding.isLogged = true;
  log.warn({}, `A request to the control API was refused. ${describeForwarding(header)}`);
}

/** Creates the error for a request that is not allowed to use the control API. `detail`: the error message. */
function deny(code: ProblemCode, detail: string, headers = {}): HttpProblemError {
  return new HttpProblemError({ code, detail, headers });
}

function isOwnOrigin(origin: string, host: string): boolean {
  return URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}

/** Returns whether an `Authorization` header contains a token. Compares in constant time. The scheme `Bearer` is case-insensitive (RFC 9110, section 11.1). */
function hasToken(authorization: string | undefined, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const [, received = ''] = /^bearer +(.*)$/i.exec(authorization ?? '') ?? [];
  return timingSafeEqual(digest(received), digest(token));
}
