import type { Entry, Journal } from '../sandboxes/journal.ts';
import { shownEntry } from '../sandboxes/journal-entry.ts';
import { type Bounds, boundsOf, verdictOf, wantedOf } from '../sandboxes/verdict.ts';
import { settled } from './awaited.ts';
import { found, orRefused, refuseFlaws } from './declining.ts';
import type { ControlHandlers, ControlParts } from './handler.ts';
import type { ControlInput, RequestsWanted } from './operation.ts';
import { ControlRefusal } from './refusal.ts';

/** What a client follows, told of as it comes. */
export interface Followed {
  readonly journal: Journal;
  /** Of those that came before only those with a higher id are told of; where it isn't given none. */
  readonly after: number | undefined;
  readonly isMeant: (entry: Entry) => boolean;
}

/** What was asked, as it is asked. */
export function followedRequests({ path, query }: ControlInput<'listRequests'>, parts: ControlParts): Followed {
  const { after, isMeant } = requestsMeant(query, parts);
  return { journal: found(path.id, parts).journal, after, isMeant };
}

/** What was asked, and whether it was as wanted. */
export const journalHandlers: ControlHandlers<'listRequests' | 'clearRequests' | 'countRequests' | 'verifyRequests'> = {
  listRequests({ path, query }, parts) {
    const { isMeant, limit } = requestsMeant(query, parts);
    const asked = found(path.id, parts).journal.entries().filter(isMeant);
    return (limit === undefined ? asked : asked.slice(-limit)).map(shownEntry);
  },
  clearRequests: ({ path }, parts) => found(path.id, parts).journal.clear(),
  countRequests({ path, body }, parts) {
    const { isMeant } = wantedIn(body, parts);
    const { journal } = found(path.id, parts);
    return orRefused(() => ({ count: journal.entries().filter(isMeant).length }));
  },
  async verifyRequests({ path, body }, parts) {
    const wanted = wantedIn(body, parts);
    const bounds = boundsIn(body);
    const { journal } = found(path.id, parts);
    const { isMeant } = wanted;
    const count = orRefused(() => journal.entries().filter(isMeant).length);
    const { stopping } = parts;
    await settled({ ...bounds, journal, isMeant, count, stopping, withinMs: body.withinMs ?? 0 });
    // It may have been removed meanwhile.
    if (found(path.id, parts).journal !== journal) throw unknown(path.id);
    const verdict = orRefused(() => verdictOf(journal, wanted, bounds));
    return stopping.aborted
      ? { ...verdict, verified: false, said: 'the server is stopping, so nobody knows' }
      : verdict;
  },
};

function unknown(id: string): ControlRefusal {
  return new ControlRefusal(
    'unknown-sandbox',
    `the sandbox ${id} was removed meanwhile, with its journal: verify before`,
  );
}

/** How often they are wanted; declines where that makes no sense. */
function boundsIn(body: ControlInput<'verifyRequests'>['body']): Bounds {
  const bounds = boundsOf(body);
  const isTwice = body.times !== undefined && (body.atLeast ?? body.atMost) !== undefined;
  if (bounds.least <= bounds.most && !isTwice) return bounds;
  const trouble = 'can not be had: give times, or atLeast and atMost where atLeast is not above atMost';
  throw new ControlRefusal('not-a-condition', `${isTwice ? '/times' : '/atLeast'} ${trouble}`, [
    { pointer: isTwice ? '/times' : '/atLeast', trouble },
  ]);
}

/** Which requests a query means; `after` is undefined where it doesn't say. Declines where it names no operations. */
function requestsMeant(query: ControlInput<'listRequests'>['query'], parts: ControlParts) {
  const numberIn = (name: 'after' | 'limit') => (query[name] === undefined ? undefined : Number(query[name]));
  const operation = query.operation === undefined ? undefined : String(query.operation).split(',');
  refuseFlaws('not-a-condition', parts.undocumented({ operation }));
  const after = numberIn('after');
  return {
    after,
    limit: numberIn('limit'),
    isMeant: (entry: Entry) => entry.id > (after ?? 0) && isOf(operation, entry),
  };
}

/** Whether a request is one of some operations; of any where none are named. */
function isOf(operations: readonly string[] | undefined, { operationId }: Pick<Entry, 'operationId'>): boolean {
  return operations === undefined || (operationId !== undefined && operations.includes(operationId));
}

/** Which requests are wanted; declines where that makes no sense. */
function wantedIn(body: RequestsWanted, parts: ControlParts) {
  refuseFlaws('not-a-condition', parts.undocumented({ operation: body.operation }));
  return orRefused(() => wantedOf(body));
}
