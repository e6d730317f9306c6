import { createHash } from 'node:crypto';
import type { Entry, Values } from './clinic-types.ts';
import type { ClinicVariant } from './clinic-variants.ts';

interface ListParts {
  readonly collection: 'doctors' | 'patients' | 'appointments';
  readonly parameters: Values;
  readonly variant: ClinicVariant;
}

type Test = (values: Values) => boolean;

/** Returns a page of entries; undefined if the cursor is invalid. */
export function listEntries(all: readonly Entry[], parts: ListParts) {
  const { collection, parameters, variant } = parts;
  const limit = Number(parameters.limit ?? 10);
  const start = variant === 'the cursor is ignored' ? 0 : readCursor(parameters.cursor);
  if (start === undefined) return undefined;
  const shown = all.filter(({ values }) => isShown(values, parts));
  const found = shown.filter(({ values }) => createTests(parts).every((test) => test(values)));
  const sorted = sortEntries(variant === 'newest entries first' ? found.toReversed() : found, parts);
  const size = variant === 'a page has one entry more than the limit' ? limit + 1 : limit;
  const page = sorted.slice(start, start + size);
  const step = variant === 'the last entry of a page is the first of the next' && limit > 1 ? limit - 1 : limit;
  const isLast = start + limit >= sorted.length && variant !== 'the last page has a cursor';
  const ignoresFilters = variant === 'the total of appointments ignores filters' && collection === 'appointments';
  const total = ignoresFilters ? shown.length : found.length;
  return {
    data: variant === 'only the entries of each page are sorted' ? sortPage(found, start, size, parts) : page,
    next_cursor: isLast ? null : writeCursor(start + step, variant),
    total_count: variant === 'the total is that of the page' ? page.length : total,
  };
}

function sortPage(found: readonly Entry[], start: number, size: number, parts: ListParts): readonly Entry[] {
  return sortEntries(found.slice(start, start + size), parts);
}

function isShown(values: Values, { collection, parameters, variant }: ListParts): boolean {
  if (collection !== 'patients') return true;
  if (variant === 'the list lacks patients without a phone' && !values.phone) return false;
  const withDeleted = parameters.include_deleted === true || variant === 'a deleted patient stays in the list';
  return withDeleted || !values.deleted_at;
}

/** Creates the tests of the filters of a request. */
function createTests(parts: ListParts): readonly Test[] {
  const { parameters, variant } = parts;
  const is = (one: NonNullable<ClinicVariant>) => one === variant;
  const tests: Readonly<Record<string, (value: unknown) => Test | undefined>> = {
    status: (value) => (is('the filter by status is ignored') ? undefined : ({ status }) => status === value),
    doctor_code: (value) => (values) =>
      is('the filter by doctor compares prefixes')
        ? String(values.doctor_code).startsWith(String(value))
        : values.doctor_code === value,
    patient_id: (value) => (values) => values.patient_id === value,
    last_name: (value) => {
      if (is('the filter by last name is ignored')) return undefined;
      const isPart = is('finds parts of last names in any case');
      return ({ last_name: name }) => (isPart ? fold(name).includes(fold(value)) : name === value);
    },
    specialty: (value) => (values) => values.specialty === value && !is('the filter by specialty finds nothing'),
    q: (value) => (is('q is ignored') ? undefined : ({ name }) => fold(name).includes(fold(value))),
    min_fee: (value) => (values) =>
      is('min_fee is an upper limit')
        ? Number(values.fee_cents) <= Number(value)
        : Number(values.fee_cents) >= Number(value),
    max_fee: (value) => (values) => Number(values.fee_cents) <= Number(value),
    born_after: (value) => (is('born_after is ignored') ? undefined : (one) => String(one.birth_date) > String(value)),
    born_before: (value) => (one) =>
      is('born_before finds patients born later')
        ? String(one.birth_date) > String(value)
        : String(one.birth_date) < String(value),
    from: (value) => {
      if (is('from is ignored')) return undefined;
      return ({ start }) => (is('from compares texts') ? String(start) >= String(value) : toMs(start) >= toMs(value));
    },
    to: (value) => {
      if (is('to is ignored')) return undefined;
      if (is('to finds later appointments')) return ({ start }) => toMs(start) > toMs(value);
      return ({ start }) =>
        is('has to as an exclusive limit') ? toMs(start) < toMs(value) : toMs(start) <= toMs(value);
    },
    min_price: (value) => (is('min_price is ignored') ? undefined : (one) => Number(one.price_cents) >= Number(value)),
    max_price: (value) => (one) =>
      is('max_price compares texts')
        ? String(one.price_cents) <= String(value)
        : Number(one.price_cents) <= Number(value),
  };
  return Object.entries(parameters).flatMap(([name, value]) => tests[name]?.(value) ?? []);
}

type Compare = (one: unknown, other: unknown) => number;

const compareTexts: Compare = (one, other) => {
  if (one === other) return 0;
  return String(one) < String(other) ? -1 : 1;
};
const compareTimes: Compare = (one, other) => toMs(one) - toMs(other);
const compareNumbers: Compare = (one, other) => Number(one) - Number(other);

function sortEntries(found: readonly Entry[], { collection, parameters, variant }: ListParts): readonly Entry[] {
  const sort = parameters.sort === undefined ? undefined : String(parameters.sort);
  if (sort === undefined || (variant === 'the sort of patients is ignored' && collection === 'patients')) return found;
  const isReversed = sort.startsWith('-') && !(variant === 'sort=-start sorts in ascending order' && sort === '-start');
  const name = sort.replace('-', '');
  const compare = chooseComparison(name, variant);
  const sign = isReversed ? -1 : 1;
  return found.toSorted((one, other) => sign * compare(one.values[name], other.values[name]));
}

function chooseComparison(name: string, variant: ClinicVariant): Compare {
  if (name === 'price_cents') return variant === 'prices are sorted as texts' ? compareTexts : compareNumbers;
  if (name === 'fee_cents') return compareNumbers;
  if (name === 'start') return compareTimes;
  if (variant === 'names are sorted by their length' && name === 'name')
    return (one, other) => String(one).length - String(other).length;
  if (variant === 'sorts texts without regard to case') return (one, other) => compareTexts(fold(one), fold(other));
  if (variant === 'sorts texts with the rules of a language')
    return (one, other) => String(one).localeCompare(String(other), 'en');
  return compareTexts;
}

function fold(value: unknown): string {
  return String(value).toLowerCase();
}

function toMs(value: unknown): number {
  return Date.parse(String(value));
}

const KEY = 'clinic';

/** Writes a cursor with a checksum, so that a changed one is invalid. */
function writeCursor(position: number, variant: ClinicVariant): string {
  const salt = variant === 'new cursors for each page' ? Math.random().toString(36).slice(2, 8) : 'a';
  const text = `${position}.${salt}`;
  return Buffer.from(`${text}.${sign(text)}`).toString('base64url');
}

function readCursor(cursor: unknown): number | undefined {
  if (cursor === undefined) return 0;
  const [position = '', salt = '', signature] = Buffer.from(String(cursor), 'base64url').toString().split('.');
  return signature === sign(`${position}.${salt}`) ? Number(position) : undefined;
}

function sign(text: string): string {
  return createHash('sha256').update(`${KEY}${text}`).digest('hex').slice(0, 12);
}
