import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/**
 * Starts a proxy that delays each response of the server on a loopback port. `latencyMs`: the delay, in ms. Stops the proxy when the test ends. Returns the
 * URL of the proxy.
 */
export async function startSlowProxy(port: number, latencyMs: number): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const socket of [near, far]) sockets.add(socket.on('error', () => {}));
    near.pipe(far);
    far.on('data', (bytes) => void setTimeout(() => near.write(bytes), latencyMs));
    far.on('close', () => void setTimeout(() => near.end(), latencyMs));
    near.on('close', () => far.destroy());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
