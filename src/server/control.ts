import { findUnknownOperationIssues, validateInjectedResponse } from '../faults/validate.ts';
import type { DocumentEdit } from '../openapi/compiled-contract.ts';
import { type Contract, loadContract } from '../openapi/contract.ts';
import type { Document } from '../openapi/document.ts';
import { getPackageFile } from '../package-file.ts';
import type { Sandboxes } from '../sandbox/registry.ts';
import type { StateRules } from '../store/validate-state.ts';

/**
 * Loads the contract of the control API.
 * In this contract, the schemas of the state contain the collections of the served contract.
 */
export function loadControlContract(collections: Collections): Promise<Contract> {
  return loadContract(getControlOptions(collections));
}

/**
 * Returns the options for loading the contract of the control API.
 * `collections`: the collections of the served contract.
 */
export function getControlOptions(collections: Collections) {
  const edit: DocumentEdit = {
    key: JSON.stringify(collections),
    edit: (document) => addCollections(document, collections),
    schemas: ['Counts', 'State', 'StateChange'],
  };
  return { path: getPackageFile('src/control/control.yaml'), strict: true, edit };
}

type Collections = StateRules['collections'];

function addCollections(document: Document, collections: Collections): Document {
  const names = Object.keys(collections);
  const { Counts, State, StateChange, ...others } = document.components?.schemas ?? {};
  const entries = { type: 'array', items: { type: 'object', additionalProperties: true } };
  const properties = (schemaOf: (name: string) => object) => ({
    properties: Object.fromEntries(names.map((name) => [name, schemaOf(name)])),
    additionalProperties: false,
  });
  const list = (name: string) => (collections[name]?.isNeverEmpty ? { ...entries, minItems: 1 } : entries);
  const schemas = {
    ...others,
    Counts: { ...Counts, required: names, ...properties(() => ({ type: 'integer' })) },
    State: { ...State, required: names, ...properties(() => entries) },
    // Without collections, the only valid state change is an empty object.
    StateChange: { ...StateChange, minProperties: Math.min(names.length, 1), ...properties(list) },
  };
  return { ...document, components: { ...document.components, schemas } } as Document;
}

/**
 * Finds the faults of all sandboxes that do not fit a new contract.
 * For example, the contract no longer has the operation of the fault, or no longer allows the injected response.
 * Returns a sentence about each fault.
 * Ignores expired faults.
 */
export function findUnusableFaults(sandboxes: Sandboxes, contract: Contract): readonly string[] {
  return sandboxes.list().flatMap(({ id, faults }) =>
    faults.list().flatMap(({ id: fault, expired, ...definition }) => {
      if (expired) return [];
      const [issue] = [
        ...findUnknownOperationIssues(contract, definition.operation),
        ...validateInjectedResponse(contract, definition),
      ];
      if (!issue) return [];
      return [`fault ${fault} of sandbox ${id} no longer applies: its ${issue.pointer} ${issue.message}`];
    }),
  );
}
