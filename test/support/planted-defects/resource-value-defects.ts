import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createObject, createResourcePaths, refer } from '../fixtures/api-document.ts';
import { findDefects } from '../harness/check.ts';
import { writeApi } from '../harness/start-api.ts';

const NAME = { 'name!': { type: 'string', minLength: 1, maxLength: 30 } };
const Animal = createObject({ 'id!': { type: 'string', readOnly: true }, ...NAME });
const NAMES = ['ants', 'bees', 'cats'] as const;

/** Writes a document with three resources whose POST and PUT have 409. Returns its path. */
async function writeAnimals(): Promise<string> {
  const create = (name: string) => createResourcePaths(`/${name}/{id}`, refer('Animal'), createObject(NAME));
  const path = await writeApi({ paths: Object.assign({}, ...NAMES.map(create)), schemas: { Animal } });
  const document = JSON.parse(await readFile(path, 'utf8'));
  for (const name of NAMES) {
    document.paths[`/${name}`].post.responses['409'] = { description: 'The name exists' };
    document.paths[`/${name}/{id}`].put.responses['409'] = { description: 'The name exists' };
  }
  await writeFile(path, JSON.stringify(document));
  return path;
}

interface Entry {
  readonly id: string;
  readonly name: string;
}
type State = Readonly<Record<string, readonly Entry[]>>;
interface Input {
  readonly path: { readonly id: string };
  readonly body: { readonly name: string };
}
interface Sandbox {
  read(): State;
  newId(): string;
  update(change: (state: State) => { next: State; result: Entry | undefined }): Promise<Entry | undefined>;
  builtIn(): Promise<object>;
}

const CONFLICT = { status: 409 };

/** The handlers of a resource. `hasRace`: whether two requests at once can create the same name. */
function createHandlers(list: string, hasRace: boolean, checksPut: boolean) {
  const isUsed = (state: State, { name }: { name: string }, id = '') =>
    (state[list] ?? []).some((one) => one.name === name && one.id !== id);
  const title = `${list[0]?.toUpperCase()}${list.slice(1)}`;
  return {
    [`post${title}`]: async ({ body }: Input, { read, update, newId }: Sandbox) => {
      if (isUsed(read(), body)) return CONFLICT;
      // The pause is the time in which a server validates the request, for example.
      await sleep(20);
      const entry = await update((state) => {
        const result = { id: newId(), name: body.name };
        return !hasRace && isUsed(state, body)
          ? { next: state, result: undefined }
          : { next: { ...state, [list]: [...(state[list] ?? []), result] }, result };
      });
      return entry ? { status: 201, body: entry } : CONFLICT;
    },
    [`put${title}ById`]: async ({ path, body }: Input, { read, update, builtIn }: Sandbox) => {
      if (checksPut) return isUsed(read(), body, path.id) ? CONFLICT : builtIn();
      // The server's own PUT refuses equal names.
      const entry = await update((state) => {
        const old = state[list] ?? [];
        const result = old.some(({ id }) => id === path.id) ? { id: path.id, name: body.name } : undefined;
        const change = (one: Entry) => (result && one.id === path.id ? result : one);
        return { next: { ...state, [list]: old.map(change) }, result };
      });
      return entry ? { status: 200, body: entry } : { status: 404 };
    },
  };
}

/** Checks the unique values of the resources. Returns a line for each finding. */
export async function findUniqueValueDefects(seed: number, runs?: number): Promise<readonly string[]> {
  const path = await writeAnimals();
  const handlers = {
    ...createHandlers('ants', false, true),
    ...createHandlers('bees', true, true),
    ...createHandlers('cats', false, false),
  };
  const only = ['postAnts', 'postBees', 'postCats', 'putAntsById', 'putBeesById', 'putCatsById'];
  return findDefects({ path, handlers, seed, runs, only });
}

export const UNIQUE_VALUE_FINDINGS = [
  'postBees: values stay unique in concurrent requests',
  'putCatsById: updates keep values unique',
];
