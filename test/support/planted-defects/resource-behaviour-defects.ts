import { readFile, writeFile } from 'node:fs/promises';
import { createList, createObject, createResourcePaths, type Paths, refer } from '../fixtures/api-document.ts';
import { findDefects } from '../harness/check.ts';
import { writeApi } from '../harness/start-api.ts';

const DATE = { type: 'string', format: 'date' };
const PARTS = {
  'name!': { type: 'string', minLength: 1, maxLength: 60 },
  'start!': DATE,
  'end!': DATE,
  note: { type: ['string', 'null'], maxLength: 150 },
  parts: createList(createObject({ 'label!': { type: 'string', minLength: 1 }, weight: { type: 'integer' } })),
};
const OPTIONAL = Object.fromEntries(Object.entries(PARTS).map(([name, schema]) => [name.replace('!', ''), schema]));
const Animal = createObject({
  'id!': { type: 'string', readOnly: true },
  ...PARTS,
  'status!': { enum: ['open', 'confirmed', 'cancelled'], readOnly: true },
});

/** Returns the operations of a resource with a merge patch, and with two actions that change its status. */
function createPaths(name: string): Paths {
  const item = `/${name}/{id}`;
  const paths = createResourcePaths(item, refer('Animal'), createObject(PARTS));
  const patch = {
    request: createObject(OPTIONAL),
    requestType: 'application/merge-patch+json',
    response: refer('Animal'),
  };
  const action = { post: { response: refer('Animal') } };
  return {
    ...paths,
    [item]: { ...paths[item], patch },
    [`${item}/confirm`]: action,
    [`${item}/cancel`]: action,
  };
}

type Entry = Readonly<Record<string, unknown>>;
type Entries = readonly Entry[];
type State = Readonly<Record<string, Entries>>;
interface Input {
  readonly path: { readonly id: string };
  readonly body: Entry;
}
interface Sandbox {
  read(): State;
  newId(): string;
  update<Result>(change: (state: State) => { next: State; result: Result }): Promise<Result>;
}

/** The steps of a correct server. A defect replaces one of them. */
const CORRECT = {
  store: (body: Entry): Entry => body,
  put: (old: Entry, body: Entry): Entry => ({ id: old.id, status: old.status, ...body }),
  patch: (old: Entry, body: Entry): Entry =>
    Object.fromEntries(Object.entries({ ...old, ...body }).filter(([, value]) => value !== null)),
  location: (name: string, id: unknown) => `/${name}/${id}`,
  find: (entries: Entries, id: string): Entry | undefined => entries.find((one) => one.id === id),
  list: (entries: Entries, _created: ReadonlyMap<unknown, Entry>): Entries => entries,
  isRefused: ({ start, end }: Entry) => String(end) < String(start),
  canAct: (status: unknown, action: string) => status === 'open' || (status === 'confirmed' && action === 'cancelled'),
  save: (_old: Entry, changed: Entry): Entry => changed,
};
type Steps = typeof CORRECT;

function createHandlers(name: string, defect: Partial<Steps>) {
  const steps = { ...CORRECT, ...defect };
  const title = `${name[0]?.toUpperCase()}${name.slice(1)}`;
  const created = new Map<unknown, Entry>();
  const getAll = (state: State) => state[name] ?? [];
  const change = async ({ path }: Input, { update }: Sandbox, compute: (old: Entry) => Entry | number) =>
    update<{ readonly status: number; readonly body?: Entry }>((state) => {
      const old = steps.find(getAll(state), path.id);
      const changed = old ? compute(old) : 404;
      if (!old || typeof changed === 'number') return { next: state, result: { status: Number(changed) } };
      const saved = steps.save(old, changed);
      const next = { ...state, [name]: getAll(state).map((one) => (one.id === old.id ? saved : one)) };
      return { next, result: { status: 200, body: changed } };
    });
  const store = (compute: (old: Entry) => Entry) => (old: Entry) => {
    const changed = compute(old);
    return steps.isRefused(changed) ? 422 : steps.store(changed);
  };
  const act = (status: string) => (input: Input, sandbox: Sandbox) =>
    change(input, sandbox, (old) => (steps.canAct(old.status, status) ? { ...old, status } : 409));
  return {
    [`get${title}`]: (_: Input, { read }: Sandbox) => ({ body: steps.list(getAll(read()), created) }),
    [`post${title}`]: async ({ body }: Input, { newId, update }: Sandbox) => {
      if (steps.isRefused(body)) return { status: 422 };
      const entry: Entry = { id: newId(), status: 'open', ...steps.store(body) };
      created.set(entry.id, entry);
      await update((state) => ({ next: { ...state, [name]: [...getAll(state), entry] }, result: undefined }));
      return { status: 201, body: entry, headers: { Location: steps.location(name, entry.id) } };
    },
    [`get${title}ById`]: ({ path }: Input, { read }: Sandbox) => {
      const entry = steps.find(getAll(read()), path.id);
      return entry ? { body: entry } : { status: 404 };
    },
    [`put${title}ById`]: (input: Input, sandbox: Sandbox) =>
      change(
        input,
        sandbox,
        store((old) => steps.put(old, input.body)),
      ),
    [`patch${title}ById`]: (input: Input, sandbox: Sandbox) =>
      change(
        input,
        sandbox,
        store((old) => steps.patch(old, input.body)),
      ),
    [`delete${title}ById`]: async ({ path }: Input, { update }: Sandbox) =>
      update((state) => {
        const old = steps.find(getAll(state), path.id);
        const next = { ...state, [name]: getAll(state).filter((one) => one !== old) };
        return { next, result: old ? { status: 204 } : { status: 404 } };
      }),
    [`post${title}ByIdConfirm`]: act('confirmed'),
    [`post${title}ByIdCancel`]: act('cancelled'),
  };
}

const DAY_MS = 86_400_000;

function toDayBefore(date: unknown): string {
  return new Date(Date.parse(String(date)) - DAY_MS).toISOString().slice(0, 'YYYY-MM-DD'.length);
}

function mapTexts(entry: Entry, change: (text: string) => string): Entry {
  const isFree = (name: string) => name === 'name' || name === 'note';
  return Object.fromEntries(
    Object.entries(entry).map(([name, value]) => [
      name,
      typeof value === 'string' && isFree(name) ? change(value) : value,
    ]),
  );
}

/** A defect of each kind. The animals without one are correct, each with other habits. */
const DEFECTS: Readonly<Record<string, Partial<Steps>>> = {
  ants: {},
  bees: { put: (old, body) => ({ ...old, ...body }) },
  cats: {
    patch: (old, body) => ({
      ...old,
      ...Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)),
    }),
  },
  dogs: { store: (body) => mapTexts(body, (text) => text.slice(0, 40)) },
  eels: { store: (body) => mapTexts(body, (text) => text.replaceAll(/[^\0-\u00ff]/g, '?')) },
  foxes: { store: (body) => (body.id === undefined ? { ...body, start: toDayBefore(body.start) } : body) },
  gnus: {
    store: ({ parts, ...body }) => ({
      ...body,
      ...(Array.isArray(parts) && { parts: parts.map(({ label }) => ({ label })) }),
    }),
  },
  hens: { list: (entries, created) => entries.map((one) => created.get(one.id) ?? one) },
  jays: { canAct: (status, action) => status !== action },
  kiwis: { location: (name, id) => `/all-${name}/${id}` },
  larks: { find: (entries, id) => CORRECT.find(entries, id) ?? entries[0] },
  mice: { store: (body) => mapTexts(body, (text) => text.replaceAll('&', '&amp;')) },
  owls: { find: (entries, id) => entries.find((one) => id.startsWith(String(one.id))) },
  // These servers are correct: they trim, fold the case, and allow each status.
  pigs: { store: (body) => mapTexts(body, (text) => text.trim().toLowerCase() || '-') },
  rats: { canAct: (status, action) => CORRECT.canAct(status, action) || status === action },
};

const NAMES = Object.keys(DEFECTS);

/** The statuses of documented refusals: a rule between two dates, and an action that the status does not allow. */
const REFUSALS: Readonly<Record<string, readonly string[]>> = { post: ['422'], put: ['422'], patch: ['422'] };

async function writeAnimals(): Promise<string> {
  const paths: Paths = Object.assign({}, ...NAMES.map(createPaths));
  const path = await writeApi({ paths, schemas: { Animal } });
  const document = JSON.parse(await readFile(path, 'utf8'));
  for (const [place, item] of Object.entries<Record<string, { responses?: Record<string, object> }>>(document.paths))
    for (const [method, { responses }] of Object.entries(item)) {
      const isAction = /confirm|cancel$/.test(place);
      const statuses = [...(isAction ? ['409'] : (REFUSALS[method] ?? [])), ...(place.includes('{') ? ['404'] : [])];
      if (responses) for (const status of statuses) responses[status] = { description: 'Refused' };
    }
  await writeFile(path, JSON.stringify(document));
  return path;
}

/** Further checked operations. The others are not checked, because their input takes most of the time of a check. */
const OTHER_OPERATIONS = [
  ...['getAnts', 'getHens', 'postAnts', 'postKiwis', 'postJaysByIdConfirm', 'postRatsByIdConfirm'],
  ...['putAntsById', 'putBeesById', 'patchAntsById', 'patchCatsById'],
];

/** Checks resources with the defects. Returns a line for each finding. */
export async function findBehaviourDefects(seed: number): Promise<readonly string[]> {
  const path = await writeAnimals();
  const handlers = Object.assign({}, ...NAMES.map((name) => createHandlers(name, DEFECTS[name] ?? {})));
  const only = [...Object.keys(handlers).filter((id) => /^get.*ById$/.test(id)), ...OTHER_OPERATIONS];
  return findDefects({ path, handlers, seed, only });
}

export const BEHAVIOUR_FINDINGS = [
  'getDogsById: long texts are stored',
  'getEelsById: letters of all languages are stored',
  'getFoxesById: changes are stored: postFoxes',
  'getGnusById: changes are stored: patchGnusById',
  'getGnusById: changes are stored: postGnus',
  'getGnusById: changes are stored: putGnusById',
  'getHens: lists show changes',
  'getLarksById: deleted resources cannot be read',
  'getLarksById: unknown ids are not found',
  'getMiceById: texts are stored without escapes',
  'getOwlsById: unknown ids are not found',
  'patchCatsById: null removes values',
  'postJaysByIdConfirm: is refused after postJaysByIdCancel',
  'postKiwis: Location leads to the resource',
  'putBeesById: PUT replaces the resource',
];
