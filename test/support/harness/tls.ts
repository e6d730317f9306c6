import { execFile } from 'node:child_process';
import { createServer as createPlainServer, request } from 'node:http';
import { createServer, type ServerOptions } from 'node:https';
import { type AddressInfo, connect, type Server } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';

/** The paths of a certificate and its key, as PEM files. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** Creates a self-signed certificate for a host. */
export async function createCertificate(name: string, folder: string): Promise<Certificate> {
  const [cert, key] = [join(folder, `${name}.pem`), join(folder, `${name}-key.pem`)];
  const names = `subjectAltName=DNS:${name},DNS:localhost,IP:127.0.0.1`;
  const options = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  await promisify(execFile)('openssl', [
    ...['req', '-x509', ...options, '-subj', `/CN=${name}`, '-addext', names, '-out', cert, '-keyout', key],
  ]);
  return { cert, key };
}

/** The server for each test responds to each request with this JSON. */
const BODY = '{"a":1}';

/** Starts an HTTPS server. It is closed when the test ends. Returns its port. */
export async function startSecureServer(options: ServerOptions) {
  const server = createServer(options, ({ method }, response) => {
    const isRead = method === 'GET' || method === 'HEAD';
    response.writeHead(isRead ? 200 : 405, { 'content-type': 'application/json', allow: 'GET' }).end(BODY);
  });
  return { port: await listen(server) };
}

/**
 * Starts an HTTP proxy, which sends the requests for all hosts to this machine.
 * `login`: the user and the password that it requires, as in `user:password`.
 * Returns its address and the requests that it has received.
 */
export async function startProxy({ login }: { readonly login?: string } = {}) {
  const seen: string[] = [];
  const isAllowed = ({ 'proxy-authorization': sent }: { readonly 'proxy-authorization'?: string | undefined }) =>
    login === undefined || sent === `Basic ${Buffer.from(login).toString('base64')}`;
  const server = createPlainServer((incoming, response) => {
    const { method = '', url = '', headers } = incoming;
    seen.push(`${method} ${url}`);
    if (!isAllowed(headers)) return void response.writeHead(407).end();
    const { port, pathname, search } = new URL(url);
    const options = { host: '127.0.0.1', port, method, path: pathname + search, headers };
    incoming.pipe(
      request(options, (received) => {
        response.writeHead(received.statusCode ?? 502, received.headers);
        received.pipe(response);
      }),
    );
  });
  server.on('connect', ({ url = '', headers }, socket) => {
    seen.push(`CONNECT ${url}`);
    if (!isAllowed(headers)) return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    const upstream = connect(Number(url.split(':')[1]), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    for (const end of [socket, upstream]) end.on('error', () => upstream.destroy());
  });
  return { host: `127.0.0.1:${await listen(server)}`, seen };
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}
