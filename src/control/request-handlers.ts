import { toJournalEntry, toRequestToMatch } from '../sandbox/journal/journal-entry.ts';
import type { Entry } from '../sandbox/journal/recorded-request.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { HttpProblemError } from '../util/problem.ts';
import { toEntryChanges } from './entry-changes.ts';
import type { ControlHandlers } from './handler.ts';
import type { Fault } from './operation.ts';
import { getSandbox } from './refusal.ts';

/** The handler of the control API for a single recorded request, by operationId. */
export const requestHandlers = {
  async getRequest({ path }, parts) {
    await parts.sandboxes.loadJournal(path.id);
    const sandbox = getSandbox(path.id, parts);
    // Path parameters are strings.
    const entry = findEntry(sandbox, Number(path.request));
    const request = toJournalEntry(entry);
    const { findSource, collections } = parts.application();
    const keys = new Map(collections.map(({ name, key }) => [name, key]));
    const changes = sandbox.journal.changes.get(entry.id)?.filter(({ collection }) => keys.has(collection));
    return {
      request,
      violations: (request.violations ?? []).map((violation) => {
        const source = findSource(request.operation, violation);
        return source ? { violation, source } : { violation };
      }),
      faults: explainFaults(sandbox, entry),
      ...(changes ? { changes: toEntryChanges(changes, (name) => keys.get(name)) } : {}),
    };
  },
} satisfies Partial<ControlHandlers>;

/** Returns the journal entry with the id `id`. Throws a `HttpProblemError` if the journal does not contain it. */
function findEntry({ id: sandbox, journal }: Sandbox, id: number): Entry {
  const entry = journal.entryAfter(id - 1);
  if (entry?.id === id) return entry;
  const reason = id > journal.lastId() ? 'does not exist yet' : 'is no longer in the journal';
  throw new HttpProblemError({
    code: 'unknown-journal-entry',
    detail: `Request ${id} of sandbox ${sandbox} ${reason}.`,
  });
}

/** Returns the active faults that did not apply to a request, with the reasons. */
function explainFaults({ faults }: Sandbox, entry: Entry) {
  const { faults: applied = [] } = entry.remarks?.forced ?? {};
  return faults.explain(toRequestToMatch(entry), applied).map(({ fault, reasons }) => ({
    fault,
    reasons: reasons.length > 0 ? [...reasons] : explainMatch(fault, entry),
  }));
}

/** Returns reasons why a fault may not have been applied to a request, although the request matches the fault. */
function explainMatch({ skip = 0, probability = 1 }: Fault, { decision, remarks }: Entry): string[] {
  if (decision?.source === 'refusal') return ['the server refused the request before it applied faults'];
  const reasons = [
    ...(skip > 0 ? [`skip: the fault skips the first ${skip} matching requests`] : []),
    ...(probability < 1 ? [`probability: the fault applies to ${probability * 100} % of the matching requests`] : []),
    ...(decision?.source === 'preference' ? ['the request has a preference for a response'] : []),
    ...(remarks?.forced?.faults ? ['another fault applied to the request'] : []),
  ];
  return reasons.length > 0
    ? reasons
    : ['the fault was added after the request, or its effect is not possible for the operation'];
}
