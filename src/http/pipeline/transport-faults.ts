import type { ServerResponse } from 'node:http';
import type { FaultEffect } from '../../sandbox/faults/combine-faults.ts';

/** The effects of an injected fault on the transmission of a response: closing the connection, or sending the body slowly. */
export type TransportFault = Pick<FaultEffect, 'connection' | 'bodyDurationMs'>;

/**
 * Sends the body of a response whose status and headers are already set. Depending on the fault, sends the body slowly, or closes the connection after half of
 * the body. If the fault closes the connection and the body is empty, resets the connection without a response. Returns whether a response is sent.
 */
export function sendWithTransportFault(res: ServerResponse, content: string | Buffer, fault: TransportFault): boolean {
  const { connection, bodyDurationMs = 0 } = fault;
  const all = typeof content === 'string' ? Buffer.from(content) : content;
  const bytes = res.req.method === 'HEAD' ? all.subarray(0, 0) : all;
  if (!connection && bytes.length === 0) res.end();
  else if (!connection) sendSlowly(res, bytes, bodyDurationMs);
  else if (bytes.length === 0) resetConnection(res);
  else {
    res.flushHeaders();
    res.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => res.req.socket.destroy());
  }
  return !connection || bytes.length > 0;
}

/** Resets the connection of a response (TCP RST), as if the server crashed. First waits until earlier responses on the connection are sent. */
export function resetConnection(res: ServerResponse): void {
  if (res.socket) res.socket.resetAndDestroy();
  else res.once('socket', (socket) => socket.resetAndDestroy());
}

/** The number of pieces into which a slow body is split. */
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
