import { resolve } from 'node:path';
import type { Application } from '../application.ts';
import type { ControlParts } from '../control/handler.ts';
import { findUnknownOperations, validateInjectedResponse } from '../mock/validate-fault.ts';
import { type Contract, type EditDocument, loadContract } from '../openapi/contract.ts';
import { getPackageFile } from '../package-file.ts';
import type { Sandboxes } from '../sandbox/registry.ts';
import { createBuiltInSnapshots } from '../sandbox/snapshots.ts';
import { isLoopback } from './listen.ts';
import type { ServerOptions } from './options.ts';

/** Creates the parts of the control API. Throws a `DataFileError` if the built-in snapshots can't be used. */
export async function createControlParts(
  { snapshots, collections }: Pick<Application, 'snapshots' | 'collections'>,
  { snapshots: folder, control = true, host, controlToken }: ServerOptions,
  parts: Omit<ControlParts, 'builtIn'>,
) {
  const builtIn = createBuiltInSnapshots({ ...parts, builtIn: snapshots, folder: folder && resolve(folder) });
  const path = getPackageFile('src/control/control.yaml');
  return {
    control: { ...parts, builtIn },
    controlContract: await loadContract({ path, strict: true, edit: listingCollections(collections) }),
    controlAccess: { isOn: control, isLoopback: isLoopback(host), token: controlToken },
  };
}

type Collections = Application['collections'];

/** The same function for the same collections, so that the contract is loaded once. */
const editors = new WeakMap<Collections, EditDocument>();

/** Returns the function that lists the application's collections in the control API's schemas. */
function listingCollections(collections: Collections): EditDocument {
  const edit = editors.get(collections) ?? ((document) => listCollections(document, collections));
  editors.set(collections, edit);
  return edit;
}

function listCollections(document: Parameters<EditDocument>[0], collections: Collections): ReturnType<EditDocument> {
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
    StateChange: { ...StateChange, ...properties(list) },
  };
  return { ...document, components: { ...document.components, schemas } } as ReturnType<EditDocument>;
}

/** Describes the faults that can no longer apply because the contract does not document their responses, a sentence each. */
export function findUnusableFaults(sandboxes: Sandboxes, contract: Contract): readonly string[] {
  return sandboxes.list().flatMap(({ id, faults }) =>
    faults.list().flatMap(({ id: fault, expired, ...definition }) => {
      if (expired) return [];
      const [issue] = [
        ...findUnknownOperations(contract, definition.operation),
        ...validateInjectedResponse(contract, definition),
      ];
      if (!issue) return [];
      return [`fault ${fault} of sandbox ${id} can no longer apply: its ${issue.pointer} ${issue.message}`];
    }),
  );
}
