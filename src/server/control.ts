import { resolve } from 'node:path';
import type { ControlParts } from '../control/handler.ts';
import { findUnknownOperations, validateInjectedResponse } from '../mock/validate-fault.ts';
import { type Contract, loadContract } from '../openapi/contract.ts';
import type { Sandboxes } from '../sandbox/registry.ts';
import { createBuiltInSnapshots } from '../sandbox/snapshots.ts';
import type { Options } from '../server/options.ts';
import { isLoopback } from './listen.ts';

/** What QA steers the sandboxes by, and who may. `contract`: the file of control's own. Throws a `DataFileError` where the built-in snapshots can't be used. */
export async function createControlParts(
  { snapshots, control = true, host, controlToken }: Options,
  parts: Omit<ControlParts, 'builtIn'>,
  { contract }: { readonly contract: string },
) {
  const folder = snapshots && resolve(snapshots);
  return {
    control: { ...parts, builtIn: createBuiltInSnapshots({ folder, ...parts }) },
    controlContract: await loadContract({ path: contract, strict: true }),
    controlAccess: {
      isOn: control,
      isLoopback: isLoopback(host),
      token: controlToken,
    },
  };
}

/** The faults that nobody meets under a contract, since it documents nothing of the kind, a sentence each. */
export function findUnusableFaults(sandboxes: Sandboxes, contract: Contract): readonly string[] {
  return sandboxes.list().flatMap(({ id, faults }) =>
    faults.list().flatMap(({ id: fault, expired, ...wish }) => {
      if (expired) return [];
      const [flaw] = [...findUnknownOperations(contract, wish.operation), ...validateInjectedResponse(contract, wish)];
      return flaw ? [`fault ${fault} of sandbox ${id} can no longer apply: its ${flaw.pointer} ${flaw.trouble}`] : [];
    }),
  );
}
