import type { Entry } from '../../store/state.ts';
import { isQuantityName, normalizeName, toSingular } from '../../util/names.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import { getOwn } from '../entries/entry-values.ts';
import { type Children, NO_ID, type Resource } from '../resource.ts';
import { getCountedName, normalizeCountName } from './counted-properties.ts';

/** The number in each item of a list whose sum is a total. `quantity`: the number by which it is multiplied. */
interface Summand {
  readonly property: string;
  readonly quantity: string | undefined;
}

/**
 * A property whose value follows from a list: the sum of a number, the number of items, or whether there are any.
 * `source`: the property of the entry with the list, or the entries of another resource that belong to the entry.
 * Undefined if the numbers are in the entry itself: the `subtotal` of an item beside its `price` and `quantity`.
 */
export interface Total {
  readonly property: string;
  readonly source: string | Children | undefined;
  readonly shows: Summand | 'count' | 'isEmpty' | 'hasItems';
}

/** A list from which values can follow. `schema`: the JSON Pointer of the schema of an item. */
interface Source {
  readonly source: string | Children;
  readonly name: string;
  readonly schema: string;
}

/** Properties of an entry that a total can include beside the sum of its items. */
const SURCHARGE = /tax|vat|discount|shipping|delivery|fee|tip|coupon|rebate|subtotal|surcharge/;

/** A name of a price, without uppercase letters and separators. */
const PRICE = /^(?:unit|item)?(?:price|cost|amount)(?:in)?(cents|minor)?$/;

/** Returns whether a number of a line is the number of its pieces by its name. */
function isQuantity(name: string): boolean {
  return isQuantityName(name) || /^(?:count|units|pieces)$/.test(normalizeName(name));
}

/**
 * Returns the properties of the entries of a resource that follow from a list: in the entry itself, or of another
 * resource.
 * Omits a property if several lists or numbers are possible.
 * `isSent`: returns whether a request can set a property.
 */
export function findTotals(
  reader: SchemaReader,
  { schema }: Pick<Resource, 'schema'>,
  children: readonly Children[],
  isSent: (property: string) => boolean,
): readonly Total[] {
  if (schema === '') return [];
  const properties = [...reader.getProperties(schema)];
  const own = properties.flatMap(([name, pointer]): readonly Source[] => {
    const items = reader.getItems(pointer);
    // A list that can't be empty has no count of 0.
    const canBeEmpty = !(Number(reader.getKeyword(pointer, 'minItems') ?? 0) > 0) || isSent(name);
    return items !== undefined && canBeEmpty ? [{ source: name, name: normalizeName(name), schema: items }] : [];
  });
  const others = children.map(
    (source): Source => ({ source, name: normalizeName(source.resource.name), schema: source.resource.schema }),
  );
  const sources = [...own, ...others.filter(({ name }) => !own.some((one) => one.name === name))];
  const example = reader.getExample(schema);
  const multiplied = findMultiplied(reader, properties).filter(({ property }) => !isSent(property));
  const known = multiplied.map(({ property }) => property);
  const line = sources.length + multiplied.length === 0 ? findLineTotal(reader, properties) : undefined;
  if (line && !isSent(line.property)) return isTrueForExample(example, line) ? [line] : [];
  const hasSurcharge = properties.some(([name]) => SURCHARGE.test(normalizeName(name)));
  const found = properties.flatMap(([property, pointer]): readonly Total[] => {
    if (isSent(property) || known.includes(property)) return [];
    const types = reader.getTypes(pointer);
    const name = normalizeName(property);
    if (types.includes('boolean')) return findPresence(property, sources);
    if (!types.includes('integer') && !types.includes('number')) return [];
    const counted = types.includes('integer') ? findCounted(normalizeCountName(property), own) : undefined;
    const count = counted && ({ property, source: counted.source, shows: 'count' } as const);
    if (count) return isTrueForExample(example, count) ? [count] : [];
    if (hasSurcharge && !name.includes('subtotal')) return [];
    const sums = sources.flatMap(({ source, name: list, schema: item }) => {
      const summand = findSummand(reader, name, item);
      if (summand && typeof source !== 'string' && !isPart(list, summand)) return [];
      return summand ? [{ property, source, shows: summand }] : [];
    });
    return sums.length === 1 && isTrueForExample(example, sums[0]) ? sums : [];
  });
  return [...multiplied, ...found];
}

/** Matches the names of entries that are the parts of an entry, and not, for example, its refunds. */
const PARTS = /(?:items?|lines?|entries|positions?)$/;

/** Returns whether the entries of another resource can be the summands of a total. */
function isPart(list: string, { property }: Summand): boolean {
  const isNumber = !PRICE.test(normalizeName(property));
  return isNumber || PARTS.test(list);
}

/** Finds the list of the entry whose items a property such as `itemCount` counts. */
function findCounted(name: string, own: readonly Source[]): Source | undefined {
  // A number such as `itemsTotal` can be a sum.
  const counted = /(?<!^)total$/.test(name) ? undefined : getCountedName(name);
  return own.find((one) => counted !== undefined && (one.name === counted || toSingular(one.name) === counted));
}

/** Finds the list whose presence a boolean such as `isEmpty` or `hasComments` shows. */
function findPresence(property: string, sources: readonly Source[]): readonly Total[] {
  const name = normalizeName(property);
  const [only, ...more] = sources;
  if (/^(?:is)?empty$/.test(name))
    return only && more.length === 0 ? [{ property, source: only.source, shows: 'isEmpty' }] : [];
  const found = sources.find((one) => name === `has${one.name}`);
  return found ? [{ property, source: found.source, shows: 'hasItems' }] : [];
}

/** A name of the price of all pieces of an item, without uppercase letters and separators. */
const LINE_TOTAL = /^(?:line|item|row|sub)?total(?:price|cost|amount|value)?(cents|minor)?$/;

/** Finds the price of all pieces of an item, such as `subtotal` beside `price` and `quantity`. */
function findLineTotal(
  reader: SchemaReader,
  properties: readonly (readonly [name: string, schema: string])[],
): Total | undefined {
  const numbers = properties.flatMap(([property, pointer]) => (reader.allowsNumber(pointer) ? [property] : []));
  const find = (form: RegExp) => numbers.filter((name) => form.test(normalizeName(name)));
  const [[property, ...others], [price, ...prices]] = [find(LINE_TOTAL), find(PRICE)];
  const quantity = numbers.find((name) => isQuantity(name));
  const isAmount = price !== undefined && normalizeName(price).startsWith('amount');
  const isSurcharged = numbers.some((name) => name !== property && SURCHARGE.test(normalizeName(name)));
  if (property === undefined || price === undefined || quantity === undefined || isAmount || isSurcharged)
    return undefined;
  const units = [LINE_TOTAL.exec(normalizeName(property)), PRICE.exec(normalizeName(price))].map((found) => found?.[1]);
  if (others.length + prices.length > 0 || units[0] !== units[1]) return undefined;
  return { property, source: undefined, shows: { property: price, quantity } };
}

/** Matches a description that multiplies two numbers, and does nothing else with them: `quantity × unit price`. */
const MULTIPLIED = /(?:^|[=:(]) *([\w ]+?) *(?:×|\*|\bx\b|\btimes\b|\bmultiplied by\b) *([\w ]+?) *(?:$|[.;,)](?!\d))/i;

/** Finds the numbers whose descriptions multiply two others of the entry. */
function findMultiplied(
  reader: SchemaReader,
  properties: readonly (readonly [name: string, schema: string])[],
): readonly Total[] {
  const numbers = properties.filter(([, pointer]) => reader.allowsNumber(pointer));
  return numbers.flatMap(([property, pointer]): readonly Total[] => {
    const description = String(reader.getKeyword(pointer, 'description') ?? '');
    const [before, after] = (MULTIPLIED.exec(description) ?? []).slice(1).map(normalizeName);
    if (before === undefined || after === undefined || SURCHARGE.test(normalizeName(description))) return [];
    const others = numbers.flatMap(([name]) => (name === property ? [] : [name]));
    const quantity = others.find((name) => normalizeName(name) === before);
    const price = others.find((name) => name !== quantity && normalizeName(name) === after);
    if (quantity === undefined || price === undefined) return [];
    return [{ property, source: undefined, shows: { property: price, quantity } }];
  });
}

/** Finds the only number of an item whose sum has a name such as `total`, `totalCents` or `totalHours`. */
function findSummand(reader: SchemaReader, name: string, item: string): Summand | undefined {
  const [, after, before] = /^(?:grandtotal|subtotal|total|sum)(?:of)?(.*)$|^(.+?)(?:total|sum)$/.exec(name) ?? [];
  const summed = after ?? before;
  if (summed === undefined || item === '') return undefined;
  const numbers = [...reader.getProperties(item)].flatMap(([property, pointer]) => {
    const types = reader.getTypes(pointer);
    return types.includes('integer') || types.includes('number') ? [property] : [];
  });
  // An item with a total of its own can have a discount, unless the total follows from the price and the quantity.
  const line = findLineTotal(reader, [...reader.getProperties(item)]);
  if (numbers.some((one) => one !== line?.property && /total|sum|discount|tax/.test(normalizeName(one))))
    return undefined;
  const isMoney = summed === '' || /^(?:price|cost|amount|value)?(?:in)?(?:cents|minor)?$/.test(summed);
  const unit = /(cents|minor)$/.exec(summed)?.[1];
  const found = numbers.filter((one) => {
    const own = normalizeName(one);
    const price = PRICE.exec(own);
    return own === summed || (isMoney && price !== null && price[1] === unit);
  });
  const [property] = found;
  if (property === undefined || found.length > 1) return undefined;
  const quantity = numbers.find((one) => one !== property && isQuantity(one));
  const isPrice = /price|cost/.test(normalizeName(property));
  // The amount of an item with a quantity can be that of one piece or of all.
  if (quantity !== undefined && !isPrice) return undefined;
  return { property, quantity };
}

/** Returns whether a total in the example of the document is the sum of the items beside it, if it has both. */
function isTrueForExample(example: unknown, total: Total | undefined): boolean {
  if (!total || typeof total.source !== 'string' || typeof example !== 'object' || example === null) return true;
  const stated = (example as Entry)[total.property];
  const items = (example as Entry)[total.source];
  return stated === undefined || !Array.isArray(items) || computeTotal(total, items) === stated;
}

/** Describes a total: `total (sum of price × quantity of items)`. */
export function describeTotal({ property, source, shows }: Total): string {
  if (source === undefined)
    return `${property} (${typeof shows === 'object' ? `${shows.property} × ${shows.quantity}` : ''})`;
  const name = typeof source === 'string' ? source : source.resource.name;
  if (shows === 'count') return `${property} (number of ${name})`;
  if (shows === 'isEmpty') return `${property} (no ${name})`;
  if (shows === 'hasItems') return property;
  return `${property} (sum of ${[shows.property, shows.quantity].filter(Boolean).join(' × ')} of ${name})`;
}

/** Returns the values of totals. `list`: returns the entries of another resource that belong to the entry. */
export function computeTotals(
  totals: readonly Total[],
  entry: Entry,
  list: (children: Children) => readonly Entry[],
): Entry {
  return Object.fromEntries(
    totals.flatMap((total) => {
      const { source } = total;
      const own = typeof source === 'string' ? getOwn(entry, source) : undefined;
      const items = source === undefined ? [entry] : typeof source === 'string' ? own : list(source);
      // A list that the entry lacks is shown as empty. Otherwise, a generated list could contradict the total.
      const shown = typeof source === 'string' ? [[source, items ?? []] as const] : [];
      const value = computeTotal(total, Array.isArray(items) ? items : []);
      return value === undefined ? shown : [...shown, [total.property, value] as const];
    }),
  );
}

function computeTotal({ shows }: Total, items: readonly unknown[]): unknown {
  if (shows === 'count') return items.length;
  if (shows === 'isEmpty') return items.length === 0;
  if (shows === 'hasItems') return items.length > 0;
  let sum = 0;
  for (const item of items) {
    const { [shows.property]: value, [shows.quantity ?? '']: quantity = 1 } = (item ?? {}) as Entry;
    if (typeof value !== 'number' || typeof quantity !== 'number') return undefined;
    sum += value * quantity;
  }
  // Decimal places that are only an error of binary arithmetic are rounded off.
  return Number(sum.toFixed(10));
}

/** Returns the lists of objects in the entries of a resource that do not show other entries themselves. */
export function listParts(
  reader: SchemaReader,
  resource: Resource,
  shown: readonly { readonly property: string }[],
): readonly Resource[] {
  const base = {
    kind: 'collection',
    id: NO_ID,
    mounts: [],
    canCreate: true,
    canPost: false,
    canDelete: false,
  } as const;
  return [...reader.getProperties(resource.schema)].flatMap(([property, pointer]) => {
    const schema = reader.getItems(pointer);
    const isShown = shown.some((one) => one.property === property);
    if (schema === undefined || isShown || !reader.isObject(schema)) return [];
    const name = `${resource.name}.${property}`;
    return [{ ...base, name, singular: name, schema, part: { of: resource, property } }];
  });
}
