import { request as plainRequest } from 'node:http';
import { type AgentOptions, Agent as SecureAgent, request as secureRequest } from 'node:https';
import { Socket } from 'node:net';
import { type ConnectionOptions, connect } from 'node:tls';
import { UserError } from '../util/issue.ts';

/** An HTTP proxy between the check and the server. */
export interface HttpProxy {
  readonly url: URL;
  /** The environment variable with its address, such as `HTTP_PROXY`. */
  readonly variable: string;
  /** The headers with which the check logs in to the proxy. */
  readonly headers: Readonly<Record<string, string>>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the proxy for a URL, from the variables `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`, in upper or
 * lower case.
 * Returns undefined if there is none. Decision: a server on this machine never has one, as in Go.
 * Throws a `UserError` if the address of the proxy is invalid.
 */
export function findProxy(server: URL, environment: Environment): HttpProxy | undefined {
  const names = [server.protocol === 'https:' ? 'https_proxy' : 'http_proxy', 'all_proxy'];
  const variable = names.flatMap((name) => [name, name.toUpperCase()]).find((name) => environment[name]);
  const excluded = environment.no_proxy ?? environment.NO_PROXY ?? '';
  if (variable === undefined || isLoopback(server.hostname) || isExcluded(server, excluded)) return undefined;
  const text = environment[variable] ?? '';
  const address = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UserError(`Invalid proxy in ${variable}: use an HTTP proxy such as http://proxy.example.com:3128.`);
  const { username, password } = url;
  const login = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
  return { url, variable, headers: username === '' ? {} : { 'proxy-authorization': `Basic ${login}` } };
}

function isLoopback(hostname: string): boolean {
  return /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

/**
 * Returns whether a list such as `example.com, .internal, 10.0.0.1:8080` has the host of a URL, or a domain that
 * contains it.
 */
function isExcluded({ hostname, port, protocol }: URL, list: string): boolean {
  const ownPort = port || (protocol === 'https:' ? '443' : '80');
  return list.split(/[\s,]+/).some((entry) => {
    const [, name = '', entryPort] = /^\*?\.?(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    if (entry === '*') return true;
    if (name === '' || (entryPort !== undefined && entryPort !== ownPort)) return false;
    return hostname === name || hostname.endsWith(`.${name}`);
  });
}

/** Connects to HTTPS servers through a tunnel of a proxy (RFC 9110, section 9.3.6). */
export class TunnelAgent extends SecureAgent {
  readonly #proxy: HttpProxy;

  constructor(proxy: HttpProxy, options: AgentOptions) {
    super(options);
    this.#proxy = proxy;
  }

  // Node calls this method, and waits for the callback if it returns nothing.
  override createConnection(
    options: ConnectionOptions,
    callback: (error: Error | null, socket: Socket) => void = () => {},
  ): undefined {
    const { url, headers } = this.#proxy;
    const { host = '', port = 443 } = options;
    const target = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    const opening = (url.protocol === 'https:' ? secureRequest : plainRequest)({
      ...toAddress(url),
      agent: false,
      method: 'CONNECT',
      path: target,
      headers: { host: target, ...headers },
    });
    opening.once('connect', ({ statusCode }, socket: Socket) => {
      if (statusCode === 200) return callback(null, connect({ ...options, socket }));
      socket.destroy();
      callback(new Error(describeRefusal(this.#proxy, statusCode)), socket);
    });
    opening.once('error', (error) => callback(error, new Socket()));
    opening.end();
  }
}

/** Returns the host and the port of a proxy. */
export function toAddress({ hostname, port, protocol }: URL) {
  return { hostname: hostname.replace(/^\[|\]$/g, ''), port: port || (protocol === 'https:' ? 443 : 80) };
}

/** The status of a proxy that requires a login (RFC 9110, section 15.5.8). */
export const PROXY_LOGIN_REQUIRED = 407;

/** Describes that a proxy refuses a request. */
export function describeRefusal({ url, variable }: HttpProxy, status: number | undefined): string {
  const remedy =
    status === PROXY_LOGIN_REQUIRED
      ? `add the user and the password to ${variable}, as in http://USER:PASSWORD@${url.host}`
      : `add the host to NO_PROXY if the server can be reached without it`;
  return `the proxy ${url.host} (${variable}) responds with ${status}: ${remedy}`;
}
