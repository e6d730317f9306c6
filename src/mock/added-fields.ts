import { type Document, getNode, isNode, resolvePointer, toPointer } from '../openapi/document.ts';
import { isJsonType, responseTo } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import { isOnly } from '../openapi/schema-validator.ts';
import { pointerTo } from '../util/json-pointer.ts';
import { toSeed } from '../util/random.ts';

/** How the bodies of an operation differ between the contract that its handler is written for and the one that is served. */
export interface Difference {
  readonly gained: readonly Field[];
  readonly lost: readonly Field[];
  /** Fields whose types have nothing in common. */
  readonly clashes: readonly Field[];
}

/** A field: the way to the objects that have it, `*` for each entry of a list, and its name. */
export interface Field {
  readonly way: readonly string[];
  readonly name: string;
  /** JSON Pointer of its schema. */
  readonly schema: string;
}

/** A body with the fields that the served contract has, and the places of those that were made, as JSON Pointers with `*` for each entry of a list. */
export interface Completed {
  readonly body: unknown;
  readonly made: readonly string[];
}

const SAME: Difference = { gained: [], lost: [], clashes: [] };

/** How deep fields are looked for. */
const DEPTH = 8;

/** How the success of an operation differs. */
export function differenceOf(shop: Document, shopRoute: Route, served: Document, route: Route): Difference {
  const [before, now] = [successSchema(shopRoute), successSchema(route)];
  if (before === undefined || now === undefined) return SAME;
  const difference: Found = { gained: [], lost: [], clashes: [] };
  compare(shop, before, served, now, [], difference);
  return difference;
}

function successSchema({ responses, successStatus }: Route): string | undefined {
  const media = responseTo(responses, successStatus)?.media ?? {};
  return Object.entries(media).find(([type]) => isJsonType(type))?.[1].schema;
}

type Found = { readonly [Part in keyof Difference]: Field[] };

function compare(
  shop: Document,
  before: string,
  served: Document,
  now: string,
  way: readonly string[],
  found: Found,
): void {
  if (way.length > DEPTH) return;
  if (areApart(typesAt(shop, before), typesAt(served, now))) {
    found.clashes.push({ way: way.slice(0, -1), name: way.at(-1) ?? '', schema: now });
    return;
  }
  const [old, current] = [propertiesAt(shop, before), propertiesAt(served, now)];
  for (const [name, schema] of current) {
    const known = old.get(name);
    if (known === undefined) {
      if (!isOnly(served, getNode(served, schema), 'writeOnly')) found.gained.push({ way, name, schema });
    } else compare(shop, known, served, schema, [...way, name], found);
  }
  // A schema that names no properties allows all.
  for (const [name, schema] of old) if (current.size > 0 && !current.has(name)) found.lost.push({ way, name, schema });
  const [entries, currentEntries] = [itemsAt(shop, before), itemsAt(served, now)];
  if (entries !== undefined && currentEntries !== undefined)
    compare(shop, entries, served, currentEntries, [...way, '*'], found);
}

/** The types that a schema allows; none where it doesn't say. */
function typesAt(document: Document, schema: string): readonly unknown[] {
  return partsOf(document, schema).flatMap((pointer) => getNode(document, `${pointer}/type`) ?? []);
}

function areApart(before: readonly unknown[], now: readonly unknown[]): boolean {
  const isTaken = (type: unknown) => now.includes(type) || (type === 'integer' && now.includes('number'));
  return before.length > 0 && now.length > 0 && !before.some(isTaken);
}

/** The properties that a schema gives an object, its references and `allOf` included, with where each is described. */
function propertiesAt(document: Document, schema: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const pointer of partsOf(document, schema)) {
    const properties = getNode(document, `${pointer}/properties`);
    for (const name of Object.keys(isNode(properties) ? properties : {}))
      found.set(name, `${pointer}/properties${pointerTo(name)}`);
  }
  return found;
}

function itemsAt(document: Document, schema: string): string | undefined {
  return partsOf(document, schema)
    .find((pointer) => isNode(getNode(document, `${pointer}/items`)))
    ?.concat('/items');
}

/** Where all that a schema says of an object stands: itself, what it refers to, and the parts of its `allOf`. */
function partsOf(document: Document, schema: string, above: readonly string[] = []): readonly string[] {
  const pointer = resolvePointer(document, schema);
  if (above.includes(pointer)) return [];
  const { allOf = [], $ref } = (getNode(document, pointer) ?? {}) as { allOf?: readonly unknown[]; $ref?: string };
  const next = [...allOf.keys()].map((place) => `${pointer}/allOf/${place}`);
  if (typeof $ref === 'string') next.push(toPointer($ref));
  return [pointer, ...next.flatMap((part) => partsOf(document, part, [...above, pointer]))];
}

/** Makes a value for a field by its schema, the same one for the same seed; undefined where there is none. */
export type MakeField = (schema: string, seed: number) => unknown;

/** A body with what it lacks of the gained fields, each made with the id of its entry as the seed, and without the lost ones. The body itself stays as it is. */
export function completed(body: unknown, { gained, lost }: Difference, make: MakeField): Completed {
  const made = new Set<string>();
  const added = gained.reduce((whole, { way, name, schema }) => {
    const place = pointerTo(...way, name);
    return changedAt(whole, way, '', (entry, id) => {
      if (Object.hasOwn(entry, name)) return entry;
      const value = make(schema, toSeed(`${id}${place.slice(place.lastIndexOf('/'))}`));
      if (value === undefined) return entry;
      made.add(place);
      return { ...entry, [name]: value };
    });
  }, body);
  const without = lost.reduce(
    (whole, { way, name }) =>
      changedAt(whole, way, '', (entry) => {
        if (!Object.hasOwn(entry, name)) return entry;
        return Object.fromEntries(Object.entries(entry).filter(([key]) => key !== name));
      }),
    added,
  );
  return { body: without, made: [...made] };
}

/** A value with the objects at a way changed; `id` is that of the nearest entry above that has one. */
function changedAt(
  value: unknown,
  way: readonly string[],
  id: string,
  change: (entry: object, id: string) => object,
): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const [step, ...rest] = way;
  if (step === '*') return Array.isArray(value) ? value.map((entry) => changedAt(entry, rest, id, change)) : value;
  if (Array.isArray(value)) return value;
  const own = idOf(value) ?? id;
  if (step === undefined) return change(value, own);
  const inner = (value as Record<string, unknown>)[step];
  return inner === undefined ? value : { ...value, [step]: changedAt(inner, rest, own, change) };
}

function idOf(entry: object): string | undefined {
  const { id, productId } = entry as { id?: unknown; productId?: unknown };
  return id !== undefined ? String(id) : productId !== undefined ? String(productId) : undefined;
}
