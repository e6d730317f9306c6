import { readFile, writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { createReport } from '../../src/check/report/report.ts';
import { loadContract } from '../../src/openapi/contract.ts';
import { createObject, createResourcePaths, refer } from '../support/fixtures/api-document.ts';
import { runCheck } from '../support/harness/check.ts';
import { writeApi } from '../support/harness/start-api.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const Animal = createObject({ 'id!': { type: 'string', readOnly: true }, 'name!': { type: 'string', minLength: 1 } });

type Entries = readonly { readonly id: string; readonly name: string }[];
type Show = (all: Entries, first: ReadonlyMap<string, Entries[number]>) => Entries;
interface Sandbox {
  read(): Readonly<Record<string, Entries>>;
}

/** What each list shows: the stored entries, or what they were when they were first read. The ants are correct. */
const LISTS: Readonly<Record<string, Show>> = {
  ants: (all) => all,
  bees: () => [],
  cats: (all, first) => all.map((one) => first.get(one.id) ?? one),
  dogs: (all, first) => [...all, ...[...first.values()].filter((one) => !all.some(({ id }) => id === one.id))],
  eels: () => [],
};

/** The documented delay of each list, in s. */
const DELAYS: Readonly<Record<string, number>> = { ants: 1, bees: 1, cats: 1, dogs: 1, eels: 60 };

function createHandlers() {
  const handlers = Object.entries(LISTS).map(([name, show]) => {
    const first = new Map<string, Entries[number]>();
    const title = `${name[0]?.toUpperCase()}${name.slice(1)}`;
    return {
      [`get${title}`]: (_: unknown, { read }: Sandbox) => ({ body: show(read()[name] ?? [], first) }),
      [`get${title}ById`]: ({ path }: { path: { id: string } }, { read }: Sandbox) => {
        const entry = read()[name]?.find(({ id }) => id === path.id);
        if (entry && !first.has(entry.id)) first.set(entry.id, entry);
        return entry ? { body: entry } : { status: 404 };
      },
    };
  });
  return Object.assign({}, ...handlers);
}

async function writeLateLists(): Promise<string> {
  const paths = Object.assign(
    {},
    ...Object.keys(LISTS).map((name) => createResourcePaths(`/${name}/{id}`, refer('Animal'))),
  );
  const path = await writeApi({ paths, schemas: { Animal } });
  const document = JSON.parse(await readFile(path, 'utf8'));
  for (const [name, delay] of Object.entries(DELAYS))
    document.paths[`/${name}`].get.description = `The list can be up to ${delay} seconds late.`;
  await writeFile(path, JSON.stringify(document));
  return path;
}

it('The check finds defects of lists with a documented delay, and says which delays are too long', async () => {
  const path = await writeLateLists();
  const { url } = await startStorefront({ contract: path, handlers: createHandlers() });
  const contract = await loadContract({ path, strict: false });
  const only = ['getAnts', 'getBees', 'getCats', 'getDogs', 'getEels'];
  const verdict = await runCheck(url, { contract, model: undefined, isFresh: false, only });
  expect(verdict.findings.map(({ operationId, rule }) => `${operationId} ${rule}`).sort()).toEqual([
    'getBees created-listed',
    'getCats list-current',
    'getDogs deleted-listed',
  ]);
  expect(verdict.notes).toContainEqual(expect.stringMatching(/^The entries of getEels were not checked: .* 60 s late/));
  const { operations } = createReport(verdict, contract, String).coverage;
  const getRule = (id: string) =>
    operations.find(({ operationId }) => operationId === id)?.rules.find(({ rule }) => rule === 'created-listed');
  expect(getRule('getAnts')).toMatchObject({ count: 1, reason: undefined });
  expect(getRule('getEels')).toMatchObject({ count: 0, reason: expect.stringContaining('60 s late') });
});

it('The check finds the defect of a late list whose resources can only be created at the end of the check', async () => {
  const path = await writeLateLists();
  let firstMs: number | undefined;
  const postBees = async (_: unknown, { builtIn }: { builtIn(): Promise<object> }) => {
    firstMs ??= performance.now();
    return performance.now() - firstMs < 2_000 ? { status: 429, headers: { 'retry-after': '4' } } : builtIn();
  };
  const { url } = await startStorefront({ contract: path, handlers: { ...createHandlers(), postBees } });
  const contract = await loadContract({ path, strict: false });
  const { findings, unchecked } = await runCheck(url, {
    contract,
    model: undefined,
    isFresh: false,
    only: ['getBees'],
  });
  expect(findings.map(({ operationId, rule }) => `${operationId} ${rule}`)).toEqual(['getBees created-listed']);
  expect(unchecked).toEqual([]);
});
