import { createHash, timingSafeEqual } from 'node:crypto';

/** Who may steer. */
export interface ControlAccess {
  /** Whether control is on at all. */
  readonly isOn: boolean;
  /** Whether the server listens on loopback alone. */
  readonly isLoopback: boolean;
  /** What a request has to bring along, `Authorization: Bearer TOKEN`; undefined where none is wanted. */
  readonly token: string | undefined;
  /** Names that a `Host` header may have beside those of loopback. */
  readonly hosts: readonly string[];
}

/** What of a request says who asks. */
export interface Asker {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly authorization: string | undefined;
}

/** Why a request may not steer, and how it may. */
export interface Denial {
  readonly code: 'control-off' | 'token-wanted' | 'foreign-host';
  readonly detail: string;
}

/** Names of this machine that no other can have: what a page of another site has in its `Host` after DNS rebinding is its own name. */
const LOOPBACK = /^(localhost|[a-z0-9-]+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/i;

/** Why somebody may not steer; undefined where they may. */
export function denial(
  { isOn, isLoopback, token, hosts }: ControlAccess,
  { host, origin, authorization }: Asker,
): Denial | undefined {
  if (!isOn) return { code: 'control-off', detail: 'control is off: start the server without --no-control' };
  if (!isLoopback && token === undefined) {
    return {
      code: 'control-off',
      detail:
        'control is off, since the server listens on more than loopback: give it --control-token TOKEN, and send Authorization: Bearer TOKEN',
    };
  }
  const name = (host ?? '').replace(/:\d+$/, '');
  if (!LOOPBACK.test(name) && !hosts.includes(name.toLowerCase())) {
    return {
      code: 'foreign-host',
      detail: `the Host ${JSON.stringify(name.slice(0, 100))} is not one that control answers to: ask by localhost, or start the server with --allow-host ${name.slice(0, 100) || 'NAME'}`,
    };
  }
  if (origin !== undefined && !isSame(origin, host)) {
    return {
      code: 'foreign-host',
      detail: `a page at ${origin.slice(0, 100)} may not steer: ask from a program, or from a page of this server`,
    };
  }
  if (token !== undefined && !isToken(authorization, token)) {
    return {
      code: 'token-wanted',
      detail: 'control wants its token: send Authorization: Bearer TOKEN, with that of --control-token',
    };
  }
  return undefined;
}

function isSame(origin: string, host: string | undefined): boolean {
  return URL.canParse(origin) && new URL(origin).host === host?.toLowerCase();
}

/** Compares in a time that says nothing about the token. */
function isToken(authorization: string | undefined, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(authorization ?? ''), digest(`Bearer ${token}`));
}
