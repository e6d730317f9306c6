import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkServer } from '../../src/check/check.ts';
import { loadContract } from '../../src/openapi/contract.ts';
import { parseStream } from '../../src/util/streams.ts';
import { createObject, createResourcePaths, refer } from '../support/fixtures/api-document.ts';
import { writeDocument } from '../support/fixtures/other-document.ts';
import { formatFindings } from '../support/harness/check.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { startApi, writeApi } from '../support/harness/start-api.ts';
import { startRecorder } from '../support/reference-servers/echo-server.ts';

const NUMBER = { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } };

const DEFAULTS = { headers: {}, seed: 1, runs: 5, mayWrite: true, isFresh: false, waitSeconds: 0 };

/** Checks a server whose stream at `/numbers` has this text and does not end. Returns the findings. */
async function checkStream(type: string, schema: object, texts: readonly string[]): Promise<readonly string[]> {
  const get = { operationId: 'watch', responses: { 200: { description: 'd', content: { [type]: { schema } } } } };
  const contract = await loadContract({ path: await writeDocument({ paths: { '/numbers': { get } } }), strict: false });
  const { url } = await startRecorder(async ({ method, target }, response) => {
    if (target.split('?')[0] !== '/numbers') return void response.writeHead(404).end();
    if (method !== 'GET' && method !== 'HEAD') return void response.writeHead(405, { allow: 'GET' }).end();
    response.writeHead(200, { 'content-type': type });
    if (method === 'HEAD') return void response.end();
    for (const text of texts) response.write(text);
  });
  const { findings } = await checkServer({ contract, url, ...DEFAULTS });
  return formatFindings(findings);
}

describe('the check of a stream that does not end', () => {
  it.each<readonly [type: string, schema: object, texts: readonly string[]]>([
    ['text/event-stream', NUMBER, [': hello\n\n', 'data: {"n":1}\n\ndata: {"n":2}\n\n', 'data: {"n":']],
    ['text/event-stream', createObject({ 'data!': NUMBER, id: { type: 'integer' } }), ['id: 3\ndata: {"n":1}\n\n']],
    ['text/event-stream', { type: 'string' }, ['data: hello\n\n']],
    ['application/x-ndjson', NUMBER, ['{"n":1}\n', ...Array.from({ length: 50 }, (_, n) => `{"n":${n}}\n`)]],
    ['application/json-seq', NUMBER, ['\u001e{"n":1}\n'.repeat(25)]],
  ])('of %s with the schema %j passes with valid items', async (type, schema, texts) => {
    expect(await checkStream(type, schema, texts)).toEqual([]);
  });

  it.each([
    [
      'an invalid event',
      'text/event-stream',
      NUMBER,
      ['data: {"n":1}\n\n', 'data: {"n":"2"}\n\n'],
      'body/1/n must be integer',
    ],
    ['data that is no JSON', 'text/event-stream', NUMBER, ['data: one\n\n'], 'body/0 must be object'],
    [
      'a data text with invalid JSON content',
      'text/event-stream',
      createObject({ 'data!': { type: 'string', contentMediaType: 'application/json', contentSchema: NUMBER } }),
      ['data: {"m":1}\n\n'],
      'body/*/data/n required',
    ],
    ['an invalid line', 'application/jsonl', NUMBER, ['{"n":1}\n{"m":2}\n'.repeat(20)], 'body/*/n required'],
    [
      'a line that is no JSON',
      'application/jsonl',
      NUMBER,
      ['{"n":1}\nhello\n'.repeat(20)],
      'item 2 is not valid JSON',
    ],
    ['a sequence without separators', 'application/json-seq', NUMBER, ['{"n":1}\n'.repeat(20_000)], 'record separator'],
  ])('finds %s', async (_, type, schema, texts, finding) => {
    expect((await checkStream(type, schema, texts)).join('\n')).toContain(finding);
  });
});

it('the check passes for a server that streams the changes of a resource', async () => {
  const api = {
    paths: {
      ...createResourcePaths('/tasks/{taskId}', refer('Task')),
      '/tasks/events': { get: { operationId: 'watch', response: refer('Task'), responseType: 'text/event-stream' } },
    },
    schemas: { Task: createObject({ 'id!': { type: 'integer', readOnly: true }, 'title!': { type: 'string' } }) },
  };
  const contract = await loadContract({ path: await writeApi(api), strict: false });
  const { url } = await startApi(api);
  const { findings, unchecked } = await checkServer({ contract, url, ...DEFAULTS });
  expect([formatFindings(findings), unchecked]).toEqual([[], []]);
});

const ENCODED = { type: 'string', contentMediaType: 'application/json', contentSchema: NUMBER };

it.each<readonly [type: string, itemSchema: object, isValidItem: (item: unknown) => boolean]>([
  ['application/jsonl', NUMBER, isNumber],
  ['application/json-seq', NUMBER, isNumber],
  ['multipart/mixed', NUMBER, isNumber],
  ['text/event-stream', NUMBER, hasNumber],
  ['text/event-stream', createObject({ 'data!': ENCODED, event: { const: 'n' } }), hasNumber],
])('the check sends items in a request body of %s with the itemSchema %j', async (type, itemSchema, isValidItem) => {
  const requestBody = { required: true, content: { [type]: { itemSchema } } };
  const responses = { 204: { description: 'd' }, 400: { description: 'd' } };
  const paths = { '/numbers': { post: { operationId: 'importNumbers', requestBody, responses } } };
  const document = { openapi: '3.2.0', info: { title: 'Numbers', version: '1' }, paths };
  const path = join(await folderWith({ 'api.json': JSON.stringify(document) }), 'api.json');
  const sizes = new Set<number>();
  const { url } = await startRecorder(({ method, headers, body }, response) => {
    if (method !== 'POST') return void response.writeHead(405, { allow: 'POST' }).end();
    const { items } = parseStream(headers['content-type'] ?? '', String(body));
    const isValid = items.length > 0 && items.every(isValidItem);
    if (isValid) sizes.add(items.length);
    response.writeHead(isValid ? 204 : 400).end();
  });
  const verdict = await checkServer({ contract: await loadContract({ path, strict: false }), url, ...DEFAULTS });
  expect([verdict.unchecked, formatFindings(verdict.findings)]).toEqual([[], []]);
  expect([...sizes]).toEqual([2]);
});

function isNumber(item: unknown): boolean {
  return Number.isInteger((item as { readonly n?: unknown } | null)?.n);
}

/** Returns whether the data of a server-sent event is JSON with a number. */
function hasNumber(event: unknown): boolean {
  return isNumber(JSON.parse(String((event as { readonly data?: unknown }).data)));
}
