import { resolve } from 'node:path';
import { type Contract, loadContract } from './contract/contract.ts';
import type { ControlParts } from './control/handler.ts';
import { isLoopback } from './listen.ts';
import { undocumented } from './mock/undocumented.ts';
import type { Options } from './options.ts';
import type { Sandboxes } from './sandboxes/registry.ts';
import { readyMade } from './sandboxes/snapshots.ts';

/** What QA steers the sandboxes by, and who may. `contract`: the file of control's own. Throws a `DataFault` where the ready-made snapshots can't be used. */
export async function steeringOf(
  { snapshots, control = true, host, controlToken, allowHost = [] }: Options,
  parts: Omit<ControlParts, 'readyMade'>,
  { contract, warn }: { readonly contract: string; readonly warn: (message: string) => void },
) {
  const folder = snapshots && resolve(snapshots);
  return {
    control: { ...parts, readyMade: readyMade({ folder, warn, ...parts }) },
    controlContract: await loadContract({ path: contract, strict: true }),
    controlAccess: {
      isOn: control,
      isLoopback: isLoopback(host),
      token: controlToken,
      hosts: allowHost.map((name) => name.toLowerCase()),
    },
  };
}

/** The faults that nobody meets under a contract, since it documents nothing of the kind, a sentence each. */
export function idleFaults(sandboxes: Sandboxes, { routes }: Contract): readonly string[] {
  return sandboxes.list().flatMap(({ id, faults }) =>
    faults.list().flatMap(({ fault, over, ...wish }) => {
      const [flaw] = over ? [] : undocumented(routes, wish);
      return flaw ? [`nobody meets the fault ${fault} of sandbox ${id} now: its ${flaw.pointer} ${flaw.trouble}`] : [];
    }),
  );
}
