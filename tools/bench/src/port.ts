import { once } from 'node:events';
import { createServer } from 'node:net';
import { LOOPBACK } from './send-request.ts';

/**
 * The ports for servers. They are below the ports that Linux uses for outgoing connections (from 32768), so that a connection of the load can't use the
 * port of a server.
 */
const FIRST_PORT = 20_000;
const LAST_PORT = 32_767;

/** Returns a random port that is not in use. Another program could use the port before the caller does, but this is improbable. */
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
    // The port is in use or not permitted. The caller tries another port.
    return false;
  } finally {
    server.close();
  }
}
