import type { Entry, State } from '../store/state.ts';
import { MEGABYTE } from '../util/limits.ts';

/** The name of the internal list of the state with the deliveries. A commit stores them together with the change. */
export const DELIVERIES = '$deliveries';

/** A request that the server sends for a webhook or a callback, until the receiver accepts it. */
export interface Delivery {
  /** The header `webhook-id`, which all attempts have in common. */
  readonly id: string;
  /** The name of the webhook or the callback. */
  readonly name: string;
  readonly kind: 'webhook' | 'callback';
  /** The operation that has caused the delivery. Undefined if a client of the control API has sent it. */
  readonly operation?: string;
  readonly url: string;
  readonly method: string;
  readonly contentType: string;
  /** The header parameters of the document. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The text of the body. */
  readonly content: string;
  readonly status: 'pending' | 'delivered' | 'failed';
  /** The time of the delivery, by the clock of the sandbox, in ms since 1970. */
  readonly createdMs: number;
  /** The time of the next attempt, by the clock of the sandbox, in ms since 1970. */
  readonly dueMs: number;
  readonly attempts: number;
  /** The result of the last attempt. `status`: that of the response; absent if there was none. */
  readonly last?: { readonly atMs: number; readonly status?: number; readonly error?: string };
  /** The server that sends the delivery until a time, in ms since 1970, if several servers share the state. */
  readonly claim?: { readonly server: string; readonly untilMs: number };
  /** How the payload violates the contract. */
  readonly notes?: readonly string[];
}

/** Returns the id of a delivery for a UUID. */
export function toDeliveryId(uuid: string): string {
  return `msg_${uuid.replaceAll('-', '')}`;
}

/** Returns whether a text has the form of the ids of deliveries. Those of other senders have another form. */
export function isDeliveryId(text: string): boolean {
  return /^msg_[0-9a-f]{32}$/.test(text);
}

/** The maximum number of deliveries of a sandbox that wait for an attempt. */
const MAX_PENDING = 1_000;

/** The maximum size of the bodies of these deliveries, in bytes. */
const MAX_PENDING_BYTES = 10 * MEGABYTE;

/** The limits of the deliveries of a sandbox that wait for an attempt, in words. */
export const PENDING_LIMITS = `${MAX_PENDING} deliveries or 10 MB`;

/** The maximum number of delivered and failed deliveries that a sandbox keeps. */
const MAX_FINISHED = 100;

/** The maximum number of attempts. */
export const MAX_ATTEMPTS = 8;

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];

/** The delays before the second and later attempts, in ms. Standard Webhooks recommends them. */
const DELAYS_MS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR];

/** Returns the deliveries in a state, oldest first. Leaves out entries that are no deliveries. */
export function listDeliveries(state: State): readonly Delivery[] {
  return ((state[DELIVERIES] ?? []) as readonly unknown[]).filter(isDelivery);
}

function isDelivery(value: unknown): value is Delivery {
  const { id, name, url, method, content, contentType, dueMs, createdMs, attempts } = value as Partial<Delivery>;
  const texts = [id, name, url, method, content, contentType];
  return texts.every((text) => typeof text === 'string') && [dueMs, createdMs, attempts].every(Number.isFinite);
}

function setDeliveries(state: State, deliveries: readonly Delivery[]): State {
  return { ...state, [DELIVERIES]: deliveries as unknown as readonly Entry[] };
}

/** Returns a state without deliveries. Returns the state itself if it has none. */
export function dropDeliveries(state: State): State {
  return (state[DELIVERIES] ?? []).length === 0 ? state : setDeliveries(state, []);
}

/** Returns the list of deliveries without entries, if a state has it. It replaces that of the state. */
export function emptyDeliveries(state: State): State {
  return Object.hasOwn(state, DELIVERIES) ? { [DELIVERIES]: [] } : {};
}

/**
 * Adds deliveries to a state.
 * Leaves out those above the limits of waiting deliveries, and deletes the oldest finished ones above their limit.
 * Returns the next state and the number of deliveries that were left out.
 */
export function addDeliveries(
  state: State,
  added: readonly Delivery[],
): { readonly next: State; readonly dropped: number } {
  const known = listDeliveries(state);
  const pending = known.filter(({ status }) => status === 'pending');
  let count = pending.length;
  let bytes = pending.reduce((sum, delivery) => sum + getBytes(delivery), 0);
  const accepted = added.filter((delivery) => {
    const size = getBytes(delivery);
    if (count >= MAX_PENDING || bytes + size > MAX_PENDING_BYTES) return false;
    count += 1;
    bytes += size;
    return true;
  });
  return { next: setDeliveries(state, trim([...known, ...accepted])), dropped: added.length - accepted.length };
}

function getBytes({ content }: Delivery): number {
  return Buffer.byteLength(content);
}

function trim(deliveries: readonly Delivery[]): readonly Delivery[] {
  let surplus = deliveries.filter(({ status }) => status !== 'pending').length - MAX_FINISHED;
  return surplus <= 0 ? deliveries : deliveries.filter(({ status }) => status === 'pending' || surplus-- <= 0);
}

/** Replaces a delivery in a state. Returns undefined if the state does not have it. */
export function updateDelivery(state: State, id: string, change: (delivery: Delivery) => Delivery): State | undefined {
  const known = listDeliveries(state);
  if (!known.some((delivery) => delivery.id === id)) return undefined;
  return setDeliveries(state, trim(known.map((delivery) => (delivery.id === id ? change(delivery) : delivery))));
}

/** Returns the deliveries that wait for an attempt, the next one first. */
export function listPending(state: State): readonly Delivery[] {
  const pending = listDeliveries(state).filter(({ status }) => status === 'pending');
  return pending.toSorted((one, other) => one.dueMs - other.dueMs);
}

/** The result of an attempt. `isFinal`: whether there is no further attempt after a failure. */
export interface AttemptResult {
  readonly status?: number;
  readonly error?: string;
  readonly isFinal?: boolean;
}

/** The status with which a receiver says that it no longer accepts deliveries (Standard Webhooks). */
const GONE = 410;

/** Returns a delivery after an attempt. `atMs`: the time of the attempt by the clock of the sandbox. */
export function recordAttempt({ claim: _, ...delivery }: Delivery, result: AttemptResult, atMs: number): Delivery {
  const { status, error, isFinal = status === GONE } = result;
  const attempts = delivery.attempts + 1;
  const last = { atMs, ...(status !== undefined && { status }), ...(error !== undefined && { error }) };
  const done = { ...delivery, attempts, last };
  if (error === undefined) return { ...done, status: 'delivered' };
  if (isFinal || attempts >= MAX_ATTEMPTS) return { ...done, status: 'failed' };
  return { ...done, dueMs: atMs + (DELAYS_MS[attempts - 1] ?? 0) };
}

/** Returns a delivery that is sent again at a time by the clock of the sandbox. */
export function sendAgain({ claim: _, ...delivery }: Delivery, nowMs: number): Delivery {
  return { ...delivery, status: 'pending', dueMs: nowMs, attempts: 0 };
}
