import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { applyBaseline } from '../../src/check/baseline.ts';
import { EXIT_CODES, runCheck, toJson, writeReports } from '../../src/check/command.ts';
import { createCheckCommand } from '../../src/check/options.ts';
import { toJunit } from '../../src/check/report/junit.ts';
import { toMarkdown } from '../../src/check/report/markdown.ts';
import type { BaselineEntry } from '../../src/check/report/report.ts';
import { toText } from '../../src/check/report/text.ts';
import { loadContract } from '../../src/openapi/contract.ts';
import { shopModel } from '../../src/shop/model/shop.ts';
import { projectFile } from '../support/fixtures/default-data.ts';
import { startApi } from '../support/harness/check-api.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { runProgramIn } from '../support/harness/run-program.ts';
import { startRecorder } from '../support/reference-servers/echo-server.ts';

const DOCUMENT = {
  openapi: '3.0.3',
  info: { title: 'Readings', version: '1' },
  paths: {
    '/readings': {
      get: {
        operationId: 'listReadings',
        responses: {
          200: {
            description: 'The readings',
            content: {
              'application/json': {
                schema: { type: 'array', items: { type: 'object', properties: { value: { type: 'integer' } } } },
              },
            },
          },
        },
      },
    },
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

const MAY_1 = Date.parse('2026-05-01T12:00:00Z');
const MAY_9 = Date.parse('2026-05-09T12:00:00Z');

const schema = JSON.parse(await readFile(projectFile('docs/check-report.schema.json'), 'utf8'));
const validateReport = new Ajv2020({ strict: true, allErrors: true, strictRequired: false }).compile(schema);

/** Returns the places in which a JSON report does not match its published schema. */
function findReportErrors(report: unknown): readonly string[] {
  validateReport(report);
  return (validateReport.errors ?? []).map(({ instancePath }) => instancePath);
}

/** What a test server does wrong. */
type Mistake = 'list' | 'latest' | 'crash' | 'locked';

/** Starts a server, and returns a function that checks it with a baseline in a folder of the test. */
async function startChecked() {
  const folder = await folderWith({ 'contract.json': JSON.stringify(DOCUMENT) });
  const baseline = join(folder, 'baseline.json');
  const mistakes = new Set<Mistake>();
  let paths = { list: '/readings', latest: '/latest' };
  const url = await startApi(({ method, path }) => {
    if (!Object.values(paths).includes(path)) return { status: 404 };
    if (method !== 'GET' && method !== 'HEAD') return { status: 405, headers: { allow: 'GET, HEAD' } };
    if (mistakes.has('crash')) return { status: 500 };
    if (mistakes.has('locked')) return { status: 401 };
    if (path === paths.list) return { status: 200, body: [{ value: 1 }, { value: mistakes.has('list') ? 'x' : 2 }] };
    return { status: 200, body: mistakes.has('latest') ? {} : { value: 2 } };
  });
  const check = async (wrong: readonly Mistake[], args = '', nowMs = MAY_1) => {
    mistakes.clear();
    for (const mistake of wrong) mistakes.add(mistake);
    const printed: string[] = [];
    const print = (text: string) => void printed.push(text);
    let command: Parameters<typeof runCheck>[0] | undefined;
    const line = `${url} --contract ${join(folder, 'contract.json')} --runs 1 --baseline ${baseline} ${args}`;
    createCheckCommand({}, (one) => (command = one)).parse(line.trim().split(/\s+/), { from: 'user' });
    if (!command) throw new Error('the command line was not parsed');
    const start = () => Promise.reject(new Error('not used'));
    const report = await runCheck(command, { contract: '', model: shopModel, start, print, seed: 1, nowMs });
    return { report, exit: writeReports(report, command, print), text: toText(report) };
  };
  const readBaseline = async () => JSON.parse(await readFile(baseline, 'utf8'));
  const read = async (): Promise<readonly BaselineEntry[]> => (await readBaseline()).failures;
  const edit = async (change: (entries: BaselineEntry[]) => unknown) => {
    const failures = [...(await read())];
    await writeFile(baseline, JSON.stringify({ version: 1, failures: change(failures) ?? failures }));
  };
  const serve = async (served: typeof paths, document: object) => {
    paths = served;
    await writeFile(join(folder, 'contract.json'), JSON.stringify(document));
  };
  return { check, read, readBaseline, edit, serve, baseline };
}

it('a baseline has the seed of its last update, which later checks use', async () => {
  const { check, readBaseline } = await startChecked();
  await check(['list'], '--update-baseline --seed 42');
  expect((await readBaseline()).seed).toBe(42);
  expect((await check(['list'])).report.title).toContain('seed 42,');
  expect((await check(['list'], '--seed 43')).report.title).toContain('seed 43,');
  expect((await readBaseline()).seed).toBe(42);
});

it('a baseline is not updated by a check whose credentials are refused', async () => {
  const secured = {
    ...DOCUMENT,
    security: [{ token: [] }],
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  };
  const { check, serve, baseline } = await startChecked();
  const paths = Object.fromEntries(
    Object.entries(DOCUMENT.paths).map(([path, { get }]) => [
      path,
      { get: { ...get, responses: { ...get.responses, 401: { description: '' } } } },
    ]),
  );
  await serve({ list: '/readings', latest: '/latest' }, { ...secured, paths });
  const { exit, text } = await check(['locked'], '--update-baseline');
  expect(exit).toBe(EXIT_CODES.incomplete);
  expect(text).toContain(`The baseline ${baseline} was not updated: no operation that needs credentials has succeeded`);
  expect(existsSync(baseline)).toBe(false);
});

it('a value that the server is known to accept is no new failure in a response', async () => {
  const CREATE = `curl http://localhost/notes --data '{"size":1000}'`;
  const READ = 'curl http://localhost/notes/1';
  type Rule = 'invalid-refused' | 'response-schema';
  const make = (operationId: string, title: string, name: Rule, requests = [CREATE, READ]) => ({
    ...{ check: 'input', operationId, status: '200', title, message: '', place: '' },
    steps: requests.map((request) => ({ request, response: '200' })),
    rule: { name, confidence: 'certain' as const, remedy: undefined },
  });
  const accepted = make('createNote', 'refuses invalid requests: body /size maximum', 'invalid-refused');
  const returned = make('readNote', 'body/size maximum', 'response-schema');
  const others = [
    // Nothing has sent these values.
    make('readNote', 'body/size maximum', 'response-schema', [READ]),
    make('replaceNote', 'body/size maximum', 'response-schema', [CREATE]),
    make('readNote', 'body/size minimum', 'response-schema'),
    make('readNote', 'body/title maximum', 'response-schema'),
    make('listTags', 'body/*/size maximum', 'response-schema'),
  ];
  const respond = (operationId: string, status: number) => ({
    operationId,
    responses: { [status]: { description: '' } },
  });
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
  const paths = {
    '/notes': { post: respond('createNote', 201) },
    '/notes/{id}': {
      parameters: [id],
      get: respond('readNote', 200),
      put: respond('replaceNote', 200),
    },
    '/tags': { get: respond('listTags', 200) },
  };
  const folder = await folderWith({ 'api.json': JSON.stringify({ ...DOCUMENT, paths }) });
  const { routes, document } = await loadContract({ path: join(folder, 'api.json'), strict: false });
  const options = { path: '', entries: [], routes, document, isStrict: false, isRecorded: false, nowMs: MAY_1 };
  const coverage = { operations: [], rules: [] };
  const report = { title: '', checks: [], rows: [], notes: [], coverage, unchecked: [], unreached: [] };
  const entries = applyBaseline({ ...report, failures: [accepted] } as never, options).baseline?.entries ?? [];
  const compared = applyBaseline({ ...report, failures: [accepted, returned, ...others] } as never, {
    ...options,
    entries,
  });
  expect(compared.baseline?.known).toEqual([accepted, returned]);
  expect(compared.failures).toEqual(others);
});

describe('The baseline of storefront check', () => {
  it('accepts the failures that it contains, and no other one', async () => {
    const { check, read } = await startChecked();
    expect((await check(['list'], '--update-baseline')).exit).toBe(EXIT_CODES.passed);
    expect(await read()).toEqual([
      {
        operation: 'listReadings',
        request: 'GET /readings',
        check: 'input',
        rule: 'response-schema',
        signature: '200 body/*/value type',
        firstSeen: '2026-05-01',
        lastSeen: '2026-05-01',
      },
    ]);

    const known = await check(['list']);
    expect(known.exit).toBe(EXIT_CODES.passed);
    expect(known.text).toContain('known failure: listReadings 200');
    expect(known.text).toContain('Contract check passed: no new violations found; 1 known failure');

    const more = await check(['list', 'latest']);
    expect(more.exit).toBe(EXIT_CODES.failed);
    expect(more.report.failures.map(({ operationId }) => operationId)).toEqual(['readLatest']);
    expect(more.text).toContain('Contract check failed: 1 new finding; 1 known failure');
    expect(toJunit(more.report)).toContain('<skipped message="known failure"/>');
    expect(toMarkdown(more.report)).toContain('known failure: listReadings 200');
    const json = JSON.parse(toJson(more.report));
    expect([json.verdict, json.baseline.known.length]).toEqual(['failed', 1]);
    expect(findReportErrors(json)).toEqual([]);
    expect(findReportErrors({ ...json, version: 2, rows: 1 })).toHaveLength(2);
  });

  it('names failures that are fixed, and fails for them with --strict-baseline', async () => {
    const { check, read } = await startChecked();
    await check(['list', 'latest'], '--update-baseline');

    const fixed = await check(['list']);
    expect(fixed.exit).toBe(EXIT_CODES.passed);
    expect(fixed.text).toContain('fixed, but in the baseline: readLatest 200');
    expect((await check(['list'], '--strict-baseline')).exit).toBe(EXIT_CODES.failed);
    expect((await check(['list', 'latest'], '--strict-baseline')).exit).toBe(EXIT_CODES.passed);
    expect(await read()).toHaveLength(2);

    const updated = await check(['list'], '--update-baseline --strict-baseline');
    expect(updated.exit).toBe(EXIT_CODES.passed);
    expect(updated.text).toContain('was updated: 0 failures added, 1 removed');
    expect((await read()).map(({ operation }) => operation)).toEqual(['listReadings']);
  });

  it('keeps what a check did not reach', async () => {
    const { check, read } = await startChecked();
    await check(['list', 'latest'], '--update-baseline');
    const before = await read();

    const part = await check([], '--only readLatest --update-baseline');
    expect(part.exit).toBe(EXIT_CODES.passed);
    expect(await read()).toEqual(before.filter(({ operation }) => operation === 'listReadings'));
    await check(['latest'], '--only readLatest --update-baseline');
    expect(await read()).toEqual(before);
  });

  it('updates the day, and keeps what people have written', async () => {
    const { check, read, edit } = await startChecked();
    await check(['list'], '--update-baseline');
    await edit(([entry]) => [{ ...entry, reason: 'a legacy client', ticket: 'ABC-7', expires: '2026-06-30' }]);

    await check(['list'], '--update-baseline', MAY_9);
    const [entry] = await read();
    expect(entry).toMatchObject({ firstSeen: '2026-05-01', lastSeen: '2026-05-09' });
    expect(entry).toMatchObject({ reason: 'a legacy client', ticket: 'ABC-7', expires: '2026-06-30' });
  });

  it('does not accept a failure after its last day', async () => {
    const { check, edit } = await startChecked();
    await check(['list'], '--update-baseline');
    await edit(([entry]) => [{ ...entry, ticket: 'ABC-7', expires: '2026-05-01' }]);

    expect((await check(['list'])).exit).toBe(EXIT_CODES.passed);
    const late = await check(['list'], '', MAY_9);
    expect(late.exit).toBe(EXIT_CODES.failed);
    expect(late.text).toContain('until 2026-05-01: ABC-7');
    expect((await check(['list'], '--update-baseline', MAY_9)).exit).toBe(EXIT_CODES.failed);
  });

  it('accepts operations that cannot be checked completely', async () => {
    const { check, read } = await startChecked();
    await check(['crash'], '--update-baseline');
    expect((await read()).some((entry) => entry.check === 'incomplete')).toBe(true);
    const known = await check(['crash']);
    expect(known.exit).toBe(EXIT_CODES.passed);
    expect(known.text).toContain('known to be incomplete');
  });

  it('follows an operation to another path or name, and says so', async () => {
    const { check, serve, read } = await startChecked();
    await check(['list', 'latest'], '--update-baseline');
    const { '/readings': readings, '/latest': latest } = DOCUMENT.paths;
    const renamed = { '/v2/readings': readings, '/latest': { get: { ...latest.get, operationId: 'getLatest' } } };
    await serve({ list: '/v2/readings', latest: '/latest' }, { ...DOCUMENT, paths: renamed });

    const moved = await check(['list', 'latest']);
    expect(moved.exit).toBe(EXIT_CODES.passed);
    expect(moved.text).toContain('listReadings was GET /readings in the baseline, and is GET /v2/readings');
    expect(moved.text).toContain('The baseline has readLatest for getLatest (GET /latest)');
    await check(['list', 'latest'], '--update-baseline');
    expect((await read()).map(({ operation, request }) => [operation, request])).toEqual([
      ['getLatest', 'GET /latest'],
      ['listReadings', 'GET /v2/readings'],
    ]);
  });

  it('follows an operation without an operationId to another version of the API', async () => {
    const { check, serve, read } = await startChecked();
    await check(['list', 'latest'], '--update-baseline');
    const { '/readings': readings, '/latest': latest } = DOCUMENT.paths;
    const named = (item: typeof readings | typeof latest, operationId: string) => ({
      get: { ...item.get, operationId },
    });
    const paths = { '/api/v2/readings': named(readings, 'getV2Readings'), '/other': named(latest, 'getOther') };
    await serve({ list: '/api/v2/readings', latest: '/other' }, { ...DOCUMENT, paths });

    const moved = await check(['list', 'latest']);
    expect(moved.text).toContain(
      'The baseline has listReadings (GET /readings) for getV2Readings (GET /api/v2/readings)',
    );
    expect(moved.report.failures.map(({ operationId }) => operationId)).toEqual(['getOther']);
    expect(moved.report.baseline?.fixed).toEqual([expect.stringContaining('readLatest')]);
    await check(['list', 'latest'], '--update-baseline');
    expect((await read()).map(({ operation }) => operation)).toEqual(['getOther', 'getV2Readings']);
  });

  it('has the failures of two checks that update it at the same time', async () => {
    const { check, read } = await startChecked();
    await check(['list'], '--update-baseline');
    const [one, other] = ['--only listReadings', '--only readLatest'].map((only) =>
      check(['list', 'latest'], `${only} --update-baseline`),
    );
    await Promise.all([one, other]);
    expect((await read()).map(({ operation }) => operation)).toEqual(['listReadings', 'readLatest']);
  });

  it('waits for another update, but not for one that was killed', async () => {
    const { check, baseline, read } = await startChecked();
    await writeFile(`${baseline}.lock`, '');
    await check(['list'], '--update-baseline');
    expect(await read()).toHaveLength(1);
    expect(existsSync(`${baseline}.lock`)).toBe(false);
  });

  it('refuses a missing or an invalid file before it sends a request', async () => {
    const { check, baseline } = await startChecked();
    await expect(check([])).rejects.toThrow(
      `The baseline ${baseline} does not exist. To create it, add --update-baseline.`,
    );
    await expect(check(['list'], '--only nothing --update-baseline')).rejects.toThrow('nothing');
    expect(existsSync(baseline)).toBe(false);
    const entry = { operation: 'a', request: 'b', check: 'c', signature: 'd', firstSeen: '2026-05-01', lastSeen: 'x' };
    for (const [text, problem] of [
      ['{', 'Invalid baseline'],
      ['[]', '/version must be 1'],
      ['{"version":1}', '/failures must be a list'],
      ['{"version":1,"failures":[4]}', '/failures/0 must be an object'],
      [JSON.stringify({ version: 1, failures: [entry] }), '/failures/0/lastSeen is "x": use a day such as'],
      [JSON.stringify({ version: 1, failures: [{ ...entry, expire: 'x' }] }), '/failures/0/expire is unknown: use'],
    ] as const) {
      await writeFile(baseline, text);
      await expect(check([])).rejects.toThrow(problem);
    }
  });
});

it('storefront check reads the baseline before it sends a request', async () => {
  const { url, seen } = await startRecorder();
  const folder = await folderWith({ 'baseline.json': '{' });
  const { code, stderr } = await runProgramIn(folder, ['check', url, '--baseline', 'baseline.json']);
  expect([code, seen]).toEqual([EXIT_CODES.incomplete, []]);
  expect(stderr).toContain('baseline.json');
});
