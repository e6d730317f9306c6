import { isNode, resolvePointer, toNode } from '../openapi/document.ts';
import { findJsonMedia } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import type { CheckContext } from './check-context.ts';
import { isSuccess, type ReceivedResponse } from './exchange.ts';
import { findId } from './ids.ts';
import { createActionRule, createKeptRule, createStoredRule, createVersionRule, getEntry } from './life-cycle-rules.ts';
import { type RequestValues, validateValues } from './requests.ts';
import type { Rule, Session } from './session.ts';

/** Sends a request of a life cycle. Returns the response; undefined if there is none. */
export type Send = (route: Route, values: RequestValues, rule?: Rule) => Promise<ReceivedResponse | undefined>;

/** The functions that a life cycle calls. */
export interface Recorder {
  readonly send: Send;
  /**
   * Records the body that a change sent, the response that read the resource before, and the response that then read
   * it.
   */
  readonly record: (
    route: Route,
    sent: unknown,
    previous: ReceivedResponse | undefined,
    current: ReceivedResponse,
  ) => void;
}

/**
 * An update of a resource.
 * `values`: the request that updates the resource.
 * `current`: the response to the last request that read the resource.
 */
interface Update {
  readonly read: Route;
  readonly readValues: RequestValues;
  readonly update: Route;
  readonly values: RequestValues | undefined;
  readonly id: unknown;
  readonly current: ReceivedResponse | undefined;
}

/**
 * Updates a resource, and reads it again.
 * Returns the response to the read request.
 * If the update fails, returns the response from before the update (`current`).
 */
export async function sendUpdate(
  session: Session,
  { send, record }: Recorder,
  { read, readValues, update, values, id, current }: Update,
): Promise<ReceivedResponse | undefined> {
  if (!values) return current;
  const body = replaceOwnId(values.body, read, id);
  const updated = await send(update, { ...values, body });
  // Status 202 means that the server may update the resource later.
  if (!updated || !isSuccess(updated) || updated.status === 202) return current;
  const change = { sent: body, before: current?.body, returned: updated.body };
  const canReturn = createReturnTest(session, update, updated);
  const isStored = createStoredRule({ read, ...change, canReturn });
  const response = await send(read, readValues, (route, exchange) => [
    ...isStored(route, exchange),
    ...createVersionRule(read, body, current)(route, exchange),
  ]);
  if (response && isSuccess(response)) record(update, body, current, response);
  return response;
}

/** The precondition that the check sends with an unknown version, in lower case. */
const IF_MATCH = 'if-match';

/**
 * Sends an update with the version of another resource in `If-Match`.
 * If the contract documents the header and 412, and responses have an `ETag`, the update must not succeed.
 */
export async function sendWithOldVersion(
  send: Send,
  { update, values }: Pick<Update, 'update' | 'values'>,
): Promise<void> {
  const hasHeader = update.parameters.some((one) => one.in === 'header' && one.name.toLowerCase() === IF_MATCH);
  if (!values || !hasHeader || !update.responses.some(({ name }) => name === '412')) return;
  const conditional = { ...values, headers: { ...values.headers, [IF_MATCH]: '"storefront-check-0"' } };
  await send(update, conditional, ({ pointer }, { response }) => {
    const message = `Status ${response.status} for an If-Match header with another ETag: respond with 412, as the contract documents`;
    return isSuccess(response) ? [{ rule: 'If-Match prevents changes of other versions', message, pointer }] : [];
  });
}

/** Sends a PATCH with one property, and reads the resource: the other properties must not change (RFC 5789). */
export async function sendPart(
  session: Session,
  send: Send,
  { read, readValues, update, values, id, current }: Update,
): Promise<ReceivedResponse | undefined> {
  const body = toNode(replaceOwnId(values?.body, read, id));
  const before = getEntry(read, current?.body);
  const name = Object.keys(body).find((one) => body[one] !== id && isPart(one));
  if (!values || name === undefined || Object.keys(body).length < 2) return current;
  // A property that does not have the sent value is set by the server, such as `updatedAt`.
  const known = Object.keys(body).filter((one) => body[one] === before[one]);
  const part = { ...values, body: { [name]: body[name] } };
  const sent = await send(update, part);
  if (!sent || !isSuccess(sent) || sent.status === 202) return current;
  return send(read, readValues, createKeptRule(read, { sent: [name], known, before }));

  function isPart(one: string): boolean {
    const alone = values && { ...values, body: { [one]: body[one] } };
    return alone !== undefined && validateValues(session.contract, update, alone).kind === 'call';
  }
}

/**
 * Returns the operations that do something with one resource and need no body, such as `POST /tasks/{taskId}/complete`.
 */
export function findActions({ allowedRoutes, session: { contract } }: CheckContext, read: Route): readonly Route[] {
  const { path, pathNames } = read;
  const getSchema = ({ responses, successStatus }: Route) => {
    const schema = findJsonMedia(responses, successStatus)?.schema;
    return schema === undefined ? undefined : resolvePointer(contract.normalized, schema);
  };
  // An action such as `refund` can return another resource, which has the id too.
  const returnsSame = (route: Route) => getSchema(route) !== undefined && getSchema(route) === getSchema(read);
  return allowedRoutes.filter(
    (route) =>
      ['POST', 'PUT', 'PATCH'].includes(route.method) &&
      route.path.startsWith(`${path}/`) &&
      route.pathNames.length === pathNames.length &&
      Object.keys(route.bodyMedia).length === 0 &&
      returnsSame(route),
  );
}

/**
 * Sends an action, and reads the resource: what the response to the action shows as changed must be stored.
 * Returns the response to the read request; `current` if the action shows no change.
 */
export async function sendAction(
  send: Send,
  { read, readValues, update: action, values, id, current }: Update,
): Promise<ReceivedResponse | undefined> {
  if (!values || !current || !isSuccess(current)) return current;
  const response = await send(action, values);
  const shownId = response && findId(read.pathNames.at(-1) ?? '', response.body)?.id;
  const isShown = response && isSuccess(response) && String(shownId) === String(id);
  if (!isShown || response.status === 202) return current;
  const before = getEntry(read, current.body);
  const shown = getEntry(read, response.body);
  const changed = Object.entries(shown).filter(
    ([name, value]) => Object.hasOwn(before, name) && before[name] !== value,
  );
  if (changed.length === 0) return current;
  return send(read, readValues, createActionRule(read, { action, before, shown: Object.fromEntries(changed) }));
}

/**
 * Creates a function that returns whether the contract allows a body in the response of an operation.
 * The status and headers are those of the received response.
 */
export function createReturnTest({ contract, hasModel }: Session, route: Route, { status, headers }: ReceivedResponse) {
  return (body: unknown) =>
    contract.verifyResponse(route, { status, headers, body }, { closed: hasModel, isReceived: true }).length === 0;
}

/**
 * Replaces the id in the body of an update with the id in the path, because an update must not change the id.
 * Returns a body without an id unchanged.
 */
function replaceOwnId(body: unknown, read: Route, id: unknown): unknown {
  const [name] = ['id', read.pathNames.at(-1) ?? ''].filter((one) => isNode(body) && one in body);
  return name === undefined ? body : { ...toNode(body), [name]: id };
}
