import { ipVersion } from '../http/access-policy.ts';
import type { HttpServer } from '../http/server.ts';

/** An address that can't be listened on: `message` says why and what to do. */
export class AddressError extends Error {
  override readonly name = 'AddressError';
}

/** Where a server is to be reached. */
export interface Address {
  /** Without a slash at the end. */
  readonly url: string;
  readonly port: number;
}

/** Ours: loopback alone, unless asked otherwise. What `localhost` can mean; which of the two a client tries is its own affair, so both are listened on. */
const LOOPBACK = ['127.0.0.1', '::1'] as const;

/** Whether a server that is told to listen on `host` is reached from this machine alone. */
export function isLoopback(host: string | undefined): boolean {
  return host === undefined || /^(localhost|127(\.\d{1,3}){3}|::1)$/i.test(host);
}

/** Options of a server that decide what other machines can do with it. */
export interface ExposureOptions {
  readonly host?: string | undefined;
  readonly static?: string | undefined;
  readonly control?: boolean | undefined;
  readonly controlToken?: string | undefined;
  readonly allowHost?: readonly string[] | undefined;
}

/** Describes what other machines reach of a server that listens on more than loopback, which host names it refuses, and how to protect it. */
export function describeExposure({ control = true, controlToken, ...options }: ExposureOptions): string {
  const files = options.static === undefined ? 'the images' : 'the images and the files of --static';
  return [
    `The server listens on ${options.host}: other machines that reach it can read and change the data below /api, and read ${files}.`,
    describeControl(control, controlToken),
    describeHosts(options),
    'To protect the server, leave out --host, or let only trusted machines reach the port.',
  ].join(' ');
}

/** Says which host names get 403: who starts a container or a service of CI has to allow its name. */
function describeHosts({ host = '', allowHost = [] }: ExposureOptions): string {
  if (allowHost.includes('*')) return 'The server answers requests to every host name (--allow-host *).';
  const names = ['localhost', ...(ipVersion(host) > 0 ? [] : [host]), ...allowHost].join(', ');
  return `Requests to a host name other than ${names} get 403, so that no web page can reach the server under a name of its own: allow the name of a container or service with --allow-host NAME.`;
}

function describeControl(isOn: boolean, token: string | undefined): string {
  if (!isOn) return 'The control API is off.';
  return token === undefined
    ? 'The control API is off: it needs a --control-token.'
    : 'The control API asks for the token.';
}

/** How often another free port is tried where the one found on 127.0.0.1 is taken on ::1. */
const TRIES = 10;

/**
 * Has a server listen on `host`, or on loopback alone where none is given; port 0 picks a free one. Throws `AddressError`.
 */
export async function listen(server: HttpServer, host: string | undefined, port: number): Promise<Address> {
  const main = host ?? LOOPBACK[0];
  for (let attempt = 1; ; attempt++) {
    try {
      const bound = await server.listen(main, port);
      if (host === undefined) await alsoOnIpv6(server, bound);
      return { url: `http://${named(main)}:${bound}`, port: bound };
    } catch (error) {
      await server.unlisten();
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EADDRINUSE' || port !== 0 || attempt === TRIES) {
        throw addressFault(main, port, error as NodeJS.ErrnoException);
      }
    }
  }
}

/** Codes of a machine that has no IPv6. */
const NO_IPV6 = ['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL'];

async function alsoOnIpv6(server: HttpServer, port: number): Promise<void> {
  try {
    await server.listen(LOOPBACK[1], port);
  } catch (error) {
    if (!NO_IPV6.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

/** A host as it stands in a URL that works on this machine. */
function named(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

function addressFault(host: string, port: number, cause: NodeJS.ErrnoException): AddressError {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `port ${port} is in use: stop what uses it, or choose another with --port (0 picks a free one)`,
    EACCES: `port ${port} is not for this user: choose one above 1023 with --port`,
    EADDRNOTAVAIL: `${host} is not an address of this machine: choose another with --host, or leave it out`,
    ENOTFOUND: `there is no host ${host}: choose another with --host, or leave it out`,
  };
  const reason = reasons[cause.code ?? ''] ?? `can't listen on ${host}, port ${port}: ${cause.message}`;
  return new AddressError(reason, { cause });
}
