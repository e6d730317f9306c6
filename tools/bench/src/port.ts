import { once } from 'node:events';
import { createServer } from 'node:net';
import { LOOPBACK } from './send-request.ts';

/**
 * The first and the last port that a server can get. Linux uses the ports from 32768 for outgoing connections, so a client connection can't occupy the port
 * of a server.
 */
const FIRST_PORT = 20_000;
const LAST_PORT = 32_767;

/** Returns a random port that no program uses. Another program could use the port before the caller does, but this is unlikely. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * (LAST_PORT - FIRST_PORT + 1));
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, LOOPBACK);
    await once(server, 'listening');
    return true;
  } catch {
    // The port is in use, or this user may not use it. The caller tries another port.
    return false;
  } finally {
    server.close();
  }
}
