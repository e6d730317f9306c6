import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { AccessPolicy } from '../access-policy.ts';
import { HttpProblemError } from '../problem.ts';
import type { ProblemCode } from '../problem-kinds.ts';

/** Throws an `HttpProblemError` if a request is not allowed to use the control API. Does not check the `Host` header, which the caller has already checked. */
export function refuseControlAccess(
  { isOn, isLoopback, token }: AccessPolicy['control'],
  { host, origin, authorization }: IncomingHttpHeaders,
): void {
  if (!isOn) throw deny('control-disabled', 'The control API is disabled. Start the server without --no-control.');
  if (!isLoopback && token === undefined)
    throw deny(
      'control-disabled',
      'The control API is disabled, because the server runs without --control-token and other machines can reach it (--host). Start the server with --control-token TOKEN, and send Authorization: Bearer TOKEN.',
    );
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
