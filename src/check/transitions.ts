import { getNode, type Node, toNode } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import type { CheckContext } from './check-context.ts';
import { addConfirmed } from './confirm-findings.ts';
import { isSuccess } from './exchange.ts';
import type { Finding } from './findings.ts';
import { documents, getEntry } from './life-cycle-rules.ts';
import type { LifeCycle } from './life-cycles.ts';
import { RequestSequence } from './request-sequence.ts';
import { findActions } from './updates.ts';

/** The status of a request that contradicts the state of a resource (RFC 9110, section 15.5.10). */
const CONFLICT = 409;

/** The difference between the seeds of two attempts to confirm a finding. */
const SEED_STEP = 6_007;

/** The maximum number of pairs of actions of a resource. */
const MAX_PAIRS = 30;

/** Matches a status that a resource does not leave. */
const FINAL = /cancel|reject|declin|refund|void|delet|archiv|expir|terminat|revok|abort|withdrawn/i;

/** Matches an action that leaves a final status on purpose. */
const REVERSING =
  /^un|^re(?!ject|fund|voke|move)|restor|undo|reset|reviv|recover|retr(?:y|ies)|revert|rollback|reinstate/i;

/** A change of a property from one text to another. */
interface Transition {
  readonly property: string;
  readonly from: string;
  readonly to: string;
}

/**
 * Checks actions that document 409, such as `POST /bookings/{bookingId}/confirm`, after other actions: an action must
 * be refused for a resource in a final status, such as `cancelled`, or in one that the description of the 409 names.
 * The other action can be the same one.
 */
export async function checkTransitions(context: CheckContext, cycle: LifeCycle): Promise<void> {
  const actions = findActions(context, cycle.read);
  const pairs = actions.flatMap((first) =>
    actions.flatMap((second) => (documents(second, CONFLICT) ? [{ first, second }] : [])),
  );
  for (const pair of pairs.slice(0, MAX_PAIRS)) {
    let attempt = 0;
    const examine = async () => {
      await context.prepare();
      const seed = context.seed + attempt++ * SEED_STEP;
      return examinePair({ ...context, seed }, cycle, pair);
    };
    await addConfirmed(context.session, await examine(), examine);
  }
}

async function examinePair(
  context: CheckContext,
  cycle: LifeCycle,
  { first, second }: { readonly first: Route; readonly second: Route },
): Promise<readonly Finding[]> {
  const sequence = new RequestSequence(context);
  const resource = await sequence.create(cycle, context.seed);
  const created = resource && (await sequence.read(cycle, resource));
  if (!created) return [];
  const act = async (action: Route) => {
    const values = sequence.toOwn(action, resource);
    const response = values && (await sequence.send(action, values));
    if (!response || !isSuccess(response) || response.status === 202) return undefined;
    return sequence.read(cycle, resource);
  };
  const toEntry = ({ body }: { readonly body: unknown }) => getEntry(cycle.read, body);
  const middle = await act(first);
  const one = middle && findTransition(toEntry(created), toEntry(middle));
  if (!middle || !one) return sequence.findings;
  context.session.results.coverage.countRule('action-refused', second);
  const last = await act(second);
  const two = last && findTransition(toEntry(middle), toEntry(last), one.property);
  const reason = last && findReason(context, second, { initial: one.from, current: one.to });
  // A repeated action changes nothing, so it may succeed unless the contract says that it is refused.
  if (reason && (two || (first === second && reason.isDocumented))) {
    const change = two
      ? `changed ${two.property} from ${JSON.stringify(two.from)} to ${JSON.stringify(two.to)}`
      : `succeeded although ${one.property} was already ${JSON.stringify(one.to)}`;
    const message = `${second.operationId} ${change}, although it documents ${CONFLICT} and ${reason.text}`;
    sequence.add(second, {
      rule: 'action-refused',
      title: `is refused after ${first.operationId}`,
      message,
      pointer: second.pointer,
      ...(reason.isDocumented && { confidence: 'certain' }),
    });
  }
  return sequence.findings;
}

/** Returns the property that changed from one word to another. `only`: the name of the property. */
function findTransition(before: Node, after: Node, only?: string): Transition | undefined {
  const isWord = (value: unknown): value is string => typeof value === 'string' && /^[\w-]{2,40}$/.test(value);
  const changed = Object.entries(after).flatMap(([property, to]) => {
    const from = before[property];
    const isChanged = isWord(from) && isWord(to) && from !== to && !/\d/.test(from + to);
    return isChanged && (only ?? property) === property ? [{ property, from, to }] : [];
  });
  return changed.find(({ property }) => /status|state|stage|phase/i.test(property)) ?? changed[0];
}

/** Returns why an action must be refused for the current status; undefined if nothing says so. */
function findReason(
  { session: { contract } }: CheckContext,
  action: Route,
  { initial, current }: { readonly initial: string; readonly current: string },
): { readonly text: string; readonly isDocumented: boolean } | undefined {
  const operation = toNode(getNode(contract.normalized, action.pointer));
  const documented = action.responses.find(({ name }) => name === String(CONFLICT));
  const description = String(toNode(getNode(contract.normalized, documented?.pointer ?? '')).description ?? '');
  const text = normalizeWords(description);
  if (isNamed(text, current) && !/\b(?:only|unless|must be|not)\b/.test(text))
    return { text: `describes it with "${description}"`, isDocumented: true };
  if (isNamed(text, initial) && !isNamed(text, current) && /\b(?:only|unless|must be|not|no longer)\b/.test(text))
    return { text: `describes it with "${description}"`, isDocumented: true };
  const name = action.path.split('/').at(-1) ?? '';
  const isReverse = REVERSING.test(name) || REVERSING.test(String(operation.operationId ?? ''));
  return FINAL.test(current) && !isReverse
    ? { text: `${JSON.stringify(current)} is a final status`, isDocumented: false }
    : undefined;
}

function normalizeWords(text: string): string {
  return text.toLowerCase().replaceAll(/[_-]/g, ' ');
}

/** Returns whether a text has a status as a word. */
function isNamed(text: string, status: string): boolean {
  return ` ${text.replaceAll(/[^a-z ]/g, ' ')} `.includes(` ${normalizeWords(status)} `);
}
