import { createObject, createResourcePaths, type Paths, refer } from '../fixtures/api-document.ts';
import { findDefects } from '../harness/check.ts';
import { writeApi } from '../harness/start-api.ts';

const SENT = {
  'name!': { type: 'string', minLength: 1, maxLength: 20 },
  note: { type: 'string', maxLength: 100 },
  weight: { type: 'integer', minimum: 0, maximum: 9 },
};
const Animal = createObject({
  'id!': { type: 'integer', readOnly: true },
  ...SENT,
  status: { enum: ['open', 'closed'], readOnly: true },
  createdAt: { type: 'string', format: 'date-time', readOnly: true },
});

function createPaths(name: string): Paths {
  const item = `/${name}/{id}`;
  const paths = createResourcePaths(item, refer('Animal'), createObject(SENT));
  const { 'name!': text, ...others } = SENT;
  const patch = { request: createObject({ name: text, ...others }), response: refer('Animal') };
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
  update(change: (state: State) => { next: State; result: unknown }): Promise<unknown>;
  builtIn(): Promise<{ readonly status: number; readonly body: Entry }>;
}

/** Replaces the entries of a collection after the operation itself. `edit` returns undefined to remove an entry. */
function editAfter(list: string, edit: (entry: Entry, input: Input) => Entry | undefined) {
  return async (input: Input, { builtIn, update }: Sandbox) => {
    const result = await builtIn();
    if (result.status >= 400) return result;
    const toEntries = (entry: Entry): readonly Entry[] => [edit(entry, input) ?? []].flat();
    await update((state) => ({
      next: { ...state, [list]: (state[list] ?? []).flatMap(toEntries) },
      result: undefined,
    }));
    return result;
  };
}

const isOwn = ({ id }: Entry, { path }: Input) => String(id) === path.id;

/** Handlers with one defect for each resource. */
const HANDLERS = {
  // A PATCH changes all names.
  patchBeesById: editAfter('bees', (bee, { body }) => ({
    ...bee,
    ...(body.name !== undefined && { name: body.name }),
  })),
  // A deletion also deletes the next resource.
  deleteCatsById: editAfter('cats', (cat, { path }) => (Number(cat.id) === Number(path.id) + 1 ? undefined : cat)),
  // A PUT sets the time of the creation.
  putDogsById: editAfter('dogs', (dog, input) =>
    isOwn(dog, input) ? { ...dog, createdAt: new Date().toISOString() } : dog,
  ),
  // 0 is not stored.
  postEels: editAfter('eels', ({ weight, ...eel }) => (weight === 0 ? eel : { ...eel, weight })),
  // An action removes the note.
  postFoxesByIdClose: editAfter('foxes', (fox, input) => (isOwn(fox, input) ? { ...fox, note: '' } : fox)),
  // An update resets the status.
  patchGnusById: editAfter('gnus', (gnu, input) => (isOwn(gnu, input) ? { ...gnu, status: 'open' } : gnu)),
};

const NAMES = ['Ants', 'Bees', 'Cats', 'Dogs', 'Eels', 'Foxes', 'Gnus'];

/** Checks changes with the defects. Returns a line for each finding. */
export async function findSideEffects(seed: number): Promise<readonly string[]> {
  const paths: Paths = Object.assign({}, ...NAMES.map((name) => createPaths(name.toLowerCase())));
  const path = await writeApi({ paths, schemas: { Animal } });
  return findDefects({
    path,
    handlers: HANDLERS,
    seed,
    only: NAMES.flatMap((name) => [`get${name}ById`, `post${name}ByIdClose`]),
  });
}

export const SIDE_EFFECTS = [
  'getBeesById: patchBeesById changes one resource',
  'getCatsById: deleteCatsById changes one resource',
  'getDogsById: changes keep the time of creation',
  'getEelsById: 0 and false are stored',
  'getFoxesById: actions keep texts',
  'getGnusById: updates keep the status',
];
