/**
 * A server with only `node:http` that sends recorded responses. No server on Node needs less CPU time for a response. It is plain JavaScript, like the Koa
 * server, because a TypeScript loader would add to its start time and memory.
 *
 * Usage: `node bare.js PORT RESPONSES`. RESPONSES is the path of the file with the recorded responses of our server. The server reads and parses the body of
 * a POST request, but does not use it. It changes no state and writes nothing to the disk.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const [, , port, responsesFile = ''] = process.argv;

/** @type {import('../recorded-responses.ts').RecordedResponse[]} */
const responses = JSON.parse(readFileSync(responsesFile, 'utf8'));
const storedResponses = new Map(
  responses.map((response) => {
    const { method, path, body = '' } = response.request;
    return [`${method} ${path} ${body}`, toStoredResponse(response)];
  }),
);
const unknown = { status: 404, headers: { 'content-length': 0 }, bytes: Buffer.alloc(0) };

/** @param {import('../recorded-responses.ts').RecordedResponse} response */
function toStoredResponse({ status, contentType, cacheControl, body }) {
  const bytes = Buffer.from(body);
  const described = contentType === undefined ? {} : { 'content-type': contentType, 'content-length': bytes.length };
  const kept = cacheControl === undefined ? {} : { 'cache-control': cacheControl };
  return { status, headers: { ...described, ...kept }, bytes };
}

const server = createServer((request, response) => {
  /** @param {string} body */
  const send = (body) => {
    const { status, headers, bytes } = storedResponses.get(`${request.method} ${request.url} ${body}`) ?? unknown;
    response.writeHead(status, headers).end(bytes);
  };
  if (request.method === 'GET') {
    send('');
    return;
  }
  /** @type {Buffer[]} */
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks).toString();
    if (body !== '') JSON.parse(body);
    send(body);
  });
});

server.listen(Number(port), '127.0.0.1');
