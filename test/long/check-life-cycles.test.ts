import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/openapi/contract.ts';
import { createObject, createResourcePaths, type Paths } from '../support/fixtures/api-document.ts';
import { runCheck } from '../support/harness/check.ts';
import { writeApi } from '../support/harness/start-api.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const NAME = { type: 'string', minLength: 1, maxLength: 40 };
const ANT = createObject({
  'id!': { type: 'string', readOnly: true },
  'name!': NAME,
  status: { enum: ['active', 'deleted'] },
});
const REQUEST = createObject({ 'name!': NAME });

type Handlers = NonNullable<Parameters<typeof startStorefront>[0]>['handlers'];

/** Checks a server of ants with these handlers. */
async function checkAnts(handlers: Handlers, only?: readonly string[]) {
  const paths: Paths = createResourcePaths('/ants/{id}', ANT, REQUEST);
  const path = await writeApi({ paths });
  const { url } = await startStorefront({ contract: path, handlers });
  const contract = await loadContract({ path, strict: false });
  const verdict = await runCheck(url, { contract, model: undefined, isFresh: false, runs: 5, only });
  return { rules: verdict.findings.map(({ title }) => title), unchecked: verdict.unchecked };
}

interface Sandbox {
  newId(): string;
}

describe('The check of a life cycle', () => {
  it('is incomplete if a quota refuses all new resources', async () => {
    let count = 0;
    const postAnts = ({ body }: { body: { name: string } }, { newId }: Sandbox) =>
      ++count > 1 ? { status: 409, body: {} } : { status: 201, body: { id: newId(), name: body.name } };
    const { rules, unchecked } = await checkAnts({ postAnts });
    expect(rules).toEqual([]);
    expect(unchecked).toContain('life cycle of postAnts (postAnts responded with 409)');
  });

  it('is incomplete if the credentials expire during the check', async () => {
    let count = 0;
    const getAnts = () => (++count > 12 ? { status: 401, body: {} } : { body: [] });
    const { unchecked } = await checkAnts({ getAnts }, ['getAnts', 'putAntsById']);
    expect(unchecked).toContain('getAnts (status 401 after it had succeeded: send valid credentials with --header)');
  });

  it('confirms a defect of resources whose names must be unique', async () => {
    const names = new Set<string>();
    const postAnts = ({ body: { name } }: { body: { name: string } }, { newId }: Sandbox) => {
      if (names.has(name)) return { status: 409, body: {} };
      names.add(name);
      return { status: 201, body: { id: newId(), name } };
    };
    expect((await checkAnts({ postAnts }, ['getAntsById'])).rules).toContain('created resources can be read');
  });

  it('accepts that a deleted resource can still be read if it is marked as deleted', async () => {
    const deleted = new Map<string, object>();
    const handlers = {
      deleteAntsById: ({ path: { id } }: { path: { id: string } }) => {
        deleted.set(id, { id, name: 'gone', status: 'deleted' });
        return { status: 204 };
      },
      getAntsById: ({ path: { id } }: { path: { id: string } }, { read }: { read(): { ants?: { id: string }[] } }) => {
        const found = deleted.get(id) ?? read().ants?.find((ant) => ant.id === id);
        return found ? { body: found } : { status: 404, body: {} };
      },
    };
    expect((await checkAnts(handlers as Handlers, ['getAntsById'])).rules).toEqual([]);
  });
});
