import { setTimeout as sleep } from 'node:timers/promises';
import type { Route } from '../openapi/routes.ts';
import type { Client } from './client.ts';
import { type Exchange, type ReceivedResponse, type RequestToSend, withoutBody } from './exchange.ts';
import { NoResponseError } from './transport.ts';

/**
 * A request that may have stopped the server.
 * `exchange`: the request and its response; undefined if there was no response.
 */
export interface Suspect {
  readonly route: Route;
  readonly request: RequestToSend;
  readonly exchange?: Exchange | undefined;
}

/** The maximum time between a response and the first request that failed, if the former can be the cause, in ms. */
const SUSPECT_MS = 1_000;

/** The maximum number of answered requests that can be the cause. */
const MAX_SUSPECTS = 128;

/**
 * The time for which the check waits after repeated requests until it knows that they did not stop the server, in ms.
 */
const STOP_MS = 500;

/** The pause between two attempts to connect, in ms. */
const PAUSE_MS = 50;

/**
 * Remembers the latest answered requests, and finds the one that stops the server.
 * A process can end shortly after it has responded.
 */
export class Suspects {
  #answered: (Suspect & { readonly atMs: number })[] = [];

  /** Adds a request that got a response. */
  add(suspect: Suspect): void {
    const exchange = suspect.exchange && withoutBody(suspect.exchange);
    this.#answered.push({ ...suspect, exchange, atMs: performance.now() });
    if (this.#answered.length > 2 * MAX_SUSPECTS) this.#answered = this.#answered.slice(-MAX_SUSPECTS);
  }

  /**
   * Returns the requests that were answered shortly before the first request that failed, the latest first.
   * Forgets all requests.
   * `failedMs`: when the check began to send that request, by `performance.now()`.
   */
  take(failedMs: number): readonly Suspect[] {
    const fromMs = failedMs - SUSPECT_MS;
    const latest = this.#answered.slice(-MAX_SUSPECTS).filter(({ atMs }) => atMs >= fromMs);
    this.#answered = [];
    return latest.reverse();
  }
}

/**
 * Repeats requests until the one that stops the server is found, in groups that become smaller.
 * Returns undefined if the server does not stop again.
 * `restart` waits until the server accepts connections again, and throws an error if it does not.
 */
export async function findCause(
  client: Client,
  suspects: readonly Suspect[],
  restart: () => Promise<void>,
): Promise<Suspect | undefined> {
  if (suspects.length === 0) return undefined;
  const group = suspects.slice(0, Math.ceil(suspects.length / 2));
  const { sent, response } = await sendAll(client, group);
  const hasStopped = sent < group.length || (await stops(client));
  if (!hasStopped)
    return group.length === suspects.length ? undefined : findCause(client, suspects.slice(group.length), restart);
  await restart();
  const [suspect] = group;
  if (!suspect || group.length > 1 || sent !== 1) return findCause(client, group.slice(0, sent), restart);
  // The server can have stopped because of an equal request before it responded to this one.
  return response ? { ...suspect, exchange: { request: suspect.request, response } } : suspect;
}

/**
 * Sends requests one at a time, until the server refuses a connection.
 * Returns how many the server may have received, and the response to the last one; undefined if there was none.
 */
async function sendAll(
  client: Client,
  suspects: readonly Suspect[],
): Promise<{ readonly sent: number; readonly response?: ReceivedResponse | undefined }> {
  let response: ReceivedResponse | undefined;
  for (const [index, { request }] of suspects.entries()) {
    try {
      response = await client.send(request);
    } catch (error) {
      if (!(error instanceof NoResponseError)) throw error;
      if (error.kind === 'refused') return { sent: index + (error.wasSent ? 1 : 0) };
      response = undefined;
    }
  }
  return { sent: suspects.length, response };
}

async function stops(client: Client): Promise<boolean> {
  for (const endMs = performance.now() + STOP_MS; performance.now() < endMs; await sleep(PAUSE_MS))
    if (await findRefusal(client)) return true;
  return false;
}

/** A request that shows whether the server accepts connections. */
const PROBE: RequestToSend = { method: 'GET', target: '/', headers: { connection: 'close' } };

/** Sends a request. Returns the error if the server refuses the connection; otherwise undefined. */
export async function findRefusal(client: Client): Promise<NoResponseError | undefined> {
  try {
    await client.send(PROBE);
    return undefined;
  } catch (error) {
    if (!(error instanceof NoResponseError)) throw error;
    return error.kind === 'refused' ? error : undefined;
  }
}
