import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createStopSignal } from '../../src/check/exchange.ts';
import { loadContract } from '../../src/openapi/contract.ts';
import { createOperation, writeDocument } from '../support/fixtures/other-document.ts';
import { formatFindings, runCheck } from '../support/harness/check.ts';
import { startRecorder } from '../support/reference-servers/echo-server.ts';

/** More operations than a check of their whole depth can reach in `MAX_TIME` seconds, at `RESPONSE_MS` for each response. */
const OPERATIONS = 120;
const MAX_TIME = 80;
const RESPONSE_MS = 20;

it('storefront check reaches each operation of a large contract before the time limit, and does not end as incomplete', async () => {
  const schema = { type: 'object', properties: { a: { type: 'integer' } } };
  const parameters = ['p', 'q', 'r'].map((name) => ({ name, in: 'query', schema: { type: 'string', maxLength: 5 } }));
  const numbers = Array.from({ length: OPERATIONS }, (_, number) => number);
  const last = OPERATIONS - 1;
  const paths = Object.fromEntries(
    numbers.map((number) => [`/things-${number}`, { get: createOperation(`get${number}`, schema, { parameters }) }]),
  );
  const { url } = await startRecorder(async ({ method, target }, response) => {
    await sleep(RESPONSE_MS);
    const isLong = [...new URL(target, 'http://localhost').searchParams.values()].some((text) => text.length > 5);
    const status = method === 'GET' ? (isLong ? 400 : 200) : 405;
    const isWrong = target.startsWith(`/things-${last}`);
    response
      .writeHead(status, { 'content-type': 'application/json', allow: 'GET' })
      .end(isWrong ? '{"a":"text"}' : '{"a":1}');
  });
  const { findings, unchecked, notes } = await runCheck(url, {
    contract: await loadContract({ path: await writeDocument({ paths }), strict: false }),
    isFresh: false,
    runs: 50,
    maxTime: MAX_TIME,
    signal: createStopSignal(MAX_TIME, new AbortController().signal),
  });
  expect(unchecked).toEqual([]);
  expect(formatFindings(findings)).toContainEqual(expect.stringMatching(`^input get${last} 200 body/a type`));
  expect(notes).toContainEqual(expect.stringMatching(/^Operations were checked with fewer requests/));
});
