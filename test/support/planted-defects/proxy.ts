import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';

/** The header lines of a message in their original order, each with name and value. */
export type HeaderLines = readonly (readonly [name: string, value: string])[];

/** A request with its complete body. */
export interface ProxyRequest {
  readonly method: string;
  /** The path and the query, without any decoding. */
  readonly target: string;
  readonly headers: HeaderLines;
  readonly body: Buffer;
  /** The connection of the client; undefined for a request of a defect. */
  readonly connection?: object;
}

/** A response with its complete body. */
export interface ProxyResponse {
  readonly status: number;
  readonly headers: HeaderLines;
  readonly body: Buffer;
}

/** Sends a request to the shop, and resolves to the response. */
export type Forward = (proxyRequest: ProxyRequest) => Promise<ProxyResponse>;

/** Handles a request in the proxy. It can change the request, send it to the shop with `pass`, and change the response. */
export type Tamper = (proxyRequest: ProxyRequest, pass: Forward) => Promise<ProxyResponse>;

/** A running proxy. */
export interface Proxy {
  readonly url: string;
  close(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';

/**
 * The maximum size of the headers that the proxy accepts, in bytes. It is higher than the limit of the shop, so that the shop rejects headers that are too
 * large.
 */
const MAX_HEADER_BYTES = 256 * 1024;

/** The time for which the shop keeps an idle connection open, in ms. */
const KEEP_ALIVE_MS = 65_000;

/** The headers that apply only to one connection (RFC 9110, section 7.6.1), and the headers that depend on the body. */
const HOP_BY_HOP = ['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'content-length'];

/** Starts a proxy for the shop at the port `shopPort`. `tamper` handles each request. Bytes that are not HTTP are sent to the shop without changes. */
export async function startProxy(shopPort: number, tamper: Tamper): Promise<Proxy> {
  const agent = new Agent({ keepAlive: true });
  const sockets = new Set<Duplex>();
  const respond = async (req: IncomingMessage, res: ServerResponse) => {
    try {
      const proxyRequest = {
        method: req.method ?? '',
        target: req.url ?? '',
        headers: getHeaderLines(req),
        body: await readBody(req),
        connection: req.socket,
      };
      sendResponse(res, await tamper(proxyRequest, (request) => send(request, shopPort, agent)));
    } catch (error) {
      if (!res.headersSent) res.writeHead(502).end(`the proxy of the defect failed: ${(error as Error).stack}`);
    }
  };
  const tunnel = (socket: Duplex, bytes: string | Buffer) => {
    const upstream = connect(shopPort, LOOPBACK);
    sockets.add(upstream).add(socket);
    upstream.on('error', () => socket.destroy()).write(bytes);
    upstream.pipe(socket).on('error', () => upstream.destroy());
  };
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requireHostHeader: false,
  })
    .on('request', respond)
    .on('checkExpectation', respond)
    .on('connect', (req, socket) => tunnel(socket, getHead(req)))
    .on('clientError', (error: Error & { rawPacket?: Buffer }, socket) => {
      if (error.rawPacket && socket.writable) tunnel(socket, error.rawPacket);
      else socket.destroy();
    });
  await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));
  return {
    url: `http://${LOOPBACK}:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const socket of sockets) socket.destroy();
      agent.destroy();
      await closed(server);
    },
  };
}

/** Sends a request to the shop and resolves to the response. If the shop has closed the connection, repeats the request over another connection. */
async function send(proxyRequest: ProxyRequest, port: number, agent: Agent): Promise<ProxyResponse> {
  for (;;) {
    const upstream = request({
      host: LOOPBACK,
      port,
      agent,
      method: proxyRequest.method,
      path: proxyRequest.target,
      setHost: false,
    });
    try {
      return await receiveResponse(upstream, proxyRequest);
    } catch (error) {
      if (!upstream.reusedSocket || (error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
    }
  }
}

function receiveResponse(
  upstream: ReturnType<typeof request>,
  { headers, body }: ProxyRequest,
): Promise<ProxyResponse> {
  const getHeader = (wanted: string) => headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
  for (const [name, value] of headers) if (isPassed(name, value)) upstream.appendHeader(name, value);
  // An empty body is sent with the same headers as the client sent: either `Transfer-Encoding` or `Content-Length`.
  if (getHeader('transfer-encoding') !== undefined) upstream.setHeader('Transfer-Encoding', 'chunked');
  else if (body.length > 0 || getHeader('content-length') !== undefined)
    upstream.setHeader('Content-Length', body.length);
  else for (const name of ['Content-Length', 'Transfer-Encoding']) upstream.removeHeader(name);
  return new Promise((resolve, reject) => {
    upstream.on('error', reject).on('response', async (res) => {
      resolve({ status: res.statusCode ?? 0, headers: getHeaderLines(res), body: await readBody(res) });
    });
    upstream.end(body);
  });
}

/** Returns whether the proxy forwards a request header. The proxy handles `Expect: 100-continue` itself. */
function isPassed(name: string, value: string): boolean {
  if (name.toLowerCase() === 'expect') return value.toLowerCase() !== '100-continue';
  return !HOP_BY_HOP.includes(name.toLowerCase());
}

function sendResponse(res: ServerResponse, { status, headers, body }: ProxyResponse): void {
  const isHead = res.req.method === 'HEAD';
  res.sendDate = false;
  res.statusCode = status;
  for (const [name, value] of headers) {
    const isLengthOfHead = isHead && body.length === 0 && name.toLowerCase() === 'content-length';
    const isEnd = name.toLowerCase() === 'connection' && value === 'close';
    if (isLengthOfHead || isEnd || !HOP_BY_HOP.includes(name.toLowerCase())) res.appendHeader(name, value);
  }
  const isBodiless = status === 204 || status === 304 || (isHead && body.length === 0);
  if (!isBodiless) res.setHeader('Content-Length', body.length);
  res.end(isHead ? undefined : body);
}

function getHeaderLines({ rawHeaders }: IncomingMessage): HeaderLines {
  return rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? ''] as const] : []));
}

async function readBody(message: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part);
  return Buffer.concat(parts);
}

function getHead(req: IncomingMessage): string {
  const lines = getHeaderLines(req).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${req.method} ${req.url} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
