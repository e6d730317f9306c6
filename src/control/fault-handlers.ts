import { parseTime } from '../sandbox/clock.ts';
import { rejectTooManyFaults } from '../sandbox/faults/fault-list.ts';
import { findFaultIssues, parseFault } from '../sandbox/faults/parse-fault.ts';
import { needsBody } from '../sandbox/matcher/request-matcher.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { toIsoTime } from '../util/iso-time.ts';
import type { Issue } from '../util/issue.ts';
import type { ControlHandlers, ControlParts } from './handler.ts';
import type { Fault, FaultDefinition } from './operation.ts';
import { ControlProblemError, formatNames, getSandbox, refuseIssues, withControlProblems } from './refusal.ts';

/** The operations on faults. */
export const faultHandlers = {
  listFaults: ({ path }, parts) =>
    getSandbox(path.id, parts)
      .faults.list()
      .map((fault) => addWarnings(fault, parts)),
  getFault({ path }, parts) {
    const fault = getSandbox(path.id, parts).faults.find(path.fault);
    if (!fault) throw unknownFault(path, parts);
    return addWarnings(fault, parts);
  },
  addFault({ path, body }, parts) {
    refuseFaults([{ fault: body, at: '' }], parts);
    return withControlProblems(() => {
      const parsed = parseFault(body);
      // A refused fault does not create the sandbox.
      rejectTooManyFaults([parsed]);
      const sandbox = parts.sandboxes.get(path.id);
      return logWarnings(sandbox, sandbox.faults.add(parsed), parts);
    });
  },
  replaceFaults({ path, body }, parts) {
    const placed = body.map((fault, index) => ({ fault, at: `/${index}` }));
    refuseFaults(placed, parts);
    return withControlProblems(() => {
      const parsed = placed.map(({ fault, at }) => parseFault(fault, at));
      // Refused faults do not create the sandbox.
      rejectTooManyFaults(parsed);
      const sandbox = parts.sandboxes.get(path.id);
      return sandbox.faults.replace(parsed).map((fault) => logWarnings(sandbox, fault, parts));
    });
  },
  clearFaults: ({ path }, parts) => getSandbox(path.id, parts).faults.clear(),
  removeFault({ path }, parts) {
    if (!getSandbox(path.id, parts).faults.remove(path.fault)) throw unknownFault(path, parts);
  },
} satisfies Partial<ControlHandlers>;

/**
 * Refuses faults that cannot be applied, or whose operations or responses the contract of the application doesn't have. `at` is the JSON Pointer of a fault
 * in the body.
 */
function refuseFaults(
  faults: readonly { readonly fault: FaultDefinition; readonly at: string }[],
  parts: ControlParts,
): void {
  const findIssues = (find: (fault: FaultDefinition) => readonly Issue[]) =>
    faults.flatMap(({ fault, at }) => find(fault).map((issue) => ({ ...issue, pointer: at + issue.pointer })));
  refuseIssues('invalid-fault', findIssues(findFaultIssues));
  refuseIssues(
    'unknown-operation',
    findIssues(({ operation }) => parts.findUnknownOperations(operation)),
  );
  refuseIssues('contract-conflict', findIssues(parts.undocumented));
}

/** Returns a fault with its warnings: its own, why no request can match it, and `more`. */
function addWarnings(fault: Fault, parts: ControlParts, more: readonly string[] = []): Fault {
  const reasons = parts.unmatched({ ...fault, needsBody: needsBody(fault.where) });
  const warnings = [...(fault.warnings ?? []), ...reasons, ...more];
  return warnings.length > 0 ? { ...fault, warnings } : fault;
}

/** Logs the warnings of a new fault, and returns it with them. */
function logWarnings({ id, clock }: Sandbox, fault: Fault, parts: ControlParts): Fault {
  const result = addWarnings(fault, parts, findExpiredUntil(fault, clock.nowMs()));
  for (const warning of result.warnings ?? []) parts.warn(`fault ${fault.id} of sandbox ${id}: ${warning}`);
  return result;
}

/** Returns a warning if a new fault has already expired by the clock of the sandbox. */
function findExpiredUntil({ until }: Fault, nowMs: number): readonly string[] {
  if (until === undefined || parseTime(until) > nowMs) return [];
  return [`it has expired: its until (${until}) is not after the time of the sandbox (${toIsoTime(nowMs)})`];
}

function unknownFault({ id, fault }: { readonly id: string; readonly fault: string }, parts: ControlParts) {
  const ids = getSandbox(id, parts)
    .faults.list()
    .map((one) => one.id);
  const existing = ids.length > 0 ? `The sandbox has ${formatNames(ids)}.` : 'The sandbox has no faults.';
  return new ControlProblemError('unknown-fault', `Fault ${fault} does not exist in sandbox ${id}. ${existing}`);
}
