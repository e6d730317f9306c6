// Starts servers of the installed package for tests that stop, restart or configure a server.
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';

/** The time in which a server must start, in ms. */
const START_MS = 30_000;

/** Returns a port that no program uses. */
export function findPort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Starts a server with its data in memory. Resolves to its address, and a function that stops it. */
export async function startServer(port, ...options) {
  const [program, ...start] = (process.env.STOREFRONT ?? 'npx --no-install storefront').split(' ');
  const child = spawn(program, [...start, '--port', String(port), '--durability', 'memory', ...options], {
    stdio: 'ignore',
    detached: true,
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const url = `http://localhost:${port}`;
  const endMs = Date.now() + START_MS;
  while (!(await fetch(`${url}/_control/health`).catch(() => undefined))?.ok) {
    if (Date.now() > endMs || child.exitCode !== null) throw new Error(`The server does not respond at ${url}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const stop = async () => {
    // The negative id is that of the group, which contains the server that npx has started.
    process.kill(-child.pid);
    await exited;
  };
  return { url, stop };
}
