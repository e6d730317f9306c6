import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A TCP proxy between a server and its database. A test uses it to simulate network failures. */
export interface TcpProxy {
  readonly port: number;
  /** Closes all connections, and closes each new connection immediately. */
  cut(): void;
  /** Stops forwarding data, but leaves the connections open, so that neither side notices the failure. */
  hang(): void;
  /**
   * Forwards the next statement that contains `text`, but not its reply. When the reply arrives, cuts the network as `cut` does. So the database has executed
   * the statement, but the server does not know it.
   */
  loseReply(text: string): void;
  /** Delays all data from the database by this time, in ms. */
  delay(ms: number): void;
  /** Ends all failures. Connections that were open while the proxy did not forward data stay broken. */
  repair(): void;
  /** Returns the number of open connections from the server. */
  countConnections(): number;
}

/** Starts a TCP proxy for the loopback port `target`. Stops the proxy when the test ends. */
export async function startTcpProxy(target: number): Promise<TcpProxy> {
  let state: 'open' | 'cut' | 'hung' = 'open';
  let delayMs = 0;
  let lostText: string | undefined;
  const near = new Set<Socket>();
  const cut = () => {
    state = 'cut';
    for (const socket of near) socket.destroy();
  };
  const server = createServer((client) => {
    if (state === 'cut') return void client.destroy();
    near.add(client.on('error', () => {}));
    const database = connect(target, '127.0.0.1').on('error', () => {});
    let isHung = state === 'hung';
    let isReplyLost = false;
    const forward = (to: Socket, ms: number) => (bytes: Buffer) => {
      isHung ||= state === 'hung';
      if (isHung) return;
      if (ms === 0) to.write(bytes);
      else setTimeout(() => to.write(bytes), ms);
    };
    client
      .on('data', (bytes) => {
        if (lostText !== undefined && bytes.includes(lostText)) [isReplyLost, lostText] = [true, undefined];
        forward(database, 0)(bytes);
      })
      .on('close', () => {
        near.delete(client);
        database.destroy();
      });
    database
      .on('data', (bytes) => {
        if (isReplyLost) cut();
        else forward(client, delayMs)(bytes);
      })
      .on('close', () => {
        if (state !== 'hung' && !isHung) client.destroy();
      });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    cut();
    server.close();
  });
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    loseReply(text) {
      lostText = text;
    },
    hang() {
      state = 'hung';
    },
    delay(ms) {
      delayMs = ms;
    },
    repair() {
      state = 'open';
      delayMs = 0;
    },
    countConnections: () => near.size,
  };
}
