import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/openapi/contract.ts';
import { shopModel } from '../../src/shop/model/shop.ts';
import { createOperation, writeDocument } from '../support/fixtures/other-document.ts';
import { runCheck, shopContract } from '../support/harness/check.ts';
import { startRecorder } from '../support/reference-servers/echo-server.ts';

const paths = {
  '/items': { get: createOperation('listItems'), post: createOperation('createItem') },
  '/items/{id}': {
    parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
    get: createOperation('getItem'),
  },
};

const HTML = { 'content-type': 'text/html' };

/** Checks a server that sends one response to every request. Returns the verdict and the received requests. */
async function check(
  status: number,
  headers: Readonly<Record<string, string>> = {},
  { text = '', path = '', options = {} } = {},
) {
  const { url, seen } = await startRecorder((_, response) => void response.writeHead(status, headers).end(text));
  const servers = [{ url: 'https://api.example.com/v1' }];
  const contract = await loadContract({ path: await writeDocument({ paths, ...{ servers } }), strict: false });
  const verdict = await runCheck(url + path, { contract, isFresh: false, ...options });
  return { verdict, seen, url };
}

describe('checkServer on a server without the operations of the contract', () => {
  const FOREIGN: readonly [what: string, status: number, headers?: Readonly<Record<string, string>>, text?: string][] =
    [
      ['404', 404],
      ['501', 501],
      ['405', 405, { allow: 'GET' }],
      ['a redirect', 301, { location: 'https://example.com/' }],
      ['the page of a web site', 200, HTML, '<!DOCTYPE html><p>Welcome</p>'],
    ];
  it.each(FOREIGN)('is incomplete and gives the reason if every response is %s', async (_, status, headers, text) => {
    const { verdict, seen, url } = await check(status, headers, { text });
    expect([verdict.findings, verdict.unchecked]).toEqual([[], ['everything']]);
    expect(verdict.notes).toEqual([
      expect.stringMatching(
        /^The check stopped early: .* does not have the operations of .*: every response has status/,
      ),
    ]);
    expect(verdict.notes[0]).toContain(`The contract has the base path /v1 (servers): try ${url}/v1.`);
    // One request for each operation, and one to find the server.
    expect(seen).toHaveLength(4);
  });

  it('suggests the URL without its path', async () => {
    const { verdict, url } = await check(404, {}, { path: '/v1' });
    expect(verdict.notes[0]).toContain(`The URL has the path /v1: try ${url} if the server has none.`);
  });

  it('names the contract that is used without --contract', async () => {
    const options = { contract: shopContract, model: shopModel, usesDefaultContract: true };
    const { verdict } = await check(403, {}, { options });
    expect(verdict.notes[0]).toContain('Without --contract, the check uses the contract of the shop');
  });
});

it('checkServer checks a server that has only one of the operations', async () => {
  const { url } = await startRecorder(({ method, target }, response) => {
    const isFound = method === 'POST' && target === '/items';
    response.writeHead(isFound ? 200 : 404, { 'content-type': 'application/json' }).end('{}');
  });
  const contract = await loadContract({ path: await writeDocument({ paths }), strict: false });
  const { findings } = await runCheck(url, { contract, isFresh: false });
  expect(findings.map(({ operationId, status }) => `${operationId} ${status}`)).toContain('listItems 404');
});

it('checkServer checks a server that responds with another status than 404 only to the documented examples', async () => {
  const example = { owner: 'known' };
  const schema = { type: 'object', properties: { owner: { type: 'string' } }, required: ['owner'] };
  const createItem = createOperation('createItem', undefined, {
    requestBody: { content: { 'application/json': { schema, example } } },
    responses: { 201: { description: 'Created' }, 404: { description: 'The owner is unknown' } },
  });
  const { url } = await startRecorder(({ body }, response) => {
    response.writeHead(`${body}` === JSON.stringify(example) ? 201 : 404).end();
  });
  const document = await writeDocument({ paths: { '/items': { post: createItem } } });
  const contract = await loadContract({ path: document, strict: false });
  const { notes } = await runCheck(url, { contract, isFresh: false, runs: 1 });
  expect(notes.join()).not.toContain('does not have the operations');
});
