import { setImmediate } from 'node:timers/promises';
import type { DataValidator, Issue } from '../util/issue.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { runAtOnce, type Steps } from '../util/slices.ts';
import type { State } from './state.ts';

/** A collection of a state: a list of entries with the same schema. */
export interface Collection {
  /** The name of the entries' schema in the contract. */
  readonly schema: string;
  /** The name of the property that identifies an entry. Its value is a string that is unique in the list. */
  readonly key: string;
  /** Whether the list must have at least one entry. */
  readonly isNeverEmpty?: boolean;
}

/** The rules for the state of an application. */
export interface StateRules<S extends State = State> {
  readonly collections: Readonly<Record<keyof S & string, Collection>>;
  /** Returns the issues of an entry. Adds the default values of its schema to the entry. */
  readonly validateEntry: DataValidator;
  /**
   * Checks rules that a schema can't express, such as references between entries. Called only with a state that satisfies the schemas. Yields each
   * issue, and undefined after each entry, so that the caller can handle requests between two entries.
   */
  findReferenceIssues?(state: S): ValidationSteps;
}

/** The steps of a validation. A step yields an issue, or undefined if an entry is complete. */
export type ValidationSteps = Iterable<Issue | undefined>;

/** Validates data as the state of an application under one version of its contract. */
export interface StateValidator {
  /** Returns all issues; an empty list if `data` is a valid state. Adds the default values of the contract to `data`. */
  validate(data: unknown): readonly Issue[];
  /** Does the same as `validate`, in steps. */
  validateInSteps(data: unknown): Steps<readonly Issue[]>;
  /** Returns the first 1,000 issues. Does not change `data`. The server can handle other requests during the validation. */
  validateInSlices(data: unknown): Promise<readonly Issue[]>;
}

/** The number of validation steps before the server handles other requests. */
const SLICE_ENTRIES = 200;

/** The maximum number of issues of a validation in slices. */
const MAX_ISSUES = 1_000;

/**
 * Creates the validator for the states of an application. First it validates the collections by the schemas of the contract. If there are no issues, it
 * checks that keys are unique, and calls `findReferenceIssues`. Decision: it allows no additional properties, because responses must satisfy the
 * contract.
 */
export function createStateValidator(rules: StateRules): StateValidator {
  const copyingRules: StateRules = {
    ...rules,
    validateEntry(schema, value) {
      const place = findLargeObject(value);
      if (place === undefined) return rules.validateEntry(schema, structuredClone(value));
      return [{ pointer: place, message: `has more than ${MAX_PROPERTIES} properties: remove some` }];
    },
  };
  return {
    validate: (data) => runAtOnce(collectIssues(data, rules)),
    validateInSteps: (data) => collectIssues(data, rules),
    async validateInSlices(data) {
      const issues: Issue[] = [];
      let steps = 0;
      for (const issue of validateState(data, copyingRules)) {
        if (issue) issues.push(issue);
        if (issues.length === MAX_ISSUES) break;
        if (++steps % SLICE_ENTRIES === 0) await setImmediate();
      }
      return issues;
    },
  };
}

function* collectIssues(data: unknown, rules: StateRules): Steps<readonly Issue[]> {
  const issues: Issue[] = [];
  for (const issue of validateState(data, rules)) {
    if (issue) issues.push(issue);
    yield;
  }
  return issues;
}

/** The maximum number of properties of an object in a state from a client: a million validation errors would block the server for seconds. */
const MAX_PROPERTIES = 10_000;

/** Returns the JSON Pointer of an object with too many properties; undefined if there is none. */
function findLargeObject(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!Array.isArray(value) && Object.keys(value).length > MAX_PROPERTIES) return '';
  for (const [name, inner] of Object.entries(value)) {
    const place = findLargeObject(inner);
    if (place !== undefined) return formatPointer(name) + place;
  }
  return undefined;
}

function* validateState(data: unknown, rules: StateRules): Generator<Issue | undefined> {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    yield { pointer: '', message: `is not an object with ${Object.keys(rules.collections).join(', ')}` };
    return;
  }
  let hasShape = true;
  for (const issue of validateCollections(data as Record<string, unknown>, rules)) {
    if (issue) hasShape = false;
    yield issue;
  }
  if (!hasShape) return;
  for (const [name, { key }] of Object.entries(rules.collections)) yield* validateKeys(name, key, data as State);
  yield* rules.findReferenceIssues?.(data as State) ?? [];
}

function* validateCollections(
  data: Readonly<Record<string, unknown>>,
  { collections, validateEntry }: StateRules,
): ValidationSteps {
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
    else yield* validateEntries(name, list, (entry) => validateEntry(schema, entry));
  }
}

function validateKeys(name: string, key: string, { [name]: entries = [] }: State): ValidationSteps {
  const firstIndexes = new Map<unknown, number>();
  return validateEntries(name, entries, ({ [key]: value }, index) => {
    const first = firstIndexes.get(value);
    if (first !== undefined)
      return [{ pointer: formatPointer(key), message: `is the same as ${formatPointer(name, first, key)}: change it` }];
    firstIndexes.set(value, index);
    return [];
  });
}

/**
 * Calls `findIssues` for each entry of a list. Yields the issues of the entry, and then undefined. The pointers from `findIssues` are relative to the
 * entry; the yielded pointers are relative to the state.
 */
export function* validateEntries<Entry>(
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
