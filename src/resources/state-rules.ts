import { isNode } from '../openapi/document.ts';
import type { Entry, State } from '../store/state.ts';
import { type StateRules, type ValidationSteps, validateEntries } from '../store/validate-state.ts';
import type { Issue } from '../util/issue.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { getKeyValue } from './entries.ts';
import { PATH_VALUES, type Resource } from './resource.ts';
import type { ResourceModel } from './resource-model.ts';

/** Creates the rules for the state of the resources of a contract. */
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

/** Finds entries without an id, and entries with the same id. */
function findKeyIssues(resource: Resource, state: State): ValidationSteps {
  const { id, kind, mounts } = resource;
  const firstIndexes = new Map<string, number>();
  const place = id.property === undefined ? [PATH_VALUES, id.name] : id.property.split('.');
  return validateEntries(resource.name, state[resource.name] ?? [], (entry: Entry, index): readonly Issue[] => {
    if (kind === 'collection' && getKeyValue(entry, id) === undefined)
      return [{ pointer: formatPointer(...place), message: 'is missing: add the id of the entry' }];
    const keys = [...(mounts[0]?.parents ?? []), ...(kind === 'collection' ? [id] : [])];
    const key = JSON.stringify(keys.map((part) => getKeyValue(entry, part)));
    const first = firstIndexes.get(key);
    if (first !== undefined)
      return [
        {
          pointer: formatPointer(...place),
          message: `is the same as in ${formatPointer(resource.name, first)}: change it`,
        },
      ];
    firstIndexes.set(key, index);
    return [];
  });
}
