import { createObject, createResourcePaths, type Paths, refer } from '../fixtures/api-document.ts';
import { findDefects } from '../harness/check.ts';
import { writeApi } from '../harness/start-api.ts';

const TEXT = { type: 'string', minLength: 1, maxLength: 20 };
const PARTS = { 'name!': TEXT, 'color!': TEXT };
const Animal = createObject({
  'id!': { type: 'integer', readOnly: true },
  ...PARTS,
  status: { enum: ['open', 'closed'] },
});

function createPaths(name: string): Paths {
  const item = `/${name}/{id}`;
  const paths = createResourcePaths(item, refer('Animal'), createObject(PARTS));
  const patch = { request: createObject({ name: TEXT, color: TEXT }), response: refer('Animal') };
  const close = { post: { response: refer('Animal') } };
  return { ...paths, [item]: { ...paths[item], patch }, [`${item}/close`]: close };
}

type Entry = Readonly<Record<string, unknown>>;
type State = Readonly<Record<string, readonly Entry[]>>;
interface Input {
  readonly path: { readonly id: string };
  readonly body: Entry;
}
interface Sandbox {
  read(): State;
  update(change: (state: State) => { next: State; result: Entry }): Promise<Entry>;
  builtIn(): Promise<{ readonly body: Entry }>;
}

/** Handlers with one defect for each resource. */
const HANDLERS = {
  // A PATCH replaces what it does not have.
  async patchBeesById({ path, body }: Input, { read, update }: Sandbox) {
    const result: Entry = { color: 'none', name: 'none', ...body, id: Number(path.id) };
    if (!read().bees?.some(({ id }) => id === result.id)) return { status: 404 };
    const replace = (bees: readonly Entry[] = []) => bees.map((bee) => (bee.id === result.id ? result : bee));
    return { body: await update((state) => ({ next: { ...state, bees: replace(state.bees) }, result })) };
  },
  // The ETag does not change.
  getCatsById: async (_: Input, { builtIn }: Sandbox) => ({ ...(await builtIn()), headers: { ETag: '"1"' } }),
  // An action responds with a change that it does not store.
  postDogsByIdClose: ({ path }: Input, { read }: Sandbox) => {
    const dog = read().dogs?.find(({ id }) => id === Number(path.id));
    return dog ? { body: { ...dog, status: dog.status === 'closed' ? 'open' : 'closed' } } : { status: 404 };
  },
};

/** Checks updates and actions with the defects. Returns a line for each finding. */
export async function findUpdateDefects(seed: number): Promise<readonly string[]> {
  const paths: Paths = Object.assign({}, ...['ants', 'bees', 'cats', 'dogs'].map(createPaths));
  const path = await writeApi({ paths, schemas: { Animal } });
  const only = ['getAntsById', 'patchBeesById', 'getCatsById', 'getDogsById'];
  return findDefects({ path, handlers: HANDLERS, seed, only });
}

export const UPDATE_FINDINGS = [
  'getCatsById: the ETag changes with the resource',
  'getDogsById: changes are stored',
  'patchBeesById: PATCH keeps other properties',
];
