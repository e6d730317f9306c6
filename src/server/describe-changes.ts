import type { Difference } from '../mock/compare-contracts.ts';
import type { Contract } from '../openapi/contract.ts';
import { getNode, getPropertyNames, toNode } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { limitList } from '../util/limit-list.ts';
import type { ContractSetup } from './served-contract.ts';

/** The maximum number of names for each kind of change in the log. */
const MAX_NAMES = 20;

/** Describes a reload of the contract for the log: lists the operations, schemas, properties and collections that have changed. */
export function describeChanges(old: ContractSetup, now: ContractSetup): string {
  const [before, after] = [old, now].map(({ contract }) => contract.routes.map(({ operationId }) => operationId));
  const [oldFields, newFields] = [getFieldNames(old), getFieldNames(now)];
  const [oldLists, newLists] = [old, now].map(({ collections }) => Object.keys(collections));
  const [oldProperties, newProperties] = [listProperties(old, now), listProperties(now, old)];
  const added = without(newProperties, oldProperties);
  const removed = without(oldProperties, newProperties);
  const schemas = findChangedSchemas(old.contract, now.contract);
  const groups = [
    ['new operations', without(after, before).map((id) => (now.mocked.includes(id) ? `${id} (mocked)` : id))],
    ['removed operations', without(before, after)],
    ['changed operations', findChangedOperations(old.contract, now.contract)],
    ['now mocked', without(now.mocked, [...old.mocked, ...without(after, before)])],
    ['no longer mocked', without(old.mocked, [...now.mocked, ...without(before, after)])],
    ['new collections', without(newLists, oldLists)],
    ['removed collections', without(oldLists, newLists)],
    ['new properties', added],
    ['removed properties', removed],
    ['changed schemas', schemas.filter((name) => ![...added, ...removed].some((one) => one.startsWith(`${name}.`)))],
    ['fields now generated, because the data lacks them', without(newFields.added, oldFields.added)],
    ['fields no longer generated', without(oldFields.added, newFields.added)],
    ['fields now removed from responses', without(newFields.removed, oldFields.removed)],
    ['fields no longer removed from responses', without(oldFields.removed, newFields.removed)],
  ] as const;
  const changes = groups
    .filter(([, names]) => names.length > 0)
    .map(([label, names]) => `${label}: ${limitList(names, MAX_NAMES).join(', ')}`);
  return changes.length > 0 ? changes.join('; ') : 'the document changed; no operation was added or removed';
}

/**
 * Returns the properties of component schemas, such as `Pet.name`, without the schemas that `other` does not have. Returns an empty list for an application
 * that is written for one contract, such as the shop: `getFieldNames` compares its response fields instead.
 */
function listProperties({ contract, validator }: ContractSetup, other: ContractSetup): readonly string[] {
  if (!validator.hasVariableCollections) return [];
  return findCommonSchemas(contract, other.contract).flatMap((name) =>
    getPropertyNames(contract.document, getSchemaPointer(name)).map((property) => `${name}.${property}`),
  );
}

/** Returns the names of the component schemas that both contracts have and that differ. Ignores differences in the schemas that they reference. */
function findChangedSchemas(old: Contract, now: Contract): readonly string[] {
  return findCommonSchemas(old, now).filter((name) => {
    const pointer = getSchemaPointer(name);
    return !isSame(getNode(old.document, pointer), getNode(now.document, pointer));
  });
}

function findCommonSchemas(contract: Contract, other: Contract): readonly string[] {
  const [names = [], others = []] = [contract, other].map(({ document }) =>
    Object.keys(toNode(document.components?.schemas)),
  );
  return names.filter((name) => others.includes(name));
}

function getSchemaPointer(name: string): string {
  return formatPointer('components', 'schemas', name);
}

/** Returns the operationIds of the operations that both contracts have and that differ. Ignores differences in the components that they reference. */
function findChangedOperations(old: Contract, now: Contract): readonly string[] {
  const oldParts = new Map(old.routes.map((route) => [route.operationId, getParts(old, route)]));
  return now.routes.flatMap((route) => {
    const previous = oldParts.get(route.operationId);
    return previous && !isSame(previous, getParts(now, route)) ? [route.operationId] : [];
  });
}

/** Returns the parts of an operation to compare: the method, the path, the operation object, and the parameters of its path item. */
function getParts({ document }: Contract, { method, path, pointer }: Route): readonly unknown[] {
  const parameters = pointer.replace(/[^/]+$/, 'parameters');
  return [method, path, getNode(document, pointer), getNode(document, parameters)];
}

/** Returns the names of the response fields that the contract adds or removes, compared with the contract for which the built-in handlers are written. */
function getFieldNames({ differences }: ContractSetup) {
  const toNames = (fields: Difference['addedFields']) => [
    ...new Set(fields.map(({ path, name }) => [...path.filter((step) => step !== '*'), name].join('.'))),
  ];
  return {
    added: toNames(differences.flatMap(({ addedFields }) => addedFields)),
    removed: toNames(differences.flatMap(({ removedFields }) => removedFields)),
  };
}

function without(names: readonly string[] = [], others: readonly string[] = []): readonly string[] {
  return names.filter((name) => !others.includes(name));
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
