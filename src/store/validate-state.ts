import { setImmediate } from 'node:timers/promises';
import type { DataValidator, Issue } from '../util/issue.ts';
import { formatPointer, parsePointer } from '../util/json-pointer.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import { runAtOnce, type Steps } from '../util/slices.ts';
import { limitList } from '../util/text.ts';
import { getCollection } from './entry-list.ts';
import type { Entry, State } from './state.ts';

/** A collection of a state: a list of entries with the same schema. */
export interface Collection {
  /** The name of the schema that describes an entry. `validateEntry` gets this name. */
  readonly schema: string;
  /**
   * The name of the property that identifies an entry, for example `id`.
   * Its value must be unique in the list.
   * Undefined if the entries have no such property.
   */
  readonly key?: string | undefined;
  /** Whether the list must have at least one entry. */
  readonly isNeverEmpty?: boolean;
}

/** The rules that the state of an application must follow. */
export interface StateRules<S extends State = State> {
  /** The collections of the state, in the order of the data file. */
  readonly collections: Readonly<Record<keyof S & string, Collection>>;
  /**
   * Whether the user chooses the contract, and thereby the collections.
   * If true, a state can contain lists that the contract does not define.
   * The server stores such lists but does not serve them.
   * Also, a state does not need to contain all collections: a missing collection is empty.
   */
  readonly hasVariableCollections?: boolean;
  /**
   * The names of lists that the application stores for itself.
   * They can be missing, a reset empties them, and clients of the control API can't see them.
   * The server only checks that their entries are objects.
   */
  readonly internalLists?: readonly string[];
  /**
   * Validates an entry, and adds the default values of its schema.
   * `schema`: the name of the entry's schema.
   * Returns the issues.
   */
  readonly validateEntry: DataValidator;
  /**
   * Checks rules that a schema can't express, such as references between entries.
   * Called only with a state in which each entry is valid by its schema.
   * Yields each issue.
   * Also yields undefined after each entry, so that the caller can handle requests between two entries.
   */
  findReferenceIssues?(state: S): ValidationSteps;
}

/** The steps of a validation. Each step yields an issue, or undefined at the end of an entry. */
export type ValidationSteps = Iterable<Issue | undefined>;

/** Validates the state of an application under one version of its contract. */
export interface StateValidator {
  /**
   * Whether the user chooses the contract, and thereby the collections.
   * If true, a state can contain lists that the contract does not define.
   */
  readonly hasVariableCollections: boolean;
  /**
   * Returns all issues of `data`; an empty list if `data` is a valid state.
   * Adds the default values of the contract to `data`.
   */
  validate(data: unknown): readonly Issue[];
  /** Like `validate`, but yields often, so that the caller can pause. */
  validateDefaultsInSteps(data: unknown): Steps<readonly Issue[]>;
  /**
   * Validates an edited data file.
   * Like `validate`, but yields often, so that the caller can pause.
   * Also requires a list for every collection, because an edit that removes a list is probably a mistake.
   */
  validateInSteps(data: unknown): Steps<readonly Issue[]>;
  /**
   * Returns at most 1,000 issues of `data`.
   * Does not change `data`.
   * The server can handle other requests during the validation.
   */
  validateInSlices(data: unknown): Promise<readonly Issue[]>;
}

/** The server can handle other requests after this number of validation steps. */
const SLICE_ENTRIES = 200;

/** The maximum number of issues that `validateInSlices` returns. */
const MAX_ISSUES = 1_000;

/**
 * Creates the validator for the states of an application.
 * It first validates the entries by the schemas of the contract.
 * If there are no issues, it checks that keys are unique, and calls `findReferenceIssues`.
 * Decision: an entry can't have additional properties, because responses must satisfy the contract.
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
    validateDefaultsInSteps: (data) => collectIssues(data, rules),
    validateInSteps: (data) => collectIssues(data, rules, Object.keys(rules.collections)),
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

/** Returns the names of the lists that a state must have. */
function getRequiredLists({ collections, hasVariableCollections }: StateRules): readonly string[] {
  return hasVariableCollections ? [] : Object.keys(collections);
}

function* collectIssues(
  data: unknown,
  rules: StateRules,
  required: readonly string[] = getRequiredLists(rules),
): Steps<readonly Issue[]> {
  const issues: Issue[] = [];
  for (const issue of validateState(data, rules, required)) {
    if (issue) issues.push(issue);
    yield;
  }
  return issues;
}

/**
 * The maximum number of properties of one object in a state that a client sends.
 * A million validation errors would block the server for seconds.
 */
const MAX_PROPERTIES = 10_000;

/**
 * Returns the JSON Pointer of the first object with more than 10,000 properties.
 * Returns undefined if there is none.
 */
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
  required: readonly string[] = getRequiredLists(rules),
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
  for (const issue of validateCollections(data as Record<string, unknown>, rules, required)) {
    if (issue) hasShape = false;
    yield issue;
  }
  if (!hasShape) return;
  for (const [name, { key }] of Object.entries(rules.collections)) yield* validateKeys(name, key, data as State);
  yield* rules.findReferenceIssues?.(data as State) ?? [];
}

/** The `rule` of the issue for a state that belongs to another contract. */
export const OTHER_CONTRACT = 'other-contract';

/** The maximum number of list names in an error message. */
const MAX_NAMES = 10;

/**
 * Returns an issue if a state has lists, but none of them is a collection of the contract.
 * Returns undefined otherwise.
 */
function findForeignLists(data: object, { collections }: StateRules): Issue | undefined {
  const lists = Object.entries(data).flatMap(([name, list]) => (Array.isArray(list) ? [name] : []));
  const names = Object.keys(collections);
  const isForeign = lists.length > 0 && names.length > 0 && !names.some((name) => Object.hasOwn(data, name));
  if (!isForeign) return undefined;
  const [has, expected] = [lists, names].map((all) => limitList(all, MAX_NAMES, String).join(', '));
  const message = `has the lists ${has}, but the contract has ${expected}: this is the data of another contract`;
  return { pointer: '', message, rule: OTHER_CONTRACT };
}

function* validateCollections(
  data: Readonly<Record<string, unknown>>,
  { collections, hasVariableCollections, internalLists = [], validateEntry }: StateRules,
  required: readonly string[],
): ValidationSteps {
  const createIssue = (name: string, message: string) => ({ pointer: formatPointer(name), message });
  const names = Object.keys(collections);
  for (const [name, list] of Object.entries(data)) {
    if (Object.hasOwn(collections, name)) continue;
    if (hasVariableCollections || internalLists.includes(name)) yield* validateOtherList(name, list);
    else yield createIssue(name, `is not one of ${names.join(', ')}: remove it`);
  }
  for (const [name, { schema, isNeverEmpty }] of Object.entries(collections)) {
    const list = Object.hasOwn(data, name) ? data[name] : undefined;
    if (list === undefined && !required.includes(name)) continue;
    if (list === undefined) yield createIssue(name, 'is missing: add an array');
    else if (!Array.isArray(list)) yield createIssue(name, 'is not an array');
    else if (isNeverEmpty && list.length === 0) yield createIssue(name, 'is empty: add at least one entry');
    else yield* validateEntries(name, list, (entry) => validateEntry(schema, entry));
  }
}

/**
 * Validates a list that the contract does not define.
 * The server can store the list only if its entries are objects.
 */
function* validateOtherList(name: string, list: unknown): ValidationSteps {
  if (!Array.isArray(list)) yield { pointer: formatPointer(name), message: 'is not an array' };
  else
    yield* validateEntries(name, list, (entry) =>
      typeof entry === 'object' && entry !== null ? [] : [{ pointer: '', message: 'is not an object: remove it' }],
    );
}

function validateKeys(name: string, key: string | undefined, state: State): ValidationSteps {
  if (key === undefined) return [];
  const firstIndexes = new Map<unknown, number>();
  return validateEntries(name, getCollection(state, name), ({ [key]: value }, index) => {
    if (value === undefined) return [];
    const first = firstIndexes.get(value);
    if (first !== undefined)
      return [
        {
          pointer: formatPointer(key),
          message: `is the same as ${formatPointer(name, first, key)}: use another value`,
        },
      ];
    firstIndexes.set(value, index);
    return [];
  });
}

/**
 * Calls `findIssues` for each entry of a list.
 * Yields the issues of an entry, and then undefined.
 * `findIssues` returns JSON Pointers relative to the entry; the yielded JSON Pointers are relative to the state.
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

/** The states before and after a change, and the validator of the state. */
interface CheckedChange {
  readonly state: State;
  readonly next: State;
  readonly validator: StateValidator;
}

/**
 * Returns the issues that a change has caused.
 * `issues`: all issues of the next state.
 * Leaves out the issues of old entries: an entry that was valid can become invalid when the contract is reloaded.
 */
export function findNewIssues(issues: readonly Issue[], { state, next, validator }: CheckedChange): readonly Issue[] {
  if (!validator.hasVariableCollections) return issues;
  const getEntry = ([list = '', index = '']: readonly string[]) =>
    Array.isArray(getCollection(next, list)) ? getCollection(next, list)[Number(index)] : undefined;
  // With an issue of the whole state, `next` can be any value.
  const ofEntries = issues.filter(({ pointer }) => pointer !== '');
  const invalid = new Set(ofEntries.map(({ pointer }) => getEntry(parsePointer(pointer))));
  // A list has many more entries than there are issues.
  const findInvalid = memoizeByObject((entries: readonly Entry[]): ReadonlyMap<Entry, number> => {
    const found = new Map<Entry, number>();
    for (const [index, entry] of entries.entries())
      if (invalid.has(entry) && !found.has(entry)) found.set(entry, index);
    return found;
  });
  return issues.filter(({ pointer, rule }) => {
    // A reference of an old entry becomes invalid when a change removes the other entry.
    if (pointer === '' || rule === 'reference') return true;
    const [list = '', index = ''] = parsePointer(pointer);
    const entry = getEntry([list, index]);
    // If an entry is in the list twice, the second occurrence is new.
    if (entry === undefined || findInvalid(getCollection(next, list)).get(entry) !== Number(index)) return true;
    return !findInvalid(getCollection(state, list)).has(entry);
  });
}
