import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { DomainError } from '../../src/application.ts';
import { startApplication } from '../../src/server/storefront.ts';
import { projectFile } from '../support/fixtures/default-data.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { waitForLog } from '../support/harness/live-contract.ts';
import { expectProblem } from '../support/harness/problems.ts';
import { createClient, createControlClient, createSandboxClient } from '../support/harness/sandboxes.ts';
import { createFetchClient, NOW_MS, startStorefront } from '../support/harness/start-storefront.ts';
import { tempFolder } from '../support/harness/temp-folder.ts';
import { library } from '../support/reference-applications/library.ts';

const [C, SICP] = ['9780131103627', '9780262510875'] as const;
const LOAN = { isbn: C, reader: 'Grace' };
const contractText = await readFile(library.contractFile, 'utf8');
const defaultText = await readFile(String(library.defaultData), 'utf8');

async function startLibrary(options: Parameters<typeof startStorefront>[0] = {}) {
  return startStorefront({ start: (all) => startApplication(library, all), ...options });
}

describe('A server of another application than the shop', () => {
  it('handles the operations that the application implements, and mocks the others', async () => {
    const { ask, mocked, operations } = await startLibrary();
    const created = await ask('POST', '/loans', LOAN);
    expect([created.status, created.body.dueTimeMs]).toEqual([201, NOW_MS + 14 * 86_400_000]);
    expect(created.headers.get('location')).toBe(`/loans/${created.body.id}`);
    expect((await ask('GET', '/loans')).body).toEqual([created.body]);
    expect((await ask('DELETE', `/loans/${created.body.id}`)).status).toBe(204);
    expect((await ask('GET', '/loans')).body).toEqual([]);
    expect([mocked, operations]).toEqual([['getOpeningHours'], 5]);
    expect((await ask('GET', '/opening-hours')).body).toEqual({ monday: '9 to 17' });
  });

  it('declines with the problems of the application, and refuses with those of the engine', async () => {
    const { ask } = await startLibrary();
    await ask('POST', '/loans', LOAN);
    const declined = await ask('POST', '/loans', LOAN);
    expect(declined.body).toMatchObject({ type: '/problems/book-on-loan', title: 'Book on loan', status: 409 });
    expect((await ask('POST', '/loans', { ...LOAN, isbn: '1' })).body.type).toBe('/problems/unknown-book');
    expectProblem(await ask('POST', '/loans', { isbn: C }), 400, 'invalid-request');
    expect((await ask('GET', '/problems/book-on-loan')).text).toContain('A book has one reader at a time.');
    expect((await ask('GET', '/problems/empty-cart')).status).toBe(404);
  });

  it('names the codes of the application if a handler of the user throws an unknown one', async () => {
    const listBooks = () => {
      throw new DomainError('empty-shelf', 'no book is left');
    };
    const { ask } = await startLibrary({ handlers: { listBooks }, errorsExpected: true });
    const { status, body } = await ask('GET', '/books');
    expect([status, body.detail]).toEqual([
      500,
      expect.stringContaining('Use one of the codes unknown-book, unknown-loan'),
    ]);
  });

  it('has its collections in the description of the server', async () => {
    const { ask } = await startLibrary();
    const { collections } = (await ask('GET', '/_control/server')).body;
    expect(collections).toMatchObject([{ name: 'books' }, { name: 'loans' }]);
  });
});

describe('A sandbox of another application than the shop', () => {
  it('has its own state, whose entries the control API counts by collection', async () => {
    const server = await startLibrary();
    const control = createControlClient(server);
    await createSandboxClient(server, 'w1')('POST', '/loans', LOAN);
    expect((await createSandboxClient(server, 'w2')('GET', '/loans')).body).toEqual([]);
    expect((await control('GET', '/w1')).body.counts).toEqual({ books: 2, loans: 1 });
    expect((await control('GET', '/default')).body.counts).toEqual({ books: 2, loans: 0 });
  });

  it('has a state that can be replaced by collection, validated by the schemas and references of the application', async () => {
    const server = await startLibrary();
    const control = createControlClient(server);
    const loan = { id: '00000000-0000-4000-8000-000000000001', isbn: SICP, reader: 'Grace', dueTimeMs: 1 };
    expect((await control('PUT', '/w1/state', { loans: [loan] })).status).toBe(204);
    expect((await control('GET', '/w1/state')).body.loans).toEqual([loan]);
    for (const [body, code, pointer] of [
      [{ loans: [{ ...loan, isbn: '1' }] }, 'invalid-state', '/loans/0/isbn'],
      [{ loans: [loan, loan] }, 'invalid-state', '/loans/1/id'],
      [{ loans: [{ ...loan, reader: '' }] }, 'invalid-state', '/loans/0/reader'],
      [{ products: [] }, 'invalid-request', '/products'],
      [{ books: [] }, 'invalid-request', '/books'],
    ] as const) {
      const reply = await control('PUT', '/w1/state', body);
      expect([reply.body.type, reply.body.violations[0].pointer]).toEqual([`/problems/${code}`, pointer]);
    }
  });

  it('has a control API whose document lists the collections of the application', async () => {
    const { ask } = await startLibrary();
    const { schemas } = Object(load((await ask('GET', '/_control/openapi.yaml')).text)).components;
    for (const name of ['Counts', 'State', 'StateChange'])
      expect(Object.keys(schemas[name].properties), name).toEqual(['books', 'loans']);
  });

  it('has a clock, and ids that a seed generates again, but never one that an entry has', async () => {
    const server = await startLibrary();
    const control = createControlClient(server);
    const ask = createSandboxClient(server, 'w1');
    await control('PUT', '/w1/clock', { now: 0, frozen: true });
    await control('PUT', '/w1/ids', { seed: 1 });
    const first = (await ask('POST', '/loans', LOAN)).body;
    await control('PUT', '/w1/ids', { seed: 1 });
    const second = (await ask('POST', '/loans', { ...LOAN, isbn: SICP })).body;
    expect(first.dueTimeMs).toBe(14 * 86_400_000);
    expect(second.id).not.toBe(first.id);
    await control('POST', '/w1/reset');
    await control('PUT', '/w1/ids', { seed: 1 });
    expect((await ask('POST', '/loans', LOAN)).body).toEqual(first);
  });
});

describe('The snapshots of another application than the shop', () => {
  it('are those that the application has built in, and those that are saved', async () => {
    const server = await startLibrary();
    const control = createControlClient(server);
    const ask = createSandboxClient(server, 'w1');
    await ask('POST', '/loans', LOAN);
    expect((await control('PUT', '/w1/snapshots/mine')).body.counts).toEqual({ books: 2, loans: 1 });
    const list = (await control('GET', '/w1/snapshots')).body;
    expect(list.map(({ name, counts }: { name: string; counts: object }) => [name, counts])).toEqual([
      ['mine', { books: 2, loans: 1 }],
      ['all-lent', { books: 2, loans: 2 }],
    ]);
    await control('POST', '/w1/snapshots/all-lent/restore');
    expect((await ask('POST', '/loans', { ...LOAN, isbn: SICP })).body.type).toBe('/problems/book-on-loan');
    await control('POST', '/w1/snapshots/mine/restore');
    expect((await ask('POST', '/loans', { ...LOAN, isbn: SICP })).status).toBe(201);
  });

  it('can be files in a folder, with what differs from the default data', async () => {
    const folder = await folderWith({ 'one-book.json': JSON.stringify({ books: [{ isbn: C, title: 'C' }] }) });
    const control = createControlClient(await startLibrary({ snapshots: folder }));
    expect((await control('PUT', '/w1', { from: 'one-book' })).body.counts).toEqual({ books: 1, loans: 0 });
  });
});

describe('The data file of another application than the shop', () => {
  it('holds each acknowledged change after kill -9', async () => {
    const data = join(await tempFolder(), 'library.json');
    const first = await spawnLibrary(data);
    const { body: loan, status } = await createFetchClient(first.url)('POST', '/loans', LOAN);
    expect(status).toBe(201);
    first.child.kill('SIGKILL');
    await first.ended;
    const second = await spawnLibrary(data);
    expect((await createFetchClient(second.url)('GET', '/loans')).body).toEqual([loan]);
    // The server writes the data file in the background, after it has read the change from the write-ahead log.
    const text = `${JSON.stringify({ ...JSON.parse(defaultText), loans: [loan] }, null, 2)}\n`;
    await vi.waitFor(async () => expect(await readFile(data, 'utf8')).toBe(text), { timeout: 60_000 });
  });

  it('is restored byte for byte by a reset, and served once it is edited', async () => {
    const server = await startLibrary();
    const { ask, dataFile = '' } = server;
    await ask('POST', '/loans', LOAN);
    await createControlClient(server)('POST', '/default/reset');
    expect(await readFile(dataFile, 'utf8')).toBe(defaultText);
    await writeFile(dataFile, defaultText.replace('The C Programming Language', 'C'));
    await vi.waitFor(async () => expect((await ask('GET', '/books')).body[0].title).toBe('C'), { timeout: 60_000 });
  });

  it('stops the start if it violates the contract or a reference of the application', async () => {
    const loan = { id: '00000000-0000-4000-8000-000000000001', isbn: '1', reader: 'Grace', dueTimeMs: 1 };
    const data = { books: [{ isbn: C, title: 'C' }], loans: [loan] };
    const folder = await folderWith({ 'db.json': JSON.stringify(data), 'list.json': '{"books":5,"orders":[]}' });
    await expect(startLibrary({ data: join(folder, 'db.json') })).rejects.toThrow('/loans/0/isbn is of no book');
    await expect(startLibrary({ data: join(folder, 'list.json') })).rejects.toThrow(
      '/orders is not one of books, loans: remove it; /books is not an array; /loans is missing: add an array',
    );
  });
});

describe('Faults and the journal of another application than the shop', () => {
  it('apply to its operations, and record and verify its requests', async () => {
    const server = await startLibrary();
    const control = createControlClient(server);
    const ask = createSandboxClient(server, 'w1');
    await control('POST', '/w1/faults', { operation: 'createLoan', status: 503, times: 1, where: { body: LOAN } });
    expect((await ask('POST', '/loans', LOAN)).status).toBe(503);
    expect((await ask('POST', '/loans', LOAN)).status).toBe(201);
    const journal = (await control('GET', '/w1/requests')).body;
    expect(
      journal.map((entry: { operation: string; response: { status: number } }) => [
        entry.operation,
        entry.response.status,
      ]),
    ).toEqual([
      ['createLoan', 503],
      ['createLoan', 201],
    ]);
    const expected = { operation: 'createLoan', where: { body: { reader: 'Grace' } }, times: 2 };
    expect((await control('POST', '/w1/requests/verify', expected)).body.verified).toBe(true);
    const unknown = await control('POST', '/w1/faults', { operation: 'createOrder', status: 503 });
    expect(unknown.body.violations[0].remedy).toContain('use listBooks, listLoans, createLoan');
  });
});

describe('The contract of another application than the shop', () => {
  it('is reloaded when it is saved, and kept if it contradicts the data', async () => {
    const folder = await folderWith({ 'library.yaml': contractText });
    const contract = join(folder, 'library.yaml');
    const server = await startLibrary({ contract });
    const control = createControlClient(server);
    await writeFile(
      contract,
      contractText.replace('title: { type: string, minLength: 1 }', 'title: { type: integer }'),
    );
    await waitForLog(server, 'does not accept the current data: /books/0/title', 40);
    const pages = '{ type: string, minLength: 1 }\n        pages: { type: integer, default: 1 }';
    await writeFile(contract, contractText.replace('{ type: string, minLength: 1 }', pages));
    await waitForLog(server, 'was reloaded');
    const book = { isbn: C, title: 'C', pages: 272 };
    expect((await control('PUT', '/w1/state', { books: [book], loans: [] })).status).toBe(204);
    expect((await createClient(server)('GET', '/books', undefined, { 'x-sandbox': 'w1' })).body).toEqual([book]);
  });
});

/** Starts the library in a process of its own, which ends with the test. */
async function spawnLibrary(data: string) {
  const script = projectFile('test/support/reference-applications/serve-library.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', script, data], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  let output = '';
  let errors = '';
  child.stdout.on('data', (part) => (output += part));
  child.stderr.on('data', (part) => (errors += part));
  const url = await vi.waitFor(
    () => {
      if (!output.includes('\n')) throw new Error(`the library has not started: ${errors}`);
      return output.trim();
    },
    { timeout: 60_000, interval: 20 },
  );
  return { url, child, ended };
}
