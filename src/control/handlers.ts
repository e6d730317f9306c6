import type { Table } from '../application.ts';
import { findFaultIssues, type ParsedFault, parseFault, rejectTooManyFaults } from '../faults/fault.ts';
import { needsBody } from '../matcher/request-matcher.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { StoreUnavailableError } from '../store/backend.ts';
import { getCollection } from '../store/entry-list.ts';
import type { Entry, State } from '../store/state.ts';
import { createIdentity } from '../util/entry-identity.ts';
import { parseTime, toIsoTime } from '../util/iso-time.ts';
import type { Issue } from '../util/issue.ts';
import { HttpProblemError, type ProblemCode } from '../util/problem.ts';
import { runInSlices, type Steps, sortInSteps, splitList } from '../util/slices.ts';
import {
  type ControlHandlers,
  type ControlParts,
  createUnknownCollectionError,
  formatNames,
  getSandbox,
  type OperationDescription,
  rejectIssues,
} from './handler.ts';
import { journalHandlers, requestHandlers } from './journal-handlers.ts';
import type { Fault, FaultDefinition, Operation } from './operation.ts';
import { sandboxHandlers, snapshotHandlers } from './sandbox-handlers.ts';
import { webhookHandlers } from './webhook-handlers.ts';

/** The handlers of the control API for injected faults, by operationId. */
const faultHandlers = {
  listFaults: ({ path }, parts) =>
    getSandbox(path.id, parts)
      .faults.list()
      .map((fault) => addWarnings(fault, parts)),
  getFault({ path }, parts) {
    const fault = getSandbox(path.id, parts).faults.find(path.fault);
    if (!fault) throw createUnknownFaultError(path, parts);
    return addWarnings(fault, parts);
  },
  async addFault({ path, body }, parts) {
    const [parsed] = parseFaults([{ fault: body, at: '' }], parts) as [ParsedFault];
    const sandbox = await parts.sandboxes.get(path.id);
    return logWarnings(sandbox, await sandbox.change(() => sandbox.faults.add(parsed)), parts);
  },
  async replaceFaults({ path, body }, parts) {
    const parsed = parseFaults(
      body.map((fault, index) => ({ fault, at: `/${index}` })),
      parts,
    );
    const sandbox = await parts.sandboxes.get(path.id);
    const faults = await sandbox.change(() => sandbox.faults.replace(parsed));
    return faults.map((fault) => logWarnings(sandbox, fault, parts));
  },
  clearFaults({ path }, parts) {
    const { change, faults } = getSandbox(path.id, parts);
    return change(() => faults.clear());
  },
  async removeFault({ path }, parts) {
    const { change, faults } = getSandbox(path.id, parts);
    if (!(await change(() => faults.remove(path.fault)))) throw createUnknownFaultError(path, parts);
  },
  releaseRequests: ({ path }, parts) => release(getSandbox(path.id, parts)),
  releaseFault({ path }, parts) {
    const sandbox = getSandbox(path.id, parts);
    if (!sandbox.faults.find(path.fault)) throw createUnknownFaultError(path, parts);
    return release(sandbox, path.fault);
  },
} satisfies Partial<ControlHandlers>;

/** Releases the requests that faults hold. `id`: the id of the fault; by default, all faults of the sandbox. */
async function release({ change, faults }: Sandbox, id?: string) {
  let released = 0;
  await change(() => {
    released += faults.release(id);
  });
  return { released };
}

/**
 * Parses faults.
 * `at`: the JSON Pointer to each fault in the request body.
 * Throws an error if there are too many faults or a fault is invalid.
 * A fault is also invalid if the contract does not define its operation or does not allow its response.
 * Callers parse faults before they create a sandbox, so an invalid fault creates no sandbox.
 */
function parseFaults(
  faults: readonly { readonly fault: FaultDefinition; readonly at: string }[],
  parts: ControlParts,
): readonly ParsedFault[] {
  const rejectAny = (code: ProblemCode, find: (fault: FaultDefinition) => readonly Issue[]) =>
    rejectIssues(
      code,
      faults.flatMap(({ fault, at }) => find(fault).map((issue) => ({ ...issue, pointer: at + issue.pointer }))),
    );
  rejectAny('invalid-fault', findFaultIssues);
  rejectAny('unknown-operation', ({ operation }) => parts.findUnknownOperationIssues(operation));
  rejectAny('contract-conflict', parts.findUndocumentedResponses);
  const parsed = faults.map(({ fault, at }) => parseFault(fault, at));
  rejectTooManyFaults(parsed);
  return parsed;
}

/**
 * Adds warnings to a fault, for example that no request can match it, or that the contract does not document its
 * status.
 * `more`: additional warnings.
 */
function addWarnings(fault: Fault, parts: ControlParts, more: readonly string[] = []): Fault {
  const found = parts.findFaultWarnings({ ...fault, needsBody: needsBody(fault.where) });
  const warnings = [...(fault.warnings ?? []), ...found, ...more];
  return warnings.length > 0 ? { ...fault, warnings } : fault;
}

/** Adds warnings to a new fault, and logs each warning. */
function logWarnings({ id, clock }: Sandbox, fault: Fault, parts: ControlParts): Fault {
  const result = addWarnings(fault, parts, findExpiryWarning(fault, clock.nowMs()));
  for (const warning of result.warnings ?? []) parts.warn(`fault ${fault.id} of sandbox ${id}: ${warning}`);
  return result;
}

/** Returns a warning if the clock of the sandbox has already reached the time `until` of a new fault. */
function findExpiryWarning({ until }: Fault, nowMs: number): readonly string[] {
  if (until === undefined || parseTime(until) > nowMs) return [];
  const now = toIsoTime(nowMs);
  return [
    `the fault has expired: until (${until}) is not later than the time of the sandbox (${now}): use a later time`,
  ];
}

function createUnknownFaultError({ id, fault }: { readonly id: string; readonly fault: string }, parts: ControlParts) {
  const ids = getSandbox(id, parts)
    .faults.list()
    .map((one) => one.id);
  const existing = ids.length > 0 ? `The sandbox has ${formatNames(ids)}.` : 'The sandbox has no faults.';
  return new HttpProblemError({
    code: 'unknown-fault',
    detail: `Fault ${fault} does not exist in sandbox ${id}. ${existing}`,
  });
}

/** The default number of entries on a page. */
const PAGE_ENTRIES = 50;

/** The default number of search results in an explanation. */
const EXPLAINED_RESULTS = 10;

/** The handlers of the control API for the entries of a collection, by operationId. */
const entryHandlers = {
  async listEntries({ path, query }, parts) {
    const { state } = getSandbox(path.id, parts).store.read();
    const table = getTable(path.collection, parts);
    const list = getCollection(state, path.collection);
    const search = String(query.search ?? '').toLowerCase();
    const hasText = createSearch(search, (entry) => table.getCells(entry, state));
    const hasKey = query.key === undefined ? undefined : createKeyTest(path.collection, String(query.key), parts);
    const isMatch = hasKey ?? hasText;
    const found = search === '' && !hasKey ? undefined : await runInSlices(findPositions(list, isMatch));
    const positions =
      query.sort === undefined
        ? found
        : await runInSlices(sortPositions(list, found ?? [...list.keys()], { sort: String(query.sort), table, state }));
    const [offset, limit] = [Number(query.offset ?? 0), Number(query.limit ?? PAGE_ENTRIES)];
    const shown = positions?.slice(offset, offset + limit) ?? getRange(offset, Math.min(offset + limit, list.length));
    const summary = table.summarize?.(state);
    return {
      total: positions?.length ?? list.length,
      columns: [...table.columns],
      entries: shown.map((position) => toRow(list, position, { table, state })),
      ...(summary ? { summary: [...summary] } : {}),
    };
  },
  async explainSearch({ path, query }, parts) {
    const { state } = getSandbox(path.id, parts).store.read();
    const { collection } = path;
    const table = getTable(collection, parts);
    const { explainSearch } = parts.application();
    const explain = Object.hasOwn(explainSearch, collection) ? explainSearch[collection] : undefined;
    if (!explain) {
      const remedy = `Collections with a search: ${formatNames(Object.keys(explainSearch)) || 'none'}`;
      throw new HttpProblemError({
        code: 'no-search',
        detail: `Clients cannot search the collection ${collection}. ${remedy}.`,
      });
    }
    const limit = Number(query.limit ?? EXPLAINED_RESULTS);
    const { results, ...explanation } = await explain(state, { term: String(query.term), limit });
    const list = getCollection(state, collection);
    return {
      ...explanation,
      columns: [...table.columns],
      results: results.map(({ position, ...result }) => ({ ...toRow(list, position, { table, state }), ...result })),
    };
  },
} satisfies Partial<ControlHandlers>;

/**
 * Returns the table in which the console shows a collection.
 * Throws a `HttpProblemError` if the collection does not exist.
 */
function getTable(collection: string, parts: ControlParts): Table {
  const table = parts.application().getTable(collection);
  if (!table) throw createUnknownCollectionError(collection, parts);
  return table;
}

/** Returns a function that returns whether an entry of a collection has an id, which is given as text. */
function createKeyTest(collection: string, id: string, { application }: ControlParts): (entry: Entry) => boolean {
  const getId = createIdentity(application().collections.find(({ name }) => name === collection)?.key);
  return (entry) => [id, JSON.stringify(id)].includes(getId(entry) ?? '');
}

/**
 * Returns the positions of entries in the order of a column.
 * `sort`: the title of the column, with `-` before it for the descending order.
 * Missing values come last.
 */
function* sortPositions(
  list: readonly Entry[],
  positions: readonly number[],
  { sort, table, state }: { readonly sort: string; readonly table: Table; readonly state: State },
): Steps<readonly number[]> {
  const isDescending = sort.startsWith('-');
  const title = isDescending ? sort.slice(1) : sort;
  const index = table.columns.findIndex((column) => column.title === title);
  if (index < 0) {
    const titles = formatNames(table.columns.map((column) => column.title));
    const issue = { pointer: '/sort', message: `${JSON.stringify(title)} is not a column: use one of ${titles}` };
    rejectIssues('invalid-request', [issue], 'query');
  }
  const values: (readonly [number, unknown])[] = [];
  for (const [part] of splitList(positions)) {
    for (const position of part) values.push([position, table.getCells(list[position] as Entry, state)[index]]);
    yield;
  }
  const sorted = yield* sortInSteps(values, ([, a], [, b]) => compareCells(a, b, isDescending));
  return sorted.map(([position]) => position);
}

const collator = new Intl.Collator('en', { numeric: true });

function compareCells(a: unknown, b: unknown, isDescending: boolean): number {
  const [isMissing, isOtherMissing] = [a ?? null, b ?? null].map((value) => value === null);
  if (isMissing || isOtherMissing) return Number(isMissing) - Number(isOtherMissing);
  const order = typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(toText(a), toText(b));
  return isDescending ? -order : order;
}

function toText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function toRow(
  list: readonly Entry[],
  position: number,
  { table, state }: { readonly table: Table; readonly state: State },
) {
  const entry = list[position] as Entry;
  return { position, entry, cells: [...table.getCells(entry, state)] };
}

function getRange(from: number, to: number): readonly number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
}

/**
 * Returns the indexes of the entries for which `isMatch` returns true.
 * Yields after each part of the list, so that the server can handle other requests.
 */
function* findPositions(list: readonly Entry[], isMatch: (entry: Entry) => boolean): Steps<readonly number[]> {
  const positions: number[] = [];
  for (const [part, start] of splitList(list)) {
    for (const [index, entry] of part.entries()) if (isMatch(entry)) positions.push(start + index);
    yield;
  }
  return positions;
}

/**
 * Creates a function that returns whether a value or a table cell of an entry contains `search`.
 * `search` is in lower case.
 */
function createSearch(search: string, getCells: (entry: Entry) => readonly unknown[]): (entry: Entry) => boolean {
  const hasText = (value: unknown): boolean => {
    if (typeof value === 'string') return value.toLowerCase().includes(search);
    if (typeof value !== 'object' || value === null) return String(value).includes(search);
    return Object.values(value).some(hasText);
  };
  return (entry) => hasText(entry) || getCells(entry).some(hasText);
}

/**
 * The handlers of the control API for the server and for the operations of the application's contract, by operationId.
 */
const serverHandlers = {
  getServer(_input, { sandboxes, application, version, startedAt, dataFile, startOptions, reloads }) {
    const { contract, getExamples, collections } = application();
    return {
      version,
      startedAt,
      dataFile: dataFile ?? null,
      startOptions,
      contract: { ...contract, reloads: reloads() },
      examples: getExamples(sandboxes.default.store.read().state),
      collections,
    };
  },
  async getReadiness(_input, { sandboxes, stopping }) {
    if (stopping.aborted) throw new StoreUnavailableError('the server is shutting down');
    await sandboxes.default.store.check();
    return { ready: true };
  },
  getMetrics: (_input, { formatMetrics }) => formatMetrics(),
  getCoverage: (_input, { coverage }) => coverage.report(),
  resetCoverage: (_input, { coverage }) => coverage.reset(),
  listOperations({ path }, parts) {
    const sandbox = getSandbox(path.id, parts);
    return parts.application().operations.map((operation) => toOperation(sandbox, operation));
  },
  async setOperation({ path, body }, parts) {
    const operation = findOperation(path.operation, parts);
    if (!body.mocked && !operation.hasHandler) {
      const detail = `The operation ${path.operation} has no handler (${operation.explanation}), so it is always mocked. Add a handler with --handlers.`;
      throw new HttpProblemError({ code: 'no-handler', detail });
    }
    const sandbox = await parts.sandboxes.get(path.id);
    await sandbox.change(() => {
      if (body.mocked) sandbox.mockedOperations.add(path.operation);
      else sandbox.mockedOperations.remove(path.operation);
    });
    return toOperation(sandbox, operation);
  },
} satisfies Partial<ControlHandlers>;

function toOperation({ mockedOperations }: Sandbox, operation: OperationDescription): Operation {
  const { operationId, hasHandler } = operation;
  return { ...operation, mocked: !hasHandler || mockedOperations.ids.has(operationId) };
}

/**
 * Returns the description of an operation.
 * Throws a `HttpProblemError` if the application's contract does not define the operation.
 */
function findOperation(operationId: string, parts: ControlParts): OperationDescription {
  const operation = parts.application().operations.find((one) => one.operationId === operationId);
  if (operation) return operation;
  rejectIssues(
    'unknown-operation',
    parts.findUnknownOperationIssues(operationId).map((issue) => ({ ...issue, pointer: '/operation' })),
    'path',
  );
  throw new Error(`The operation ${operationId} is in the contract, but has no description.`);
}

/** The handlers of all operations of the control API, by operationId. */
export const controlHandlers: ControlHandlers = {
  ...serverHandlers,
  ...sandboxHandlers,
  ...entryHandlers,
  ...snapshotHandlers,
  ...faultHandlers,
  ...journalHandlers,
  ...requestHandlers,
  ...webhookHandlers,
};
