import { faultWanted } from '../sandboxes/fault-wanted.ts';
import { refuseTooMany } from '../sandboxes/faults.ts';
import { found, orRefused, refuseFlaws, someOf } from './declining.ts';
import type { ControlHandlers, ControlParts } from './handler.ts';
import { ControlRefusal } from './refusal.ts';

/** What is to fail. */
export const faultHandlers: ControlHandlers<
  'listFaults' | 'getFault' | 'addFault' | 'replaceFaults' | 'clearFaults' | 'removeFault'
> = {
  listFaults: ({ path }, parts) => found(path.id, parts).faults.list(),
  getFault: ({ path }, parts) => found(path.id, parts).faults.find(path.fault) ?? unknownFault(path, parts),
  addFault({ path, body }, parts) {
    refuseFlaws('not-a-fault', parts.undocumented(body));
    const wanted = orRefused(() => faultWanted(body));
    // What is refused makes no sandbox.
    return orRefused(() => parts.sandboxes.get(path.id).faults.add(wanted));
  },
  replaceFaults({ path, body }, parts) {
    const flaws = body.flatMap((wish, place) =>
      parts.undocumented(wish).map((flaw) => ({ ...flaw, pointer: `/${place}${flaw.pointer}` })),
    );
    refuseFlaws('not-a-fault', flaws);
    const wanted = orRefused(() => body.map((wish, place) => faultWanted(wish, `/${place}`)));
    return orRefused(() => {
      // What is refused makes no sandbox.
      refuseTooMany(wanted);
      return parts.sandboxes.get(path.id).faults.replace(wanted);
    });
  },
  clearFaults: ({ path }, parts) => found(path.id, parts).faults.clear(),
  removeFault({ path }, parts) {
    if (!found(path.id, parts).faults.remove(path.fault)) unknownFault(path, parts);
  },
};

function unknownFault({ id, fault }: { readonly id: string; readonly fault: string }, parts: ControlParts): never {
  const there = found(id, parts).faults.list();
  const told = there.length > 0 ? `there is ${someOf(there.map((one) => one.fault))}` : 'there are none';
  throw new ControlRefusal('unknown-fault', `there is no fault ${fault} in ${id}: ${told}`);
}
