import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EXIT_CODES, runCheck, writeReports } from '../../src/check/command.ts';
import { createCheckCommand } from '../../src/check/options.ts';
import { shopModel } from '../../src/shop/model/shop.ts';
import { folderWith } from '../support/harness/folder-with.ts';

const responses = {
  200: { description: 'The value', content: { 'application/json': { schema: { type: 'object' } } } },
};
const DOCUMENT = {
  openapi: '3.0.3',
  info: { title: 'Readings', version: '1' },
  paths: Object.fromEntries(
    ['first', 'second', 'third'].map((name) => [`/${name}`, { get: { operationId: name, responses } }]),
  ),
};

/** What the server does at a path: it stops, or only closes the connection. */
type Mistake = 'stop' | 'close';

/** Starts a server that makes mistakes at some paths, after it has been asked for each path a few times. */
async function startServer(mistakes: Readonly<Record<string, Mistake>>): Promise<string> {
  const server = createServer(({ url = '', method }, response) => {
    const mistake = mistakes[url];
    if (mistake === 'stop') server.close();
    if (mistake === 'stop') return server.closeAllConnections();
    if (mistake === 'close') return void response.destroy();
    if (!Object.hasOwn(DOCUMENT.paths, url)) return void response.writeHead(404).end();
    const isRead = method === 'GET' || method === 'HEAD';
    response.writeHead(isRead ? 200 : 405, { 'content-type': 'application/json', allow: 'GET, HEAD' });
    response.end(method === 'HEAD' ? undefined : '{}');
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Returns a function that checks a new server with a baseline in a folder of the test. */
async function createCheck() {
  const folder = await folderWith({ 'contract.json': JSON.stringify(DOCUMENT) });
  return async (mistakes: Readonly<Record<string, Mistake>>, args = '') => {
    const url = await startServer(mistakes);
    let command: Parameters<typeof runCheck>[0] | undefined;
    const line = `${url} --contract ${join(folder, 'contract.json')} --runs 1 --seed 1 --baseline ${join(folder, 'baseline.json')} ${args}`;
    createCheckCommand({}, (one) => (command = one)).parse(line.trim().split(/\s+/), { from: 'user' });
    if (!command) throw new Error('the command line was not parsed');
    const start = () => Promise.reject(new Error('not used'));
    const printed: string[] = [];
    const print = (text: string) => void printed.push(text);
    const report = await runCheck(command, { contract: '', model: shopModel, start, print, seed: 1, nowMs: 0 });
    return { report, exit: writeReports(report, command, print), text: printed.join('') };
  };
}

describe('A server that stops during a check', () => {
  it('fails the check, until a baseline accepts the failure: then the rest is not reached', async () => {
    const check = await createCheck();
    const first = await check({ '/second': 'stop' }, '--update-baseline');
    expect(first.exit).toBe(EXIT_CODES.passed);
    const again = await check({ '/second': 'stop' });
    expect(again.exit, again.text).toBe(EXIT_CODES.passed);
    expect(again.report.baseline?.known).toMatchObject([{ title: 'the server keeps running' }]);
    expect(again.report.unchecked).toEqual([]);
    expect(again.report.unreached).toContain('third (the server stopped before all its requests)');
    expect(again.text).toMatch(/^Contract check passed: no new violations found; \d operations not reached; 1 known/m);
    expect(again.text).toContain('The check stopped early: ');
    expect((await check({})).report.baseline?.fixed).toEqual([expect.stringContaining('the server keeps running')]);
  });

  it('fails the check if the baseline only accepts that a request gets no response', async () => {
    const check = await createCheck();
    await check({ '/second': 'close' }, '--update-baseline');
    const { exit, report } = await check({ '/second': 'stop' });
    expect(exit).toBe(EXIT_CODES.failed);
    expect(report.failures).toMatchObject([{ title: 'the server keeps running' }]);
    expect(report.unchecked).not.toEqual([]);
  });
});
