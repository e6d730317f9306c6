import type { Fault, JournalEntry, Verification } from '../control/operation.ts';
import { redactSecrets } from '../util/redact-secrets.ts';
import { type RequestExpectation, sandboxAt, type TestSandbox, VerificationError } from './sandbox.ts';

type Entry = Readonly<Record<string, unknown>>;

/** The entries of a collection that a test has added, changed or removed. */
interface CollectionChanges {
  readonly added: readonly unknown[];
  readonly changed: readonly { readonly before: unknown; readonly after: unknown }[];
  readonly removed: readonly unknown[];
}

/** What the server knows of a failed test. */
export interface Evidence {
  readonly sandbox: string;
  readonly requests: readonly JournalEntry[];
  /** Why there may be no requests, if there are none. */
  readonly missingRequests?: string;
  readonly faults: readonly Fault[];
  /** For each fault that never applied, by id: the requests that were closest to it, with the reasons. */
  readonly nearMisses: Readonly<Record<string, Verification['nearMisses']>>;
  /** How the state differs from the state at the start, by collection. */
  readonly changes: Readonly<Record<string, CollectionChanges>>;
}

/** What `collectEvidence` needs to know of a sandbox. */
interface EvidenceOptions {
  readonly server: string;
  readonly token?: string | undefined;
  /** The snapshot with which the sandbox has started; undefined for the default data. */
  readonly from: string | undefined;
}

/**
 * Reads from the server what a sandbox has received and changed, without secrets.
 * Rejects with a `ControlError` if the server cannot be reached.
 */
export async function collectEvidence(sandbox: TestSandbox<object>, options: EvidenceOptions): Promise<Evidence> {
  const [requests, faults, state] = await Promise.all([sandbox.requests(), sandbox.faults(), sandbox.state()]);
  const nearMisses: Record<string, Verification['nearMisses']> = {};
  for (const fault of faults.filter(({ applied }) => applied === 0)) {
    const found = (await verify(sandbox, { operation: fault.operation, where: fault.where, state: 'any' }))?.nearMisses;
    if (found?.length) nearMisses[fault.id] = found;
  }
  const changes = compareStates(await readStart(sandbox.id, options), state as Record<string, readonly Entry[]>);
  const missing = requests.length === 0 ? await verify(sandbox, {}) : undefined;
  return redactSecrets({
    sandbox: sandbox.id,
    requests,
    ...(missing && { missingRequests: missing.message }),
    faults,
    nearMisses,
    changes,
  }) as Evidence;
}

/** Returns the result of a verification if no request matches. */
async function verify(sandbox: TestSandbox<object>, expectation: object): Promise<Verification | undefined> {
  try {
    await sandbox.verify(expectation as RequestExpectation);
    return undefined;
  } catch (error) {
    if (error instanceof VerificationError) return error.verdict;
    throw error;
  }
}

/**
 * Returns the state with which a sandbox has started.
 * Creates another sandbox for this, so that a test that passes reads no state.
 */
async function readStart(id: string, { server, token, from }: EvidenceOptions) {
  const start = sandboxAt<object>(server, `${id.slice(0, MAX_ID_LENGTH)}-start`, { token });
  await start.recreate({ from });
  try {
    return (await start.state()) as Record<string, readonly Entry[]>;
  } finally {
    await start.remove();
  }
}

/** The maximum length of a sandbox id before the suffix `-start`. */
const MAX_ID_LENGTH = 57;

/** Returns the entries that differ, by collection. Collections without a difference are left out. */
export function compareStates(
  before: Readonly<Record<string, readonly Entry[]>>,
  after: Readonly<Record<string, readonly Entry[]>>,
): Record<string, CollectionChanges> {
  const changes: Record<string, CollectionChanges> = {};
  for (const name of Object.keys({ ...before, ...after })) {
    const [old, now] = [before[name] ?? [], after[name] ?? []];
    const change = compareEntries(old, now, findKey(old, now));
    if (change.added.length + change.changed.length + change.removed.length > 0) changes[name] = change;
  }
  return changes;
}

/** Returns the first property that has another value in each entry of both lists, such as `id`. */
function findKey(...lists: readonly (readonly Entry[])[]): string | undefined {
  const [first] = lists.flat();
  return Object.keys(first ?? {}).find((name) =>
    lists.every((list) => {
      const values = new Set(list.map((entry) => entry[name]));
      return values.size === list.length && [...values].every((value) => ['string', 'number'].includes(typeof value));
    }),
  );
}

/** Compares two lists. Without a key, entries at the same index are compared. */
function compareEntries(before: readonly Entry[], after: readonly Entry[], key: string | undefined): CollectionChanges {
  const identify = (entry: Entry, index: number) => (key === undefined ? index : entry[key]);
  const old = new Map(before.map((entry, index) => [identify(entry, index), entry]));
  const added: Entry[] = [];
  const changed: { before: Entry; after: Entry }[] = [];
  for (const [index, entry] of after.entries()) {
    const id = identify(entry, index);
    const known = old.get(id);
    old.delete(id);
    if (known === undefined) added.push(entry);
    else if (JSON.stringify(known) !== JSON.stringify(entry)) changed.push({ before: known, after: entry });
  }
  return { added, changed, removed: [...old.values()] };
}

/** The maximum number of requests, and of entries of a change, in the text of the evidence. */
const MAX_LINES = 50;

/** The maximum length of an entry in the text of the evidence, in characters. */
const MAX_ENTRY_LENGTH = 300;

/**
 * Formats evidence as a short text for people.
 * The requests come after what explains most failures, because terminals show only the start of an attachment.
 */
export function formatEvidence({ sandbox, requests, missingRequests, faults, nearMisses, changes }: Evidence): string {
  const omitted = requests.length - MAX_LINES;
  const listFaults = (heading: string, list: readonly Fault[]) =>
    list.length === 0
      ? []
      : [
          `${heading} (${list.length}):`,
          ...list.flatMap((fault) => formatFault(fault, nearMisses[fault.id] ?? [])),
          '',
        ];
  return [
    ...(missingRequests === undefined ? [`Sandbox ${sandbox}`] : [missingRequests]),
    '',
    Object.keys(changes).length === 0 ? 'The data is as at the start.' : 'Changes of the data:',
    ...Object.entries(changes).flatMap(formatChanges),
    '',
    ...listFaults(
      'Faults that were not applied',
      faults.filter(({ applied }) => applied === 0),
    ),
    ...(requests.length === 0 ? [] : [`Requests (${requests.length}):`]),
    ...(omitted > 0 ? [`  … ${omitted} earlier requests`] : []),
    ...requests.slice(-MAX_LINES).flatMap(formatRequest),
    ...(requests.length === 0 ? [] : ['']),
    ...listFaults(
      'Applied faults',
      faults.filter(({ applied }) => applied > 0),
    ),
  ].join('\n');
}

function formatRequest({
  id,
  at,
  state,
  request,
  response,
  operation,
  durationMs,
  forced,
  violations = [],
  responseViolations = [],
}: JournalEntry): readonly string[] {
  const status = response === null ? (state ?? 'no response') : response.status;
  const faults = forced?.faults ? ` (fault ${forced.faults.join(', ')})` : '';
  const line = `#${id} ${at.slice(11, 23)} ${request.method} ${request.url} → ${status} ${operation ?? 'no operation'} ${durationMs} ms${faults}`;
  const reasons = violations.map(({ in: place, pointer, remedy }) => `${place} ${pointer}: ${remedy}`);
  return [`  ${line}`, ...[...reasons, ...responseViolations].map((reason) => `      violation: ${reason}`)];
}

function formatFault(fault: Fault, nearMisses: Verification['nearMisses']): readonly string[] {
  const { id, matched, applied, expired, held, warnings = [], ...definition } = fault;
  return [
    `  ${id} ${JSON.stringify(definition)}: applied to ${applied} of ${matched} matching requests`,
    ...warnings.map((warning) => `      ${warning}`),
    ...nearMisses.map(
      ({ request: { id: number, request }, reasons }) =>
        `      near miss: #${number} ${request.method} ${request.url}: ${reasons.join('; ')}`,
    ),
  ];
}

function formatChanges([name, { added, changed, removed }]: readonly [string, CollectionChanges]): readonly string[] {
  const lines = [
    ...added.map((entry) => `+ ${shorten(entry)}`),
    ...changed.flatMap(({ before, after }) => [`- ${shorten(before)}`, `+ ${shorten(after)}`]),
    ...removed.map((entry) => `- ${shorten(entry)}`),
  ];
  const omitted = lines.length - MAX_LINES;
  return [
    `  ${name}: ${added.length} added, ${changed.length} changed, ${removed.length} removed`,
    ...lines.slice(0, MAX_LINES).map((line) => `    ${line}`),
    ...(omitted > 0 ? [`    … ${omitted} more lines`] : []),
  ];
}

function shorten(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > MAX_ENTRY_LENGTH ? `${text.slice(0, MAX_ENTRY_LENGTH)}…` : text;
}
