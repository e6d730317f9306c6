import type { Entry } from '../../../src/store/state.ts';

/** A response without headers. */
export interface PlainResponse {
  readonly status: number;
  readonly body?: unknown;
}

/** A list of entries, and how requests name and page them. */
export interface PlainCollection {
  /** The path of the list, such as `/owners/{ownerId}/pets`. */
  readonly path: string;
  /** The property with the id of the parent in the path. */
  readonly parent?: { readonly property: string; readonly of: string };
  readonly isNumbered: boolean;
  /** Whether clients choose the ids of new entries. */
  readonly hasChosenIds?: boolean;
  /** Returns the body of a list response; undefined if the query has an unknown cursor. */
  readonly toPage: (entries: readonly Entry[], query: Readonly<Record<string, string>>) => unknown;
}

/** A request of a random sequence. */
export interface PlainRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly collection: string;
  readonly parentId?: string | undefined;
  readonly id?: string | undefined;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Entry | undefined;
}

/** The resources of an API in plain arrays, which each request searches from the start. */
export class PlainResources {
  readonly lists: Record<string, Entry[]>;
  /** The highest id that the entries of each collection have had. */
  readonly #lastIds: Record<string, number> = {};

  constructor(
    private readonly collections: Readonly<Record<string, PlainCollection>>,
    private readonly newId: () => string,
  ) {
    this.lists = Object.fromEntries(Object.keys(collections).map((name) => [name, []]));
  }

  handle({ method, collection: name, parentId, id, query = {}, body = {} }: PlainRequest): PlainResponse {
    const collection = this.collections[name];
    const list = this.lists[name];
    if (!collection || !list) throw new Error(`no collection ${name}`);
    const { parent } = collection;
    if (parent && !this.lists[parent.of]?.some((entry) => String(entry.id) === parentId)) return { status: 404 };
    const isInParent = (entry: Entry) => !parent || String(entry[parent.property]) === parentId;
    if (id === undefined && method === 'GET') return this.#list(collection, list.filter(isInParent), query);
    if (id === undefined) return this.#create(name, collection, list, parentId, body);
    const index = list.findIndex((entry) => String(entry.id) === id && isInParent(entry));
    const current = list[index];
    if (!current) return { status: 404 };
    if (method === 'GET') return { status: 200, body: current };
    if (method === 'DELETE') return this.#remove(name, current);
    const kept = parent ? { [parent.property]: current[parent.property] } : {};
    const next = method === 'PUT' ? { id: current.id, ...kept, ...body } : { ...current, ...body };
    list[index] = next;
    return { status: 200, body: next };
  }

  #list(
    { toPage }: PlainCollection,
    entries: readonly Entry[],
    query: Readonly<Record<string, string>>,
  ): PlainResponse {
    const { status, sort, order } = query;
    const found = entries.filter((entry) => status === undefined || entry.status === status);
    if (sort !== undefined) found.sort((a, b) => compare(a[sort], b[sort]) * (order === 'desc' ? -1 : 1));
    const body = toPage(found, query);
    return body === undefined ? { status: 400 } : { status: 200, body };
  }

  #create(
    name: string,
    { isNumbered, parent }: PlainCollection,
    list: Entry[],
    parentId: string | undefined,
    body: Entry,
  ): PlainResponse {
    const highest = Math.max(this.#lastIds[name] ?? 0, ...list.map(({ id }) => Number(id)));
    const own = body.id ?? (isNumbered ? highest + 1 : this.newId());
    if (list.some(({ id }) => String(id) === String(own))) return { status: 409 };
    const entry = { ...body, id: own, ...(parent ? { [parent.property]: parentId } : {}) };
    list.push(entry);
    return { status: 201, body: entry };
  }

  /** Removes an entry and its children. */
  #remove(name: string, entry: Entry): PlainResponse {
    this.#lastIds[name] = Math.max(this.#lastIds[name] ?? 0, Number(entry.id));
    this.lists[name] = (this.lists[name] ?? []).filter((one) => one !== entry);
    for (const [child, { parent }] of Object.entries(this.collections))
      if (parent?.of === name)
        for (const one of (this.lists[child] ?? []).filter((each) => each[parent.property] === entry.id))
          this.#remove(child, one);
    return { status: 204 };
  }
}

/** The values of the property `status`, in the order of the document. */
export const STATUSES: readonly unknown[] = ['open', 'done'];

function compare(a: unknown, b: unknown): number {
  if (a === b) return 0;
  if (STATUSES.includes(a)) return STATUSES.indexOf(a) - STATUSES.indexOf(b);
  return (a as string | number) < (b as string | number) ? -1 : 1;
}
