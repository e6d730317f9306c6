import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadContract } from '../../src/openapi/contract.ts';
import { type RequestOptions, readSource } from '../../src/openapi/document-source.ts';
import { UserError } from '../../src/util/issue.ts';
import { findFreePort } from '../support/harness/free-port.ts';

const DOCUMENT = JSON.stringify({
  openapi: '3.0.3',
  info: { title: 'Notes', version: '1' },
  paths: { '/notes': { get: { operationId: 'listNotes', responses: { 204: { description: 'No notes' } } } } },
});

/** The headers of the requests to a test server, by path. */
type Received = Map<string, IncomingMessage['headers']>;

async function serve(respond: (path: string, response: ServerResponse) => void, port = 0) {
  const received: Received = new Map();
  const server: Server = createServer(({ url = '', headers }, response) => {
    received.set(url, headers);
    respond(url, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function getError(path: string, request?: RequestOptions): Promise<string> {
  const error = await readSource({ path }, request).catch((reason) => reason);
  expect(error).toBeInstanceOf(UserError);
  return error.message;
}

describe('a document at a URL', () => {
  it('is requested with the credentials in the URL, which no message contains', async () => {
    const { url, received } = await serve((_, response) => response.end(`\uFEFF${DOCUMENT}`));
    const secret = url.replace('//', '//ann:p%40ss-word@');
    const source = await readSource({ path: `${secret}/api.json?token=abcdefgh` });
    expect(source.bytes.toString()).toBe(DOCUMENT);
    expect(source.path).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api\.json\?token=/);
    expect(source.path).not.toMatch(/ann|ss-word|abcdefgh/);
    const { authorization } = received.get('/api.json?token=abcdefgh') ?? {};
    expect(authorization).toBe(`Basic ${Buffer.from('ann:p@ss-word').toString('base64')}`);
    const contract = await loadContract({ path: `${secret}/api.json`, strict: false });
    expect(contract.locate('/paths/~1notes/get')).toBe(`${url}/api.json:1:84 #/paths/~1notes/get`);
  });

  it('is read after redirects, and only the first host gets the credentials', async () => {
    const other = await serve((_, response) => response.end(DOCUMENT));
    const { url, received } = await serve((path, response) =>
      response.writeHead(302, { location: path === '/one' ? '/two' : `${other.url}/api.json` }).end(),
    );
    const source = await readSource(
      { path: `${url.replace('//', '//ann:secret@')}/one` },
      { headers: { 'x-key': 'k' } },
    );
    expect(source).toMatchObject({ bytes: Buffer.from(DOCUMENT), path: `${url}/one` });
    expect(received.get('/two')).toMatchObject({ 'x-key': 'k', authorization: expect.stringContaining('Basic ') });
    expect(other.received.get('/api.json')).not.toHaveProperty('authorization');
    expect(other.received.get('/api.json')).not.toHaveProperty('x-key');
  });

  it('has an error that says what the server sends instead', async () => {
    const { url } = await serve((path, response) => {
      if (path === '/private') response.writeHead(401).end();
      else if (path === '/login') response.end('<html>Log in</html>');
      else if (path === '/loop') response.writeHead(302, { location: '/loop' }).end();
      else if (path === '/large') response.end(Buffer.alloc(65 * 1024 * 1024, 32));
      else response.writeHead(path.includes('.') ? 404 : 302, { location: '/login' }).end();
    });
    expect(await getError(`${url}/private`)).toMatch(/\/private responds with 401: add credentials to the URL/);
    expect(await getError(`${url}/docs`)).toMatch(/status 200, redirects to http\S+\/login\), also not at/);
    expect(await getError(`${url}/loop`)).toMatch(/redirects more than 10 times/);
    expect(await getError(`${url}/large`)).toMatch(/has more than 64 MB/);
    expect(await getError('http://[::')).toMatch(/is not a valid URL/);
  });

  it('is awaited until the server has started', async () => {
    const port = await findFreePort();
    const path = `http://127.0.0.1:${port}/api.json`;
    expect(await getError(path)).toMatch(
      /^Cannot read http\S+ \(ECONNREFUSED\): start the server, or correct the URL$/,
    );
    const reading = readSource({ path }, { waitSeconds: 60 });
    let count = 0;
    await serve((_, response) => response.writeHead(count++ === 0 ? 503 : 200).end(DOCUMENT), port);
    expect((await reading).bytes.toString()).toBe(DOCUMENT);
  });

  it('has no files beside it', async () => {
    const { url } = await serve((_, response) =>
      response.end(DOCUMENT.replace('{"204":{"description":"No notes"}}', '{"204":{"$ref":"no-notes.json"}}')),
    );
    await expect(loadContract({ path: `${url}/api.json`, strict: false })).rejects.toThrow(
      /api\.json:1:\d+ .*which is not loaded, because the document is from a URL/,
    );
  });
});
