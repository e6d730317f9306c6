import { resolve } from 'node:path';
import type { ControlParts } from '../control/handler.ts';
import { validateInjectedResponse } from '../mock/validate-fault.ts';
import { type Contract, loadContract } from '../openapi/contract.ts';
import type { Sandboxes } from '../sandbox/registry.ts';
import { createBuiltInSnapshots } from '../sandbox/snapshots.ts';
import type { Options } from '../server/options.ts';
import { isLoopback } from './listen.ts';

/** What QA steers the sandboxes by, and who may. `contract`: the file of control's own. Throws a `DataFileError` where the ready-made snapshots can't be used. */
export async function createControlParts(
  { snapshots, control = true, host, controlToken }: Options,
  parts: Omit<ControlParts, 'readyMade'>,
  { contract }: { readonly contract: string },
) {
  const folder = snapshots && resolve(snapshots);
  return {
    control: { ...parts, readyMade: createBuiltInSnapshots({ folder, ...parts }) },
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
    faults.list().flatMap(({ fault, over, ...wish }) => {
      const [flaw] = over ? [] : validateInjectedResponse(contract, wish);
      return flaw ? [`nobody meets the fault ${fault} of sandbox ${id} now: its ${flaw.pointer} ${flaw.trouble}`] : [];
    }),
  );
}
