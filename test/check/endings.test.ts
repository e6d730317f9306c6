import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EXIT_CODES, writeReports } from '../../src/check/command.ts';
import { CheckStoppedError } from '../../src/check/exchange.ts';
import { toCheckCommand } from '../../src/check/options.ts';
import { createReport } from '../../src/check/report/report.ts';
import { formatFindings, runCheck, shopContract } from '../support/harness/check.ts';
import { startRecorder } from '../support/reference-servers/echo-server.ts';
import { loadNotesContract, startNotesServer } from '../support/reference-servers/notes-server.ts';

/** Starts a server that responds to some requests with an empty list and then calls a function. Returns its address. */
async function startServerWithCallback(answers: number, then: () => void): Promise<string> {
  let left = answers;
  const { url } = await startRecorder((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('[]');
    if (--left === 0) then();
  });
  return url;
}

const PROBLEM = { 'content-type': 'application/problem+json' };

/** Starts a server that closes after it has responded to some requests. Returns its address. */
async function startClosingServer(answers: number): Promise<string> {
  let left = answers;
  const server = createServer(({ method }, response) => {
    const isRead = method === 'GET' || method === 'HEAD';
    const head = isRead ? { 'content-type': 'application/json' } : { ...PROBLEM, allow: 'GET, POST' };
    response.writeHead(isRead ? 200 : 405, { ...head, connection: 'close' }).end(isRead ? '[]' : '{"detail":"no"}');
    if (--left === 0) server.close();
  });
  return listen(server);
}

/** Starts a server on a free port until the end of the test. Returns its address. */
async function listen(server: Server): Promise<string> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('checkServer when it stops early', () => {
  it('reports the findings before the interrupt, and the unchecked parts', async () => {
    const controller = new AbortController();
    const url = await startServerWithCallback(60, () =>
      controller.abort(new CheckStoppedError('the time is up', 'interrupted')),
    );
    const contract = await loadNotesContract();
    const verdict = await runCheck(url, { contract, isFresh: false, signal: controller.signal });
    expect(formatFindings(verdict.findings)).toContainEqual(expect.stringMatching(/^input addNote 200 /));
    expect(verdict.unchecked).toContain('methods of /notes');
    expect(verdict.unchecked).not.toContain('input of listNotes');
    expect(verdict.notes).toContain('The check stopped early: the time is up');
  });

  it('sends no request after an interrupt', async () => {
    const controller = new AbortController();
    const { url, seen } = await startNotesServer();
    controller.abort(new CheckStoppedError('the check was interrupted', 'interrupted'));
    const judging = runCheck(url, { contract: await loadNotesContract(), signal: controller.signal });
    await expect(judging).rejects.toThrow(/was not checked: the check was interrupted/);
    expect(seen).toEqual([]);
  });

  it('names the operation of a request that got no response, if the server no longer accepts connections', async () => {
    const server = createServer(({ method }, response) => {
      if (method !== 'POST') return void response.writeHead(200, { 'content-type': 'application/json' }).end('[]');
      server.close();
      server.closeAllConnections();
    });
    const { notes } = await runCheck(await listen(server), { contract: await loadNotesContract(), isFresh: false });
    expect(notes).toContainEqual(
      expect.stringMatching(/Requests without a response: addNote\. Correct the server, leave such an operation out/),
    );
  });

  it('names the last requests to a server that no longer accepts connections', async () => {
    const verdict = await runCheck(await startClosingServer(4), {
      contract: await loadNotesContract(),
      only: ['listNotes'],
      mayWrite: false,
      isFresh: false,
    });
    expect(formatFindings(verdict.findings)).toEqual([
      expect.stringMatching(
        /^behaviour listNotes none the server keeps running: the server no longer accepts connections: .*: one of 2 requests is the cause \(2 answered/,
      ),
    ]);
    expect(verdict.findings[0]?.exchanges.map(({ response }) => response.status)).toEqual([200, 200]);
    expect(verdict.unchecked).not.toEqual([]);
    expect(verdict.notes).toContainEqual(
      expect.stringMatching(/^The check stopped early: the server no longer accepts connections/),
    );
  });
});

describe('The exit code of a check', () => {
  const command = toCheckCommand({ header: {}, wait: 0, runs: 1 }, undefined);

  it.each([
    ['there are no findings and everything was checked', [], [], EXIT_CODES.passed],
    ['there is a finding', ['a'], [], EXIT_CODES.failed],
    ['there is a finding and not everything was checked', ['a'], ['links'], EXIT_CODES.failed],
    ['there are no findings and not everything was checked', [], ['links'], EXIT_CODES.incomplete],
  ] as const)('is correct if %s', async (_, found, unjudged, expected) => {
    const verdict = await runCheck((await startNotesServer()).url, {
      contract: await loadNotesContract(),
      mayWrite: false,
      runs: 0,
    });
    const report = createReport({ ...verdict, unchecked: unjudged }, shopContract, String);
    const failure = {
      check: 'input',
      operationId: 'a',
      status: '200',
      title: 'a',
      message: 'a',
      place: 'a',
      steps: [],
    };
    const printed: string[] = [];
    const code = writeReports(
      { ...report, failures: found.map(() => failure) },
      command,
      (text) => void printed.push(text),
    );
    expect(code).toBe(expected);
    expect(printed.join('').includes('Not checked completely: links')).toBe(unjudged.length > 0);
  });
});

describe('checkServer', () => {
  it('sends at most ten independent requests concurrently', async () => {
    let open = 0;
    let most = 0;
    const { url } = await startRecorder((_, response) => {
      most = Math.max(most, ++open);
      setImmediate(() => {
        open--;
        response.writeHead(200, { 'content-type': 'application/json' }).end('[]');
      });
    });
    await runCheck(url, { contract: await loadNotesContract(), isFresh: false, only: ['readNote'] });
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(10);
  });
});
