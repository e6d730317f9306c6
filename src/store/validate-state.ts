import { setImmediate } from 'node:timers/promises';
import type { Issue } from '../util/issue.ts';
import { formatPointer } from '../util/json-pointer.ts';
import type { State } from './state.ts';

/** A list of a state. */
export interface Collection {
  /** The name of the schema of its entries in the contract. */
  readonly schema: string;
  /** The property that identifies an entry: a string that is unique in the list. */
  readonly key: string;
  /** Whether the list has at least one entry. */
  readonly isNeverEmpty?: boolean;
}

/** Returns the issues of a value under a schema of the contract that allows no other properties than its own. Adds the schema's defaults to the value. */
export type ValidateEntry = (schema: string, value: unknown) => readonly Issue[];

/** The rules that data satisfies to be the state of an application. */
export interface StateRules<S extends State = State> {
  readonly collections: Readonly<Record<keyof S & string, Collection>>;
  readonly validateEntry: ValidateEntry;
  /**
   * Checks what no schema can express, such as references between entries, if the schemas are satisfied. Yields each issue, and undefined after each
   * step, so that other work can be done between them.
   */
  findReferenceIssues?(state: S): Steps;
}

/** The steps of a validation: an issue each, or undefined. */
export type Steps = Iterable<Issue | undefined>;

/** Validates data as the state of an application under one version of its contract. */
export interface StateValidator {
  /** Returns all issues; none if `data` is a state. Adds the defaults of the contract to `data`. */
  validate(data: unknown): readonly Issue[];
  /** Returns the first 1,000 issues. Leaves `data` as it is. Other requests are handled meanwhile. */
  validateInSlices(data: unknown): Promise<readonly Issue[]>;
}

/** The number of entries that are validated before other requests are handled. */
const SLICE_ENTRIES = 200;

/** The number of issues after which a validation in slices ends. */
const MAX_ISSUES = 1_000;

/**
 * Creates the validator of an application's states. Decision: it is strict, since an application can't serve by the contract what violates it. It first
 * checks the shape by the schemas of the contract, and if that holds what no schema can express: unique keys, and the rules of the application.
 */
export function createStateValidator(rules: StateRules): StateValidator {
  const copying: StateRules = {
    ...rules,
    validateEntry(schema, value) {
      const place = findLargeObject(value);
      if (place === undefined) return rules.validateEntry(schema, structuredClone(value));
      return [{ pointer: place, message: `has more than ${MAX_PROPERTIES} properties: use fewer` }];
    },
  };
  return {
    validate: (data) => [...validationSteps(data, rules)].flatMap((issue) => issue ?? []),
    async validateInSlices(data) {
      const issues: Issue[] = [];
      let steps = 0;
      for (const issue of validationSteps(data, copying)) {
        if (issue) issues.push(issue);
        if (issues.length === MAX_ISSUES) break;
        if (++steps % SLICE_ENTRIES === 0) await setImmediate();
      }
      return issues;
    },
  };
}

/** The maximum number of properties of an object in a state that a client sends: an error for each of a million would block the server for seconds. */
const MAX_PROPERTIES = 10_000;

/** Returns the location of an object with too many properties (JSON Pointer); undefined if there is none. */
function findLargeObject(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!Array.isArray(value) && Object.keys(value).length > MAX_PROPERTIES) return '';
  for (const [name, inner] of Object.entries(value)) {
    const place = findLargeObject(inner);
    if (place !== undefined) return formatPointer(name) + place;
  }
  return undefined;
}

function* validationSteps(data: unknown, rules: StateRules): Generator<Issue | undefined> {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    yield { pointer: '', message: `is not an object with ${Object.keys(rules.collections).join(', ')}` };
    return;
  }
  let hasShape = true;
  for (const issue of shapeSteps(data as Record<string, unknown>, rules)) {
    if (issue) hasShape = false;
    yield issue;
  }
  if (!hasShape) return;
  for (const [name, { key }] of Object.entries(rules.collections)) yield* duplicateSteps(name, key, data as State);
  yield* rules.findReferenceIssues?.(data as State) ?? [];
}

function* shapeSteps(data: Readonly<Record<string, unknown>>, { collections, validateEntry }: StateRules): Steps {
  const createIssue = (name: string, message: string) => ({ pointer: formatPointer(name), message });
  const names = Object.keys(collections);
  for (const name of Object.keys(data)) {
    if (!names.includes(name)) yield createIssue(name, `is not one of ${names.join(', ')}: remove it`);
  }
  for (const [name, { schema, isNeverEmpty }] of Object.entries(collections)) {
    const list = data[name];
    if (list === undefined) yield createIssue(name, 'is missing: add an array');
    else if (!Array.isArray(list)) yield createIssue(name, 'is not an array');
    else if (isNeverEmpty && list.length === 0) yield createIssue(name, 'is empty: add at least one entry');
    else yield* entrySteps(name, list, (entry) => validateEntry(schema, entry));
  }
}

function duplicateSteps(name: string, key: string, { [name]: entries = [] }: State): Steps {
  const firstIndexes = new Map<unknown, number>();
  return entrySteps(name, entries, ({ [key]: value }, index) => {
    const first = firstIndexes.get(value);
    if (first !== undefined)
      return [{ pointer: formatPointer(key), message: `is the same as ${formatPointer(name, first, key)}: change it` }];
    firstIndexes.set(value, index);
    return [];
  });
}

/** Finds the issues of each entry of a list, one entry a step. The pointers of its issues are relative to the entry. */
export function* entrySteps<Entry>(
  list: string,
  entries: readonly Entry[],
  findIssues: (entry: Entry, index: number) => readonly Issue[],
): Generator<Issue | undefined> {
  for (const [index, entry] of entries.entries()) {
    for (const issue of findIssues(entry, index))
      yield { ...issue, pointer: formatPointer(list, index) + issue.pointer };
    yield undefined;
  }
}
