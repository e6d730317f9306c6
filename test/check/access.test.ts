import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createAccess } from '../../src/check/access.ts';
import { findProxy } from '../../src/check/proxy.ts';
import { loadContract } from '../../src/openapi/contract.ts';
import { createOperation, writeDocument } from '../support/fixtures/other-document.ts';
import { runCheck } from '../support/harness/check.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { tempFolder } from '../support/harness/temp-folder.ts';
import { createCertificate, startProxy, startSecureServer } from '../support/harness/tls.ts';
import { startRecorder } from '../support/reference-servers/echo-server.ts';

const schema = { type: 'object', properties: { a: { type: 'integer' } } };

/** Checks a server with the options of a check. Returns the number of responses and what was not checked. */
async function check(
  url: string,
  options: Parameters<typeof createAccess>[0] = {},
  environment: Readonly<Record<string, string>> = {},
) {
  const path = await writeDocument({ paths: { '/things': { get: createOperation('getThing', schema) } } });
  const contract = await loadContract({ path, strict: false });
  const access = createAccess(options, environment);
  const { findings, unchecked, results } = await runCheck(url, { contract, isFresh: false, access });
  return { findings, unchecked, responses: results.responseCount };
}

const PASSED = { findings: [], unchecked: [], responses: expect.any(Number) };

describe('checkServer on an HTTPS server', () => {
  it('refuses an unknown certificate, and accepts it with --insecure or with its authority', async () => {
    const { cert, key } = await createCertificate('localhost', await tempFolder());
    const { port } = await startSecureServer({ cert: readFileSync(cert), key: readFileSync(key) });
    const url = `https://localhost:${port}`;
    await expect(check(url)).rejects.toThrow(
      /^The certificate of .* is not trusted: .*\. Add the certificate of its authority with --ca FILE\. .* --insecure/,
    );
    expect(await check(url, { insecure: true })).toEqual(PASSED);
    expect(await check(url, { ca: cert })).toEqual(PASSED);
  });

  it('sends a client certificate, and names the options if the server requires one', async () => {
    const folder = await tempFolder();
    const server = await createCertificate('localhost', folder);
    const client = await createCertificate('client', folder);
    const { port } = await startSecureServer({
      cert: readFileSync(server.cert),
      key: readFileSync(server.key),
      ca: readFileSync(client.cert),
      requestCert: true,
    });
    const url = `https://localhost:${port}`;
    await expect(check(url, { insecure: true })).rejects.toThrow(
      /refuses the connection without a certificate .*\. Add it with --cert FILE and --key FILE\.$/,
    );
    expect(await check(url, { insecure: true, ...client })).toEqual(PASSED);
  });

  it('says which file is missing or invalid', async () => {
    const folder = await folderWith({ 'a.pem': 'no certificate' });
    const { key } = await createCertificate('client', folder);
    const { cert } = await createCertificate('other', folder);
    expect(() => createAccess({ key }, {})).toThrow('--key needs the certificate of the client: add --cert FILE.');
    expect(() => createAccess({ ca: `${folder}/none.pem` }, {})).toThrow('Cannot read the file of --ca: ENOENT');
    expect(() => createAccess({ ca: `${folder}/a.pem` }, {})).toThrow(/^Invalid file of --ca: .*a.pem: it has no PEM/);
    expect(() => createAccess({ cert, key }, {})).toThrow(/^Invalid file of --key: .*mismatch/);
  });
});

describe('checkServer through a proxy', () => {
  it('uses HTTP_PROXY with its login, except for the hosts in NO_PROXY', async () => {
    const { url, seen } = await startRecorder((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"a":1}');
    });
    const proxy = await startProxy({ login: 'ann:pass word' });
    const HTTP_PROXY = `http://ann:pass%20word@${proxy.host}`;
    const server = `http://api.test:${new URL(url).port}`;
    expect(await check(server, {}, { HTTP_PROXY })).toMatchObject({ unchecked: [] });
    expect(proxy.seen).toContain(`GET ${server}/things`);
    expect(seen[0]?.headers.host).toBe(new URL(server).host);
    await expect(check(server, {}, { HTTP_PROXY, NO_PROXY: '.test' })).rejects.toThrow('No server responds at');
    await expect(check(server, {}, { HTTP_PROXY: proxy.host })).rejects.toThrow(
      /the proxy 127\.0\.0\.1:\d+ \(HTTP_PROXY\) responds with 407: add the user and the password to HTTP_PROXY/,
    );
  });

  it('opens a tunnel for HTTPS', async () => {
    const { cert, key } = await createCertificate('api.test', await tempFolder());
    const { port } = await startSecureServer({ cert: readFileSync(cert), key: readFileSync(key) });
    const proxy = await startProxy();
    const environment = { https_proxy: `http://${proxy.host}` };
    expect(await check(`https://api.test:${port}`, { ca: cert }, environment)).toEqual(PASSED);
    expect(new Set(proxy.seen)).toEqual(new Set([`CONNECT api.test:${port}`]));
    const closed = await startProxy({ login: 'a:b' });
    await expect(
      check(`https://api.test:${port}`, { ca: cert }, { HTTPS_PROXY: `http://${closed.host}` }),
    ).rejects.toThrow('(HTTPS_PROXY) responds with 407');
  });

  it('names the proxy if it cannot be reached', async () => {
    await expect(check('http://api.test', {}, { ALL_PROXY: 'localhost:1' })).rejects.toThrow(
      'through the proxy localhost:1 of ALL_PROXY',
    );
  });

  it.each<[string, string | undefined, string | undefined]>([
    ['http://localhost:3000', undefined, undefined],
    ['http://127.0.0.1', undefined, undefined],
    ['http://[::1]:80', undefined, undefined],
    ['http://a.example.com', 'example.com', undefined],
    ['http://example.com', '.example.com', undefined],
    ['http://a.example.com', 'other.test, *.example.com', undefined],
    ['http://notexample.com', 'example.com', 'p:1'],
    ['http://a.test', '*', undefined],
    ['http://a.test:81', 'a.test:80', 'p:1'],
    ['http://a.test', 'a.test:80', undefined],
    ['http://a.test', '', 'p:1'],
  ])('%s with NO_PROXY %s has the proxy %s', (url, NO_PROXY, proxy) => {
    expect(findProxy(new URL(url), { http_proxy: 'http://p:1', NO_PROXY })?.url.host).toBe(proxy);
  });

  it('refuses a proxy that is none for HTTP', () => {
    const environment = { HTTP_PROXY: 'socks5://localhost' };
    expect(() => findProxy(new URL('http://a.test'), environment)).toThrow('Invalid proxy in HTTP_PROXY: use an HTTP');
  });
});

it('sends at most as many requests in a second as --rate says', async () => {
  const timesMs: number[] = [];
  const { url } = await startRecorder((_, response) => {
    timesMs.push(performance.now());
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"a":1}');
  });
  await check(url, { rate: 50 });
  const [first = 0, last = 0] = [timesMs[0], timesMs.at(-1)];
  expect(timesMs.length).toBeGreaterThan(5);
  // Each request but the first waits for 20 ms. The last one can arrive sooner after a delay of the first.
  expect(last - first).toBeGreaterThan((timesMs.length - 2) * 20);
});
