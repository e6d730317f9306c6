import type { HttpServer } from '../http/server.ts';
import { UserError } from '../util/issue.ts';
import type { Storefront } from './options.ts';

/**
 * The addresses that the server listens on by default.
 * Decision: only this machine can connect.
 * `localhost` can mean either of these addresses.
 */
const LOOPBACK = ['127.0.0.1', '::1'] as const;

/** How many free ports are tried if a port is free on 127.0.0.1 but not on ::1. */
const MAX_ATTEMPTS = 10;

/**
 * Starts to listen on `host`.
 * By default, listens on 127.0.0.1 and ::1.
 * With port 0, uses a free port.
 * Rejects with a `UserError` if the server can't listen on the host or port.
 */
export async function listen(
  server: HttpServer,
  host: string | undefined,
  port: number,
): Promise<Pick<Storefront, 'url' | 'port'>> {
  const mainHost = host ?? LOOPBACK[0];
  for (let attempt = 1; ; attempt++) {
    try {
      const openPort = await server.listen(mainHost, port);
      if (host === undefined) await listenOnIpv6(server, openPort);
      return { url: `http://${toUrlHost(mainHost)}:${openPort}`, port: openPort };
    } catch (error) {
      await server.unlisten();
      const cause = error as NodeJS.ErrnoException;
      if (cause.code !== 'EADDRINUSE' || port !== 0 || attempt === MAX_ATTEMPTS)
        throw createUserError(mainHost, port, cause);
    }
  }
}

/** The error codes that mean that this machine has no IPv6. */
const NO_IPV6 = ['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL'];

async function listenOnIpv6(server: HttpServer, port: number): Promise<void> {
  try {
    await server.listen(LOOPBACK[1], port);
  } catch (error) {
    if (!NO_IPV6.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

/** Returns the host part of a URL with which a program on this machine can reach the server. */
function toUrlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

function createUserError(host: string, port: number, cause: NodeJS.ErrnoException): UserError {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} is in use. Stop the program that uses it, or choose another port with --port (0 picks a free one).`,
    EACCES: `Port ${port} requires privileges that this user does not have. Choose a port above 1023 with --port.`,
    EADDRNOTAVAIL: `${host} is not an address of this machine. Choose another address with --host or the variable HOST, or omit both.`,
    ENOTFOUND: `The host ${host} does not exist. Choose another address with --host or the variable HOST, or omit both.`,
  };
  const reason = reasons[cause.code ?? ''] ?? `Can't listen on ${host}, port ${port}: ${cause.message}`;
  return new UserError(reason, { cause });
}
