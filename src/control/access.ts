import { createHash, timingSafeEqual } from 'node:crypto';

/** The settings of the server that decide about access to the control API. */
export interface ControlAccess {
  /** Whether the control API is enabled. */
  readonly isOn: boolean;
  /** Whether the server listens only on loopback addresses. */
  readonly isLoopback: boolean;
  /** The bearer token that requests must send; undefined if no token is required. */
  readonly token: string | undefined;
}

/** The headers of a request that decide about access to the server. */
export interface Requester {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly authorization: string | undefined;
}

/** The reason why access is denied. `detail` contains the remedy. */
export interface Denial {
  readonly code: 'control-disabled' | 'token-required' | 'host-not-allowed' | 'origin-not-allowed';
  readonly detail: string;
}

/** Returns the reason why a request may not use the control API, or undefined if it may. Expects that the host of the request is allowed. */
export function checkAccess(
  { isOn, isLoopback, token }: ControlAccess,
  { host, origin, authorization }: Requester,
): Denial | undefined {
  if (!isOn) return deny('control-disabled', 'The control API is disabled. Start the server without --no-control.');
  if (!isLoopback && token === undefined)
    return deny(
      'control-disabled',
      'The control API is disabled, because the server listens on addresses other than loopback. Start the server with --control-token TOKEN, and send Authorization: Bearer TOKEN.',
    );
  if (host === undefined) return deny('host-not-allowed', 'The control API needs a Host header.');
  if (origin !== undefined && !isOwnOrigin(origin, host))
    return deny(
      'origin-not-allowed',
      `Pages of ${origin.slice(0, 100)} cannot use the control API. Send the request from a program, or from a page of this server.`,
    );
  if (token !== undefined && !hasToken(authorization, token))
    return deny(
      'token-required',
      'The token is missing or wrong. Send Authorization: Bearer TOKEN with the token of --control-token.',
    );
  return undefined;
}

function deny(code: Denial['code'], detail: string): Denial {
  return { code, detail };
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
