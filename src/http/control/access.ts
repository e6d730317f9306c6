import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { AccessPolicy } from '../access-policy.ts';
import { HttpProblemError } from '../problem.ts';
import type { ProblemCode } from '../problem-kinds.ts';

/** Throws an `HttpProblemError` if a request may not use the control API. The caller has checked that the host of the request is allowed. */
export function refuseControlAccess(
  { isOn, isLoopback, token }: AccessPolicy['control'],
  { host, origin, authorization }: IncomingHttpHeaders,
): void {
  if (!isOn) throw deny('control-disabled', 'The control API is disabled. Start the server without --no-control.');
  if (!isLoopback && token === undefined)
    throw deny(
      'control-disabled',
      'The control API is disabled, because other machines can reach the server (--host) and it runs without --control-token. Start the server with --control-token TOKEN, and send Authorization: Bearer TOKEN.',
    );
  if (host === undefined) throw deny('host-not-allowed', 'The control API needs a Host header.');
  if (origin !== undefined && !isOwnOrigin(origin, host))
    throw deny(
      'origin-not-allowed',
      `Pages of ${origin.slice(0, 100)} cannot use the control API. Send the request from a program, or from a page of this server.`,
    );
  if (token !== undefined && !hasToken(authorization, token))
    throw deny(
      'token-required',
      'The token is missing or wrong. Send Authorization: Bearer TOKEN with the value of --control-token.',
      { 'WWW-Authenticate': 'Bearer' },
    );
}

/** Creates the error for a request that may not use the control API. `detail` contains the remedy. */
function deny(code: ProblemCode, detail: string, headers = {}): HttpProblemError {
  return new HttpProblemError({ code, detail, headers });
}

function isOwnOrigin(origin: string, host: string): boolean {
  return URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}

/** Compares the token in constant time. The scheme `Bearer` is case-insensitive (RFC 9110, section 11.1). */
function hasToken(authorization: string | undefined, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const [, received = ''] = /^bearer +(.*)$/i.exec(authorization ?? '') ?? [];
  return timingSafeEqual(digest(received), digest(token));
}
