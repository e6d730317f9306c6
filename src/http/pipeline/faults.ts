import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FaultWish } from '../../control/operation.ts';
import { canForce, isDocumented } from '../../mock/validate-fault.ts';
import { responseTo } from '../../openapi/responses.ts';
import type { Route } from '../../openapi/routes.ts';
import type { FaultEffect, Phase } from '../../sandbox/faults/combine-faults.ts';
import type { Remarks } from '../../sandbox/journal/journal.ts';
import type { MatchableRequest } from '../../sandbox/matcher/request-matcher.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { Preferences } from './preferences.ts';

/** What is forced upon a request: by the faults of its sandbox, by its own preferences, and by the server's delay. */
export interface AppliedFaults {
  readonly forced: FaultEffect | undefined;
  /** How long its answer waits before and after the operation is done, in ms. */
  readonly delayMs: Readonly<Record<Phase, number>>;
  /** Whether it is lost before the operation is done. */
  readonly isLost: boolean;
  /** For the journal; undefined where nothing is forced. */
  readonly told: Remarks['forced'] | undefined;
}

/** Most requests meet nothing, and none of them waits for what it takes to find that out. */
const NOTHING: AppliedFaults = { forced: undefined, delayMs: { before: 0, after: 0 }, isLost: false, told: undefined };

/** What a request meets in a sandbox. `waitedMs`: how long the server has had it wait already. */
export function applyFaults(
  { faults }: Pick<Sandbox, 'faults'>,
  asked: () => MatchableRequest,
  { route, preferences, waitedMs }: { route: Route; preferences: Preferences; waitedMs: number },
): AppliedFaults {
  if (!faults.isActive && !preferences.isForced && preferences.delayMs + waitedMs === 0) return NOTHING;
  const answering = {
    isChosen: preferences.isForced,
    canMeet: (wish: FaultWish) => canForce(route, wish),
  };
  // One that has chosen what isn't documented is refused.
  const isRefused =
    preferences.isForced && !isDocumented(route, { status: preferences.wish.code, example: preferences.wish.example });
  const forced = isRefused ? undefined : faults.meet(asked(), answering);
  const delayMs = {
    before: preferences.delayMs + (forced?.delayMs.before ?? 0),
    after: forced?.delayMs.after ?? 0,
  };
  return {
    forced,
    delayMs,
    isLost: forced?.connection?.kind === 'reset' && forced.connection.phase === 'before',
    told: describeForced(route, { forced, preferences }, waitedMs + delayMs.before + delayMs.after),
  };
}

/** Describes what is forced upon a request, for the journal; undefined if nothing is. `route`: undefined for an image, which the contract does not document. */
export function describeForced(
  route: Pick<Route, 'responses'> | undefined,
  { forced, preferences }: { readonly forced: FaultEffect | undefined; readonly preferences?: Preferences },
  delayMs: number,
): AppliedFaults['told'] {
  if (!forced && !preferences?.isForced && delayMs === 0) return undefined;
  const { status, example } = forced?.answer ?? { status: preferences?.wish.code, example: preferences?.wish.example };
  const phase = forced && phaseOf(forced);
  return {
    ...(forced ? { faults: forced.faults } : {}),
    ...(phase ? { phase } : {}),
    ...(status === undefined ? {} : { status }),
    ...(status !== undefined && route && !responseTo(route.responses, status) ? { undocumented: true } : {}),
    ...(example === undefined ? {} : { example }),
    ...(delayMs > 0 ? { delayMs } : {}),
    ...(forced?.connection ? { connection: forced.connection.kind } : {}),
    ...(forced?.bodyDurationMs === undefined ? {} : { bodyDurationMs: forced.bodyDurationMs }),
  };
}

/** When what is forced takes effect: an answer is cut after the operation is done, unless another one comes in its place. */
function phaseOf({ answer, connection, delayMs }: FaultEffect): Phase | undefined {
  if (answer) return answer.phase;
  if (connection) return connection.kind === 'cut' ? 'after' : connection.phase;
  if (delayMs.after > 0) return 'after';
  return delayMs.before > 0 ? 'before' : undefined;
}

/** What becomes of an answer on the wire. */
export type TransportFault = Pick<FaultEffect, 'connection' | 'bodyDurationMs'>;

/** In how many pieces a slow body is sent. */
const PIECES = 20;

/**
 * Sends an answer whose head is settled as it is forced to be, with half of its body, or slowly; whether any of it is sent: one that has no body
 * can't be cut, and doesn't come.
 */
export function sendWithTransportFault(
  { req, res }: { readonly req: IncomingMessage; readonly res: ServerResponse },
  text: string,
  { connection, bodyDurationMs }: TransportFault,
): boolean {
  const bytes = Buffer.from(req.method === 'HEAD' ? '' : text);
  if (!connection && bytes.length === 0) res.end();
  else if (!connection) trickle(res, bytes, bodyDurationMs ?? 0);
  else if (bytes.length === 0) resetConnection(res);
  else {
    res.flushHeaders();
    res.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => req.socket.destroy());
  }
  return !connection || bytes.length > 0;
}

/** Ends the connection of an answer as if the server had broken down, once the answers before it are out. */
export function resetConnection(res: ServerResponse): void {
  if (res.socket) res.socket.resetAndDestroy();
  else res.once('socket', (socket) => socket.resetAndDestroy());
}

function trickle(res: ServerResponse, bytes: Buffer, bodyDurationMs: number): void {
  const pieces = Math.min(PIECES, bytes.length);
  let sent = 0;
  res.flushHeaders();
  const timer = setInterval(() => {
    const from = Math.floor((bytes.length * sent) / pieces);
    sent++;
    const piece = bytes.subarray(from, Math.floor((bytes.length * sent) / pieces));
    if (sent < pieces) res.write(piece);
    else {
      clearInterval(timer);
      res.end(piece);
    }
  }, bodyDurationMs / pieces);
  res.once('close', () => clearInterval(timer));
}
