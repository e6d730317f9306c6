import { findUnknownOperationIssues, validateInjectedResponse } from '../faults/validate.ts';
import type { DocumentEdit } from '../openapi/compiled-contract.ts';
import { type Contract, loadContract } from '../openapi/contract.ts';
import type { Document } from '../openapi/document.ts';
import { getPackageFile } from '../package-file.ts';
import type { Sandboxes } from '../sandbox/registry.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { State } from '../store/state.ts';
import { findOtherLists } from '../store/state-change.ts';
import type { StateRules } from '../store/validate-state.ts';
import { limitList } from '../util/text.ts';

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

/** The maximum number of list names in a warning. */
const MAX_NAMES = 10;

/**
 * The names of the collections of a contract.
 * `previous`: after a reload, the names of the collections of the previous contract; undefined at the start.
 */
interface ContractLists {
  readonly collections: readonly string[];
  readonly previous?: readonly string[];
  /** The name of the data file for messages; undefined if the state is only in memory. */
  readonly dataFile: string | undefined;
}

/**
 * Returns a warning if a state has lists that are not collections of the contract.
 * After a reload, only warns about lists that were collections of the previous contract.
 * Returns undefined if there are no such lists.
 */
export function describeOtherLists(
  state: State,
  { collections, previous, dataFile = 'the memory' }: ContractLists,
): string | undefined {
  const isNews = (name: string) => state[name]?.length !== 0 && (previous?.includes(name) ?? true);
  const others = findOtherLists(state, collections).filter(isNews);
  if (others.length === 0) return undefined;
  const names = limitList(others, MAX_NAMES).join(', ');
  return `These lists in ${dataFile} are not collections of the contract: ${names}. The server keeps them, but does not serve them.`;
}

/**
 * Adds the missing collections of the contract to the states of sandboxes.
 * The new collections contain the entries of the default data.
 * Rejects if the default data can't be read, or if a state can't be stored.
 */
export async function addMissingCollections(
  sandboxes: readonly Pick<Sandbox, 'store'>[],
  collections: readonly string[],
  getDefaults: () => State,
): Promise<void> {
  const findMissing = (state: State) => collections.filter((name) => !Object.hasOwn(state, name));
  const incomplete = sandboxes.filter(({ store }) => findMissing(store.read().state).length > 0);
  if (incomplete.length === 0) return;
  const defaults = getDefaults();
  await Promise.all(
    incomplete.map(({ store }) =>
      store.update((state) => {
        const added = findMissing(state).map((name) => [name, defaults[name] ?? []]);
        return { next: { ...state, ...Object.fromEntries(added) }, result: undefined };
      }),
    ),
  );
}
