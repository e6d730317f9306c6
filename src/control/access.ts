import { createHash, timingSafeEqual } from 'node:crypto';

/** Who may steer. */
export interface ControlAccess {
  /** Whether control is on at all. */
  readonly isOn: boolean;
  /** Whether the server listens on loopback alone. */
  readonly isLoopback: boolean;
  /** What a request has to bring along, `Authorization: Bearer TOKEN`; undefined where none is wanted. */
  readonly token: string | undefined;
}

/** What of a request says who asks. */
export interface Requester {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly authorization: string | undefined;
}

/** Why a request may not steer, and how it may. */
export interface Denial {
  readonly code: 'control-disabled' | 'token-required' | 'host-not-allowed' | 'origin-not-allowed';
  readonly detail: string;
}

/** Why somebody may not steer; undefined where they may. Which hosts the whole server answers to was decided before. */
export function checkAccess(
  { isOn, isLoopback, token }: ControlAccess,
  { host, origin, authorization }: Requester,
): Denial | undefined {
  if (!isOn) return { code: 'control-disabled', detail: 'control is off: start the server without --no-control' };
  if (!isLoopback && token === undefined) {
    return {
      code: 'control-disabled',
      detail:
        'control is off, since the server listens on more than loopback: give it --control-token TOKEN, and send Authorization: Bearer TOKEN',
    };
  }
  if (host === undefined) {
    return { code: 'host-not-allowed', detail: 'the control API needs a Host header: send one' };
  }
  if (origin !== undefined && !isSame(origin, host)) {
    return {
      code: 'origin-not-allowed',
      detail: `a page at ${origin.slice(0, 100)} may not steer: ask from a program, or from a page of this server`,
    };
  }
  if (token !== undefined && !isToken(authorization, token)) {
    return {
      code: 'token-required',
      detail: 'control wants its token: send Authorization: Bearer TOKEN, with that of --control-token',
    };
  }
  return undefined;
}

function isSame(origin: string, host: string | undefined): boolean {
  return URL.canParse(origin) && new URL(origin).host === host?.toLowerCase();
}

/** Compares in a time that says nothing about the token. The scheme's case doesn't count (RFC 9110, section 11.1). */
function isToken(authorization: string | undefined, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const [, sent = ''] = /^bearer +(.*)$/i.exec(authorization ?? '') ?? [];
  return timingSafeEqual(digest(sent), digest(token));
}
