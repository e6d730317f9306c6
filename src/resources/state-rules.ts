import { isNode } from '../openapi/document.ts';
import type { Entry, State } from '../store/state.ts';
import { type StateRules, type ValidationSteps, validateEntries } from '../store/validate-state.ts';
import type { Issue } from '../util/issue.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { getKeyValue } from './entries.ts';
import { PATH_VALUES, type PathKey, type Resource } from './resource.ts';
import type { ResourceModel } from './resource-model.ts';

/** Creates the rules that validate the state: each entry against its schema, and the ids of entries and parents. */
export function createStateRules(model: ResourceModel): StateRules {
  const { resources } = model.inference;
  const byName = new Map(resources.map((resource) => [resource.name, resource]));
  return {
    collections: Object.fromEntries(resources.map(({ name }) => [name, { schema: name }])),
    hasVariableCollections: true,
    validateEntry(name, value) {
      const resource = byName.get(name);
      if (!isNode(value)) return [{ pointer: '', message: 'is not an object' }];
      return resource ? model.validator.findIssues(resource, value) : [];
    },
    *findReferenceIssues(state) {
      for (const resource of resources) yield* findKeyIssues(resource, state);
    },
  };
}

/** Finds entries that no client can request, because their id is missing or not unique, or because the id of a parent is missing. */
function findKeyIssues({ name, id, kind, mounts }: Resource, state: State): ValidationSteps {
  const firstIndexes = new Map<string, number>();
  const parents = mounts[0]?.parents ?? [];
  const ids = kind === 'collection' ? [id] : [];
  return validateEntries(name, state[name] ?? [], (entry: Entry, index): readonly Issue[] => {
    const missing = [...ids, ...parents].find((part) => (getKeyValue(entry, part) ?? '') === '');
    if (missing) return [createIssue(missing, `is missing: add the id of the ${missing === id ? 'entry' : 'parent'}`)];
    const key = JSON.stringify([...parents, ...ids].map((part) => getKeyValue(entry, part)));
    const first = firstIndexes.get(key);
    if (first !== undefined)
      return [createIssue(id, `is the same as in ${formatPointer(name, first)}: use another value`)];
    firstIndexes.set(key, index);
    return [];
  });
}

/** Creates a validation error about the id of an entry, or about the id of its parent. */
function createIssue({ property, name }: PathKey, message: string): Issue {
  return { pointer: formatPointer(...(property === undefined ? [PATH_VALUES, name] : property.split('.'))), message };
}
