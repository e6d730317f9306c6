import { findFaultIssues, type ParsedFault, parseFault, rejectTooManyFaults } from '../faults/fault.ts';
import { needsBody } from '../matcher/request-matcher.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { parseTime, toIsoTime } from '../util/iso-time.ts';
import type { Issue } from '../util/issue.ts';
import { HttpProblemError, type ProblemCode } from '../util/problem.ts';
import type { ControlHandlers, ControlParts } from './handler.ts';
import { formatNames, getSandbox, rejectIssues } from './handler.ts';
import type { Fault, FaultDefinition } from './operation.ts';

/** The handlers of the control API for injected faults, by operationId. */
export const faultHandlers = {
  listFaults: ({ path }, parts) =>
    getSandbox(path.id, parts)
      .faults.list()
      .map((fault) => addWarnings(fault, parts)),
  getFault({ path }, parts) {
    const fault = getSandbox(path.id, parts).faults.find(path.fault);
    if (!fault) throw createUnknownFaultError(path, parts);
    return addWarnings(fault, parts);
  },
  async addFault({ path, body }, parts) {
    const [parsed] = parseFaults([{ fault: body, at: '' }], parts) as [ParsedFault];
    const sandbox = await parts.sandboxes.get(path.id);
    return logWarnings(sandbox, await sandbox.change(() => sandbox.faults.add(parsed)), parts);
  },
  async replaceFaults({ path, body }, parts) {
    const parsed = parseFaults(
      body.map((fault, index) => ({ fault, at: `/${index}` })),
      parts,
    );
    const sandbox = await parts.sandboxes.get(path.id);
    const faults = await sandbox.change(() => sandbox.faults.replace(parsed));
    return faults.map((fault) => logWarnings(sandbox, fault, parts));
  },
  clearFaults({ path }, parts) {
    const { change, faults } = getSandbox(path.id, parts);
    return change(() => faults.clear());
  },
  async removeFault({ path }, parts) {
    const { change, faults } = getSandbox(path.id, parts);
    if (!(await change(() => faults.remove(path.fault)))) throw createUnknownFaultError(path, parts);
  },
} satisfies Partial<ControlHandlers>;

/**
 * Parses faults.
 * `at`: the JSON Pointer to each fault in the request body.
 * Throws an error if there are too many faults or a fault is invalid.
 * A fault is also invalid if the contract does not define its operation or does not allow its response.
 * Callers parse faults before they create a sandbox, so an invalid fault creates no sandbox.
 */
function parseFaults(
  faults: readonly { readonly fault: FaultDefinition; readonly at: string }[],
  parts: ControlParts,
): readonly ParsedFault[] {
  const rejectAny = (code: ProblemCode, find: (fault: FaultDefinition) => readonly Issue[]) =>
    rejectIssues(
      code,
      faults.flatMap(({ fault, at }) => find(fault).map((issue) => ({ ...issue, pointer: at + issue.pointer }))),
    );
  rejectAny('invalid-fault', findFaultIssues);
  rejectAny('unknown-operation', ({ operation }) => parts.findUnknownOperationIssues(operation));
  rejectAny('contract-conflict', parts.findUndocumentedResponses);
  const parsed = faults.map(({ fault, at }) => parseFault(fault, at));
  rejectTooManyFaults(parsed);
  return parsed;
}

/**
 * Adds warnings to a fault, for example that no request can match it, or that the contract does not document its
 * status.
 * `more`: additional warnings.
 */
function addWarnings(fault: Fault, parts: ControlParts, more: readonly string[] = []): Fault {
  const found = parts.findFaultWarnings({ ...fault, needsBody: needsBody(fault.where) });
  const warnings = [...(fault.warnings ?? []), ...found, ...more];
  return warnings.length > 0 ? { ...fault, warnings } : fault;
}

/** Adds warnings to a new fault, and logs each warning. */
function logWarnings({ id, clock }: Sandbox, fault: Fault, parts: ControlParts): Fault {
  const result = addWarnings(fault, parts, findExpiryWarning(fault, clock.nowMs()));
  for (const warning of result.warnings ?? []) parts.warn(`fault ${fault.id} of sandbox ${id}: ${warning}`);
  return result;
}

/** Returns a warning if the clock of the sandbox has already reached the time `until` of a new fault. */
function findExpiryWarning({ until }: Fault, nowMs: number): readonly string[] {
  if (until === undefined || parseTime(until) > nowMs) return [];
  return [`the fault has expired: until (${until}) is not later than the time of the sandbox (${toIsoTime(nowMs)})`];
}

function createUnknownFaultError({ id, fault }: { readonly id: string; readonly fault: string }, parts: ControlParts) {
  const ids = getSandbox(id, parts)
    .faults.list()
    .map((one) => one.id);
  const existing = ids.length > 0 ? `The sandbox has ${formatNames(ids)}.` : 'The sandbox has no faults.';
  return new HttpProblemError({
    code: 'unknown-fault',
    detail: `Fault ${fault} does not exist in sandbox ${id}. ${existing}`,
  });
}
