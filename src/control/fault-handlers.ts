import { parseTime } from '../sandbox/clock.ts';
import { rejectTooManyFaults } from '../sandbox/faults/fault-list.ts';
import { findFaultIssues, parseFault } from '../sandbox/faults/parse-fault.ts';
import { needsBody } from '../sandbox/matcher/request-matcher.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { toIsoTime } from '../util/iso-time.ts';
import type { Issue } from '../util/issue.ts';
import type { ControlHandlers, ControlParts } from './handler.ts';
import type { Fault, FaultDefinition } from './operation.ts';
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
    refuseFaults([{ wish: body, at: '' }], parts);
    return withControlProblems(() => {
      const wanted = parseFault(body);
      // A refused fault does not create the sandbox.
      rejectTooManyFaults([wanted]);
      const sandbox = parts.sandboxes.get(path.id);
      return told(sandbox, sandbox.faults.add(wanted), parts);
    });
  },
  replaceFaults({ path, body }, parts) {
    const placed = body.map((wish, place) => ({ wish, at: `/${place}` }));
    refuseFaults(placed, parts);
    return withControlProblems(() => {
      const wanted = placed.map(({ wish, at }) => parseFault(wish, at));
      // What is refused makes no sandbox.
      rejectTooManyFaults(wanted);
      const sandbox = parts.sandboxes.get(path.id);
      return sandbox.faults.replace(wanted).map((fault) => told(sandbox, fault, parts));
    });
  },
  clearFaults: ({ path }, parts) => getSandbox(path.id, parts).faults.clear(),
  removeFault({ path }, parts) {
    if (!getSandbox(path.id, parts).faults.remove(path.fault)) unknownFault(path, parts);
  },
};

/** A fault of a request, and its JSON Pointer in the body. */
interface PlacedFault {
  readonly wish: FaultDefinition;
  readonly at: string;
}

/** Refuses faults that cannot be applied, or whose operations or responses the contract of the application doesn't have. */
function refuseFaults(faults: readonly PlacedFault[], parts: ControlParts): void {
  const findIssues = (find: (wish: FaultDefinition) => readonly Issue[]) =>
    faults.flatMap(({ wish, at }) => find(wish).map((issue) => ({ ...issue, pointer: at + issue.pointer })));
  refuseIssues('invalid-fault', findIssues(findFaultIssues));
  refuseIssues(
    'unknown-operation',
    findIssues(({ operation }) => parts.findUnknownOperations(operation)),
  );
  refuseIssues('contract-conflict', findIssues(parts.undocumented));
}

/** A fault with why no request can meet it, where none can. */
function shown(fault: Fault, parts: ControlParts): Fault {
  return withWarnings(fault, parts.unmatched({ ...fault, needsBody: needsBody(fault.where) }));
}

function withWarnings(fault: Fault, warnings: readonly string[]): Fault {
  return warnings.length > 0 ? { ...fault, warnings: [...(fault.warnings ?? []), ...warnings] } : fault;
}

/** A fault that was set, whose warnings stand in the log. */
function told({ id, clock }: Sandbox, fault: Fault, parts: ControlParts): Fault {
  const result = withWarnings(shown(fault, parts), findExpiredUntil(fault, clock.nowMs()));
  for (const warning of result.warnings ?? []) parts.warn(`fault ${fault.id} of sandbox ${id}: ${warning}`);
  return result;
}

/** Returns a warning if a new fault has already expired by the clock of the sandbox. */
function findExpiredUntil({ until }: Fault, nowMs: number): readonly string[] {
  if (until === undefined || parseTime(until) > nowMs) return [];
  return [`it has expired: its until (${until}) is not after the time of the sandbox (${toIsoTime(nowMs)})`];
}

function unknownFault({ id, fault }: { readonly id: string; readonly fault: string }, parts: ControlParts): never {
  const there = getSandbox(id, parts).faults.list();
  const told = there.length > 0 ? `there is ${formatNames(there.map((one) => one.id))}` : 'there are none';
  throw new ControlProblemError('unknown-fault', `there is no fault ${fault} in ${id}: ${told}`);
}
