import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** How long requests that have begun may take to finish once the server stops, in ms. */
const GRACE_MS = 8_000;

/** How long a connection without a request is waited for then, in ms: its client may be in the middle of sending one. */
const SILENT_GRACE_MS = 500;

/** The open connections of a server, and the last response of each. */
export interface Connections {
  opened(socket: Duplex): void;
  /** A request has arrived on its connection, and this is to be its response. */
  begun(response: ServerResponse): void;
  /** The last response of a connection, done or not; undefined where it has had no request yet. */
  lastOf(socket: Duplex): ServerResponse | undefined;
  /** Ends each connection with the response that is in the making, and cuts off what lasts too long; waits for `allClosed`. */
  end(allClosed: Promise<unknown>): Promise<void>;
}

/** Keeps track of connections from their opening on. */
export function trackConnections(): Connections {
  const last = new Map<Duplex, ServerResponse | undefined>();
  return {
    opened(socket) {
      last.set(socket, undefined);
      socket.once('close', () => last.delete(socket));
    },
    begun(response) {
      last.set(response.req.socket, response);
    },
    lastOf: (socket) => last.get(socket),
    async end(allClosed) {
      for (const [socket, response] of last) if (isBegun(response)) endWith(response, socket);
      const cutSilent = setTimeout(() => {
        for (const [socket, response] of last) if (!isBegun(response)) socket.destroy();
      }, SILENT_GRACE_MS);
      const cutAll = setTimeout(() => {
        for (const socket of last.keys()) socket.destroy();
      }, GRACE_MS);
      await allClosed;
      clearTimeout(cutSilent);
      clearTimeout(cutAll);
    },
  };
}

/** Does something once a response is out, now where it is out already. */
export function afterwards(response: ServerResponse, then: () => void): void {
  if (isBegun(response)) response.once('close', then);
  else then();
}

function isBegun(response: ServerResponse | undefined): response is ServerResponse {
  return response !== undefined && !response.writableFinished && !response.destroyed;
}

function endWith(response: ServerResponse, socket: Duplex): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
  response.once('close', () => socket.destroy());
}
