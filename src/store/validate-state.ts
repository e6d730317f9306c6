import { setImmediate } from 'node:timers/promises';
import type { DataValidator, Issue } from '../util/issue.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { limitList } from '../util/limit-list.ts';
import { runAtOnce, type Steps } from '../util/slices.ts';
import type { State } from './state.ts';

/** A collection of a state: a list of entries with the same schema. */
export interface Collection {
  /** The name of the entries' schema, for `validateEntry`. */
  readonly schema: string;
  /** The name of the property that identifies an entry. Its value is unique in the list. Undefined if the entries have no such property. */
  readonly key?: string | undefined;
  /** Whether the list must have at least one entry. */
  readonly isNeverEmpty?: boolean;
}

/** The rules for the state of an application. */
export interface StateRules<S extends State = State> {
  /** The collections of the state, in the order of the data file. */
  readonly collections: Readonly<Record<keyof S & string, Collection>>;
  /**
   * Whether the collections depend on the contract. Then a state can contain lists of another version of the contract, which are kept but not served. It can
   * also lack lists, which are empty.
   */
  readonly hasVariableCollections?: boolean;
  /** Returns the issues of an entry. `schema`: the `schema` of its collection. Adds the default values of the schema to the entry. */
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
  /** Whether the collections depend on the contract, see `StateRules`. */
  readonly hasVariableCollections: boolean;
  /** Returns all issues; an empty list if `data` is a valid state. Adds the default values of the contract to `data`. */
  validate(data: unknown): readonly Issue[];
  /** Validates an edited data file, in steps. It does the same as `validate`, but no list can be missing: an edit that removes a list is a mistake. */
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
    hasVariableCollections: rules.hasVariableCollections ?? false,
    validate: (data) => runAtOnce(collectIssues(data, rules)),
    validateInSteps: (data) => collectIssues(data, rules, false),
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

function* collectIssues(data: unknown, rules: StateRules, canLackLists?: boolean): Steps<readonly Issue[]> {
  const issues: Issue[] = [];
  for (const issue of validateState(data, rules, canLackLists)) {
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

function* validateState(
  data: unknown,
  rules: StateRules,
  canLackLists = rules.hasVariableCollections,
): Generator<Issue | undefined> {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    yield { pointer: '', message: `is not an object with ${Object.keys(rules.collections).join(', ')}` };
    return;
  }
  const foreign = findForeignLists(data, rules);
  if (foreign) {
    yield foreign;
    return;
  }
  let hasShape = true;
  for (const issue of validateCollections(data as Record<string, unknown>, rules, canLackLists)) {
    if (issue) hasShape = false;
    yield issue;
  }
  if (!hasShape) return;
  for (const [name, { key }] of Object.entries(rules.collections)) yield* validateKeys(name, key, data as State);
  yield* rules.findReferenceIssues?.(data as State) ?? [];
}

/** The rule of the issue of a state whose lists are not those of the contract. */
export const OTHER_CONTRACT = 'other-contract';

/** The maximum number of names in a message. */
const MAX_NAMES = 10;

/** Returns an issue if a state has lists, but none of the contract's. */
function findForeignLists(data: object, { collections }: StateRules): Issue | undefined {
  const lists = Object.entries(data).flatMap(([name, list]) => (Array.isArray(list) ? [name] : []));
  const names = Object.keys(collections);
  const isForeign = lists.length > 0 && names.length > 0 && !names.some((name) => Object.hasOwn(data, name));
  if (!isForeign) return undefined;
  const [has, expected] = [lists, names].map((all) => limitList(all, MAX_NAMES, String).join(', '));
  const message = `has the lists ${has}, but the contract has ${expected}: it is the data of another contract`;
  return { pointer: '', message, rule: OTHER_CONTRACT };
}

function* validateCollections(
  data: Readonly<Record<string, unknown>>,
  { collections, hasVariableCollections, validateEntry }: StateRules,
  canLackLists: boolean | undefined,
): ValidationSteps {
  const createIssue = (name: string, message: string) => ({ pointer: formatPointer(name), message });
  const names = Object.keys(collections);
  for (const [name, list] of Object.entries(data)) {
    if (Object.hasOwn(collections, name)) continue;
    if (hasVariableCollections) yield* validateOtherList(name, list);
    else yield createIssue(name, `is not one of ${names.join(', ')}: remove it`);
  }
  for (const [name, { schema, isNeverEmpty }] of Object.entries(collections)) {
    const list = data[name];
    if (list === undefined && canLackLists) continue;
    if (list === undefined) yield createIssue(name, 'is missing: add an array');
    else if (!Array.isArray(list)) yield createIssue(name, 'is not an array');
    else if (isNeverEmpty && list.length === 0) yield createIssue(name, 'is empty: add at least one entry');
    else yield* validateEntries(name, list, (entry) => validateEntry(schema, entry));
  }
}

/** Validates a list that is not a collection of the contract: the server can keep it only if its entries are objects. */
function* validateOtherList(name: string, list: unknown): ValidationSteps {
  if (!Array.isArray(list)) yield { pointer: formatPointer(name), message: 'is not an array' };
  else
    yield* validateEntries(name, list, (entry) =>
      typeof entry === 'object' && entry !== null ? [] : [{ pointer: '', message: 'is not an object: remove it' }],
    );
}

function validateKeys(name: string, key: string | undefined, { [name]: entries = [] }: State): ValidationSteps {
  if (key === undefined) return [];
  const firstIndexes = new Map<unknown, number>();
  return validateEntries(name, entries, ({ [key]: value }, index) => {
    if (value === undefined) return [];
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
