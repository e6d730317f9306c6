// Starts servers of the installed package for tests that stop, restart or configure a server.
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';

/** The time in which a server must start, in ms. */
const START_MS = 30_000;

/**
 * Finds a free port for a server that is stopped and started again.
 * Linux gives ports from 32,768 to other servers and connections, so none of them gets this port in the meantime.
 */
export async function findPort() {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    if (await isFree(port)) return port;
  }
}

function isFree(port) {
  return new Promise((resolve) => {
    const server = createServer()
      .once('error', () => resolve(false))
      .listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
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
