import { refuseTooMany } from '../sandbox/faults/fault-list.ts';
import { faultFlaws, parseFault } from '../sandbox/faults/parse-fault.ts';
import type { ControlHandlers, ControlParts } from './handler.ts';
import type { Fault, FaultWish } from './operation.ts';
import { ControlProblemError } from './refusal.ts';
import { formatNames, getSandbox, refuseIssues, withControlProblems } from './refuse.ts';

/** What is to fail. */
export const faultHandlers: ControlHandlers<
  'listFaults' | 'getFault' | 'addFault' | 'replaceFaults' | 'clearFaults' | 'removeFault'
> = {
  listFaults: ({ path }, parts) =>
    getSandbox(path.id, parts)
      .faults.list()
      .map((fault) => shown(fault, parts)),
  getFault: ({ path }, parts) =>
    shown(getSandbox(path.id, parts).faults.find(path.fault) ?? unknownFault(path, parts), parts),
  addFault({ path, body }, parts) {
    refuseIssues('invalid-fault', flawsOf(body, parts));
    const wanted = withControlProblems(() => parseFault(body));
    // What is refused makes no sandbox.
    return told(
      path.id,
      shown(
        withControlProblems(() => parts.sandboxes.get(path.id).faults.add(wanted)),
        parts,
      ),
      parts,
    );
  },
  replaceFaults({ path, body }, parts) {
    const flaws = body.flatMap((wish, place) =>
      flawsOf(wish, parts).map((flaw) => ({ ...flaw, pointer: `/${place}${flaw.pointer}` })),
    );
    refuseIssues('invalid-fault', flaws);
    const wanted = withControlProblems(() => body.map((wish, place) => parseFault(wish, `/${place}`)));
    const faults = withControlProblems(() => {
      // What is refused makes no sandbox.
      refuseTooMany(wanted);
      return parts.sandboxes.get(path.id).faults.replace(wanted);
    });
    return faults.map((fault) => told(path.id, shown(fault, parts), parts));
  },
  clearFaults: ({ path }, parts) => getSandbox(path.id, parts).faults.clear(),
  removeFault({ path }, parts) {
    if (!getSandbox(path.id, parts).faults.remove(path.fault)) unknownFault(path, parts);
  },
};

/** What is wrong with a fault: what the contract of the shop lacks, and what makes no sense. */
function flawsOf(wish: FaultWish, parts: ControlParts) {
  const flaws = faultFlaws(wish);
  return flaws.length > 0 ? flaws : parts.undocumented(wish);
}

/** A fault with why no request can meet it, where none can. */
function shown(fault: Fault, parts: ControlParts): Fault {
  const warnings = parts.unmatched(fault);
  return warnings.length > 0 ? { ...fault, warnings } : fault;
}

/** A fault that was set, whose warnings stand in the log. */
function told(sandbox: string, fault: Fault, parts: ControlParts): Fault {
  for (const warning of fault.warnings ?? []) parts.warn(`fault ${fault.id} of sandbox ${sandbox}: ${warning}`);
  return fault;
}

function unknownFault({ id, fault }: { readonly id: string; readonly fault: string }, parts: ControlParts): never {
  const there = getSandbox(id, parts).faults.list();
  const told = there.length > 0 ? `there is ${formatNames(there.map((one) => one.id))}` : 'there are none';
  throw new ControlProblemError('unknown-fault', `there is no fault ${fault} in ${id}: ${told}`);
}
