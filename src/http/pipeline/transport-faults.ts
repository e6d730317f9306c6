import type { ServerResponse } from 'node:http';
import type { FaultEffect } from '../../sandbox/faults/combine-faults.ts';

/** The part of a fault that affects how the response is sent. */
export type TransportFault = Pick<FaultEffect, 'connection' | 'bodyDurationMs'>;

/**
 * Sends a response with its status and headers already set. Cuts the response after half of its body, or sends it slowly. Returns whether a response is sent:
 * a response without a body can't be cut, so the connection is reset instead.
 */
export function sendWithTransportFault(res: ServerResponse, text: string, fault: TransportFault): boolean {
  const { connection, bodyDurationMs = 0 } = fault;
  const bytes = Buffer.from(res.req.method === 'HEAD' ? '' : text);
  if (!connection && bytes.length === 0) res.end();
  else if (!connection) sendSlowly(res, bytes, bodyDurationMs);
  else if (bytes.length === 0) resetConnection(res);
  else {
    res.flushHeaders();
    res.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => res.req.socket.destroy());
  }
  return !connection || bytes.length > 0;
}

/** Resets the connection of a response, as a crashed server does, after earlier responses on the connection are sent. */
export function resetConnection(res: ServerResponse): void {
  if (res.socket) res.socket.resetAndDestroy();
  else res.once('socket', (socket) => socket.resetAndDestroy());
}

/** The number of pieces of a body that is sent slowly. */
const PIECES = 20;

function sendSlowly(res: ServerResponse, bytes: Buffer, bodyDurationMs: number): void {
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
