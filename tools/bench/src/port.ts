import { once } from 'node:events';
import { createServer } from 'node:net';
import { LOOPBACK } from './ask.ts';

/**
 * Below the ports that Linux gives to outgoing connections (32768 and up): one of the load's can't take it, and polling
 * it can't end in a connection to itself.
 */
const FIRST_PORT = 20_000;
const LAST_PORT = 32_767;

/** A port that nothing listens on, drawn at random. Another program could take it before it is used; none was seen to. */
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
    // In use, or not ours to use: the next one will do.
    return false;
  } finally {
    server.close();
  }
}
