import type { Document } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import { toIsoTime } from '../util/iso-time.ts';
import { UserError } from '../util/issue.ts';
import { createEntryFinder, getKey, getRequest, modernize } from './baseline-entries.ts';
import { createResourceFinder, isReturnedValue } from './causes.ts';
import { type BaselineEntry, type Failure, getCounting, getSignature, type Report } from './report/report.ts';

const DAY = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;

/** Whether a value of a property is valid, and what the property must be. */
const PROPERTIES: Readonly<Record<keyof BaselineEntry, { readonly isOptional?: true; readonly isDay?: true }>> = {
  operation: {},
  request: {},
  check: {},
  rule: { isOptional: true },
  signature: {},
  firstSeen: { isDay: true },
  lastSeen: { isDay: true },
  reason: { isOptional: true },
  ticket: { isOptional: true },
  expires: { isOptional: true, isDay: true },
};

const VERSION = 1;

/** The content of a baseline. */
export interface Baseline {
  /** The seed of the last check that updated the baseline. With another seed, a check finds other known failures. */
  readonly seed?: number | undefined;
  readonly entries: readonly BaselineEntry[];
}

/**
 * Parses a baseline.
 * Throws a `UserError` if its text is invalid.
 */
export function parseBaseline(path: string, text: string): Baseline {
  let data: unknown;
  try {
    if (text.trim() === '') return { entries: [] };
    data = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (cause) {
    throw new UserError(`Invalid baseline ${path}: ${(cause as Error).message}`, { cause });
  }
  const { version, seed, failures } = (data ?? {}) as Readonly<Record<'version' | 'seed' | 'failures', unknown>>;
  if (version !== VERSION) throw refuse(path, '/version', `must be ${VERSION}`);
  if (seed !== undefined && !(Number.isSafeInteger(seed) && Number(seed) >= 0))
    throw refuse(path, '/seed', 'must be an integer of at least 0, as for --seed');
  if (!Array.isArray(failures)) throw refuse(path, '/failures', 'must be a list');
  for (const [index, entry] of failures.entries()) checkEntry(path, `/failures/${index}`, entry);
  return { seed: seed as number | undefined, entries: failures };
}

function checkEntry(path: string, pointer: string, entry: unknown): void {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry))
    throw refuse(path, pointer, 'must be an object');
  const values = entry as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(values))
    if (!Object.hasOwn(PROPERTIES, name))
      throw refuse(path, `${pointer}/${name}`, `is unknown: use ${Object.keys(PROPERTIES).join(', ')}`);
  for (const [name, { isOptional, isDay }] of Object.entries(PROPERTIES)) {
    const value = values[name];
    if (value === undefined && isOptional) continue;
    if (typeof value !== 'string') throw refuse(path, `${pointer}/${name}`, 'must be a string');
    if (isDay && !isCalendarDay(value))
      throw refuse(path, `${pointer}/${name}`, `is ${JSON.stringify(value)}: use a day such as "2027-01-31"`);
  }
}

/** Returns whether a text is a day of the calendar. `Date.parse` also accepts 30 February. */
function isCalendarDay(value: string): boolean {
  return DAY.test(value) && toIsoTime(Date.parse(value)).startsWith(value);
}

function refuse(path: string, pointer: string, problem: string): UserError {
  return new UserError(`Invalid baseline ${path}: ${pointer} ${problem}.`);
}

/**
 * Returns the text of a baseline: sorted, with one property in each line, so that a difference between two versions is
 * readable.
 */
export function formatBaseline({ seed, entries }: Baseline): string {
  const failures = entries
    .map((entry) => Object.fromEntries(Object.keys(PROPERTIES).flatMap((name) => toMember(entry, name))))
    .toSorted((one, other) => compareTexts(JSON.stringify(one), JSON.stringify(other)));
  return `${JSON.stringify({ version: VERSION, seed, failures }, null, 2)}\n`;
}

function toMember(entry: BaselineEntry, name: string): [string, string][] {
  const value = entry[name as keyof BaselineEntry];
  return value === undefined ? [] : [[name, value]];
}

function compareTexts(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

interface ComparisonOptions {
  readonly path: string;
  readonly entries: readonly BaselineEntry[];
  /** All operations of the contract, and its document. */
  readonly routes: readonly Route[];
  readonly document: Document;
  readonly isStrict: boolean;
  /** Whether the check read recorded requests. */
  readonly isRecorded: boolean;
  /** The time of the check, in ms since 1970. */
  readonly nowMs: number;
}

/**
 * Compares a report with a baseline.
 * Returns the report without the known failures and known incomplete parts, and with the result of the comparison.
 */
export function applyBaseline(report: Report, options: ComparisonOptions): Report {
  const { path, routes, isStrict, nowMs } = options;
  const today = toIsoTime(nowMs).slice(0, 'YYYY-MM-DD'.length);
  const isExpired = ({ expires = today }: BaselineEntry) => expires < today;
  // Of two equal entries, the one that is valid counts.
  const entries = options.entries
    .map(modernize)
    .toSorted((one, other) => Number(isExpired(one)) - Number(isExpired(other)));
  const counting = getCounting(report);
  const found = [...report.failures, ...report.unchecked.flatMap((text) => toIncomplete(text, routes))];
  const current = found.map((one) => toEntry(one, { routes, entries, today }));
  const findEntries = createEntryFinder(entries, current, options);
  const seen = current.map((one, index) => {
    const own = findEntries(one);
    return { found: found[index] as Failure | IncompletePart, current: one, entry: own[0], own };
  });
  const known = seen.filter(({ entry }) => entry && !isExpired(entry));
  const toResource = createResourceFinder(routes);
  const isReturned = ({ found }: (typeof seen)[number]) =>
    known.some((one) => isReturnedValue(toViolated(found), toViolated(one.found), toResource));
  const accepted = seen.filter((one) => known.includes(one) || (!one.entry && isReturned(one)));
  const isAccepted = (one: Failure | string) => accepted.some(({ found }) => toSource(found) === one);
  const missed = entries.filter((entry) => !seen.some(({ own }) => own.includes(entry)));
  const fixed = missed.filter((entry) => isReached(entry, report, options));
  const kept = missed.filter((entry) => !fixed.includes(entry));
  const updated = seen
    .filter(({ found, entry }) => entry || 'text' in found || counting.includes(found))
    .map(({ current, entry = current }) => ({ ...entry, ...current, firstSeen: entry.firstSeen }));
  const expired = [...new Set(seen.flatMap(({ entry }) => (entry && isExpired(entry) ? entry : [])))];
  const stop = accepted.map(({ found }) => ('stop' in found ? found.stop : undefined)).find((one) => one);
  return {
    ...report,
    failures: report.failures.filter((failure) => !isAccepted(failure)),
    unchecked: report.unchecked.filter((text) => !isAccepted(text) && !stop?.unfinished.includes(text)),
    unreached: [...report.unreached, ...(stop?.operations ?? []).map((id) => `${id} (${STOPPED})`)],
    notes: [
      ...report.notes,
      ...new Set(seen.flatMap(({ current, entry }) => describeRename(current, entry))),
      ...expired.map(
        (entry) => `The baseline accepted ${describeEntry(entry)} until ${entry.expires}${describeTicket(entry)}`,
      ),
    ],
    baseline: {
      path,
      isStrict,
      known: accepted.flatMap(({ found }) => ('text' in found ? [] : found)),
      incomplete: accepted.flatMap(({ found }) => ('text' in found ? found.text : [])),
      fixed: fixed.map((entry) => `${describeEntry(entry)}${describeTicket(entry)}`),
      entries: [...kept, ...new Map(updated.map((entry) => [getKey(entry), entry])).values()],
    },
  };
}

const STOPPED = 'the server stopped before all its requests';

/** A part of the check that an operation made incomplete. */
interface IncompletePart extends Pick<Failure, 'operationId' | 'status' | 'title'> {
  readonly check: 'incomplete';
  readonly rule?: undefined;
  /** The text in the report. */
  readonly text: string;
}

/**
 * Converts a description of something that was not checked completely, such as `life cycle of createTask (…)`.
 * Returns an empty list if it names no operation: then the check has stopped early.
 */
function toIncomplete(text: string, routes: readonly Route[]): readonly IncompletePart[] {
  const [, part] = /^([^(]+) \(/.exec(text) ?? [];
  const route = part && routes.find(({ operationId }) => part.split(' ').includes(operationId));
  if (!route) return [];
  const { operationId } = route;
  const title = `not checked completely${part === operationId ? '' : `: ${part}`}`;
  return [{ check: 'incomplete', operationId, status: '', title, text }];
}

function toViolated(found: Failure | IncompletePart): Parameters<typeof isReturnedValue>[0] {
  const { operationId, title, rule } = found;
  const requests = 'steps' in found ? found.steps.map(({ request }) => request) : [];
  // An incomplete part has no rule, and is like none of these.
  return { operationId, title, rule: rule?.name ?? 'responds', requests };
}

function toSource(found: Failure | IncompletePart): Failure | string {
  return 'text' in found ? found.text : found;
}

function toEntry(
  found: Failure | IncompletePart,
  { routes, entries, today }: Pick<ComparisonOptions, 'routes' | 'entries'> & { readonly today: string },
): BaselineEntry {
  const { check, rule } = found;
  const signature = getSignature(found);
  // Which of the requests in flight comes first differs from check to check.
  const suspects = ('stop' in found ? found.stop?.suspects : undefined) ?? [];
  const isKnown = (id: string) => entries.some((one) => one.operation === id && one.signature === signature);
  const operation = suspects.find(isKnown) ?? found.operationId;
  return {
    operation,
    request: getRequest(routes.find(({ operationId }) => operationId === operation)),
    check,
    ...(rule ? { rule: rule.name } : {}),
    signature,
    firstSeen: today,
    lastSeen: today,
  };
}

/** Returns whether a check that did not find the failure of an entry would have found it. */
function isReached(
  { operation, rule }: BaselineEntry,
  { coverage, unchecked }: Report,
  { routes, isRecorded }: Pick<ComparisonOptions, 'routes' | 'isRecorded'>,
) {
  if (unchecked.some((text) => toIncomplete(text, routes).length === 0)) return false;
  if (!routes.some(({ operationId }) => operationId === operation)) return true;
  const own = coverage.operations.find(({ operationId }) => operationId === operation);
  const checked = own?.rules.find((one) => one.rule === rule);
  // A recording has only responses: other rules, and what was incomplete, are not reached.
  if (isRecorded && !checked) return false;
  const isIncomplete = unchecked.some((text) => text.split(/[^\w.-]/).includes(operation));
  return own !== undefined && own.requests > 0 && checked?.count !== 0 && !isIncomplete;
}

function describeEntry({ operation, rule, signature }: BaselineEntry): string {
  return `${operation} ${signature}${rule ? ` (${rule})` : ''}`;
}

function describeTicket({ ticket, reason }: BaselineEntry): string {
  const known = [ticket, reason].filter((text) => text);
  return known.length > 0 ? `: ${known.join(', ')}` : '';
}

function describeRename(current: BaselineEntry, entry = current): readonly string[] {
  const { operation, request, signature } = entry;
  if (operation !== current.operation) {
    const old = request === current.request ? operation : `${operation} (${request})`;
    return [`The baseline has ${old} for ${current.operation} (${current.request})`];
  }
  return [
    ...(request === current.request ? [] : [`${operation} was ${request} in the baseline, and is ${current.request}`]),
    ...(signature === current.signature
      ? []
      : [`The baseline has ${signature} for ${current.signature} of ${operation}`]),
  ];
}
