import type { IncomingHttpHeaders } from 'node:http';

export type Values = Readonly<Record<string, unknown>>;

export interface Entry {
  readonly values: Values;
  readonly version: number;
}

export interface Sent {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** The number of requests that a server with a rate limit accepts in each period, and the period in ms. */
export const RATE = { count: 500, periodMs: 1_000 };

/** Returns whether a time is at least `delayMs` ago. */
export function isExpired(sinceMs: number, delayMs: number): boolean {
  return Date.now() - sinceMs >= delayMs;
}
