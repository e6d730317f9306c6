import { ipVersion } from '../http/access-policy.ts';
import type { HttpServer } from '../http/server.ts';
import { UserError } from '../util/user-error.ts';
import type { ServerOptions, Storefront } from './options.ts';

/** The addresses that the server listens on by default. Decision: only this machine can connect. `localhost` can mean either of these addresses. */
const LOOPBACK = ['127.0.0.1', '::1'] as const;

/**
 * Returns a warning for a server that other machines can reach. The warning says what these machines can access, which host names are allowed, and how to
 * protect the server.
 */
export function describeExposure({ control = true, controlToken, ...options }: ServerOptions): string {
  const files = options.static === undefined ? 'the images' : 'the images and the files of --static';
  return [
    `The server listens on ${options.host}. Other machines can read and change the data through the API, and read ${files}.`,
    describeControl(control, controlToken),
    describeHosts(options),
    'To protect the server, omit --host and the variable HOST, or allow only trusted machines to connect to the port.',
  ].join(' ');
}

function describeHosts({ host = '', allowHost = [] }: ServerOptions): string {
  if (allowHost.includes('*')) return 'All host names are allowed (--allow-host *).';
  const names = ['localhost', ...(ipVersion(host) > 0 ? [] : [host]), ...allowHost].join(', ');
  const remedy = allowHost.length > 0 ? '' : ' To allow the name of a container or a service, use --allow-host NAME.';
  return `Requests to IP addresses and these host names are allowed: ${names}. Requests to other host names get 403, which prevents DNS rebinding attacks by web pages.${remedy}`;
}

function describeControl(isOn: boolean, token: string | undefined): string {
  if (!isOn) return 'The control API is disabled.';
  return token === undefined
    ? 'The control API is disabled: with --host, it needs --control-token.'
    : 'The control API requires the token of --control-token.';
}

/** Returns a warning for a server on loopback without a token for the control API, which others can reach under a public name. */
export function describePublicHost(name: string): string {
  return `--allow-host ${name} is a public name, so other machines can reach the server through a proxy. The control API and the console are disabled until the server has a token: add --control-token TOKEN. If you need neither, add --no-control.`;
}

/** How many free ports are tried if a port is free on 127.0.0.1 but not on ::1. */
const MAX_ATTEMPTS = 10;

/**
 * Starts to listen on `host`. By default, listens on 127.0.0.1 and ::1. With port 0, uses a free port. Rejects with a `UserError` if the server can't listen
 * on the host or port.
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
    EADDRNOTAVAIL: `${host} is not an address of this machine. Choose another address with --host, or omit --host.`,
    ENOTFOUND: `The host ${host} does not exist. Choose another address with --host, or omit --host.`,
  };
  const reason = reasons[cause.code ?? ''] ?? `Can't listen on ${host}, port ${port}: ${cause.message}`;
  return new UserError(reason, { cause });
}
