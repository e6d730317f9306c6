import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createAccess } from '../../src/check/access.ts';
import { EXIT_CODES, readRemoteContract, runCheck, writeReports } from '../../src/check/command.ts';
import { createCheckCommand } from '../../src/check/options.ts';
import { toSarif } from '../../src/check/report/sarif.ts';
import { shopModel } from '../../src/shop/model/shop.ts';
import { startApi } from '../support/harness/check-api.ts';
import { tempFolder } from '../support/harness/temp-folder.ts';
import { createCertificate } from '../support/harness/tls.ts';

const DOCUMENT = {
  openapi: '3.0.3',
  info: { title: 'Readings', version: '1' },
  paths: {
    '/latest': {
      get: {
        operationId: 'readLatest',
        responses: {
          200: {
            description: 'The latest reading',
            content: { 'application/json': { schema: { type: 'object', required: ['value'] } } },
          },
        },
      },
    },
  },
};

async function check(line: string) {
  let parsed: Parameters<typeof runCheck>[0] | undefined;
  const environment = { GITHUB_ACTIONS: 'true' };
  createCheckCommand(environment, (one) => (parsed = one)).parse(line.split(' '), { from: 'user' });
  if (!parsed) throw new Error('the command line was not parsed');
  const command = await readRemoteContract(parsed, {});
  const printed: string[] = [];
  const print = (text: string) => void printed.push(text);
  const start = () => Promise.reject(new Error('no server is needed'));
  const report = await runCheck(command, { contract: '', model: shopModel, start, print, seed: 1, nowMs: 0 });
  const exit = writeReports(report, command, print);
  return { report, exit, text: printed.join('') };
}

describe('storefront check --contract URL', () => {
  it('uses the document of the server, and reports its lines without credentials', async () => {
    const authorized: unknown[] = [];
    const url = await startApi(({ method, path, headers }) => {
      if (path === '/api.json') authorized.push(headers.authorization);
      if (path === '/api.json') return { status: 200, body: DOCUMENT };
      if (path !== '/latest') return { status: 404 };
      return method === 'GET' || method === 'HEAD'
        ? { status: 200, body: {} }
        : { status: 405, headers: { allow: 'GET, HEAD' } };
    });
    const contract = `${url.replace('//', '//ann:top-secret@')}/api.json`;
    const { report, exit, text } = await check(`${url} --contract ${contract} --runs 1`);
    expect(exit).toBe(EXIT_CODES.failed);
    expect(text).not.toContain('top-secret');
    expect(authorized).toEqual([`Basic ${Buffer.from('ann:top-secret').toString('base64')}`]);
    expect(report.failures[0]?.place).toMatch(`${url}/api.json:1:`);
    // GitHub can't show a line of a file that is not in the repository.
    expect(text).toMatch(/^::error title=readLatest 200/m);
    const [result] = JSON.parse(toSarif(report)).runs[0].results;
    expect(result.locations[0].physicalLocation.artifactLocation).toEqual({ uri: `${url}/api.json` });
  });

  it('sends the headers of the check only to the checked server', async () => {
    const received: unknown[] = [];
    const respond = ({ headers, path }: { headers: object; path: string }) => {
      if (path === '/api.json') received.push('x-key' in headers);
      return path === '/api.json' ? { status: 200, body: DOCUMENT } : { status: 404 };
    };
    const [own, other] = [await startApi(respond), await startApi(respond)];
    const line = (host: string) => `${own} --contract ${host}/api.json -H X-Key:abc`;
    for (const host of [own, other]) await check(line(host)).catch(() => undefined);
    expect(received).toEqual([true, false]);
  });

  it('uses the certificates of the check', async () => {
    const { cert, key } = await createCertificate('localhost', await tempFolder());
    const server = createServer({ cert: readFileSync(cert), key: readFileSync(key) }, (_, response) =>
      response.end(JSON.stringify(DOCUMENT)),
    );
    await new Promise<void>((resolve) => {
      server.listen(0, 'localhost', resolve);
    });
    onTestFinished(() => void server.close());
    const contract = `https://localhost:${(server.address() as AddressInfo).port}/api.json`;
    const command = { contract, headers: {}, wait: 0, runs: 1, allowWrites: false };
    await expect(readRemoteContract(command, {})).rejects.toThrow(/certificate.*use --ca FILE, or --insecure/);
    const { source } = await readRemoteContract(command, { access: createAccess({ ca: cert }, {}) });
    expect(source).toMatchObject({ path: contract, bytes: Buffer.from(JSON.stringify(DOCUMENT)) });
  });
});
