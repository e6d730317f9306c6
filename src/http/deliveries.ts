import type { NewDelivery } from '../deliveries/deliveries.ts';
import { type Delivery, isDeliveryId } from '../deliveries/delivery.ts';
import type { Trigger } from '../deliveries/triggers.ts';
import type { PlannedRequest } from '../deliveries/webhooks.ts';
import { isNode } from '../openapi/document.ts';
import { evaluateExpressions, isWholeExpression } from '../openapi/runtime-expressions.ts';
import { pairEntries } from '../sandbox/change-log.ts';
import { compareAllStates } from '../sandbox/journal/change-history.ts';
import type { Store } from '../store/store.ts';
import { handleInTransaction } from '../store/transaction.ts';
import { createIdentity } from '../util/entry-identity.ts';
import { normalizeName } from '../util/names.ts';
import type { OperationExchange, ResponseData } from './exchange.ts';
import { READ_METHODS } from './files.ts';
import { handleOrMock } from './handle.ts';
import { isSecure } from './named-sandbox.ts';
import { complete } from './response.ts';

/** Returns whether a request can send webhooks or callbacks. */
export function canDeliver({ app, route, sandbox }: OperationExchange): boolean {
  const { deliveries, webhooks } = app;
  if (webhooks.list.length === 0) return false;
  if (webhooks.getCallbacks(route).length > 0) return true;
  const isRead = READ_METHODS.includes(route.method);
  return !isRead && webhooks.triggered.length > 0 && deliveries.getUrls(sandbox).length > 0;
}

/**
 * Handles a request, and adds the deliveries that it causes to the commit of its changes.
 * Sends them after the commit.
 */
export async function handleAndDeliver(exchange: OperationExchange): Promise<void> {
  const { app, sandbox, notes } = exchange;
  if (!canDeliver(exchange)) return handleOrMock(exchange, sandbox.store);
  const run = (store: Store) => {
    // A transaction can run the handler again.
    exchange.notes = notes;
    exchange.response = undefined;
    exchange.changes = undefined;
    return handleWithDeliveries(exchange, store);
  };
  await handleInTransaction(sandbox.store, run, () => {});
  // A cached response would send no callback.
  exchange.revision = undefined;
  app.deliveries.wake(sandbox);
}

/** Handles a request, and adds the deliveries that it causes to its changes. `store`: a transaction. */
export async function handleWithDeliveries(exchange: OperationExchange, store: Store): Promise<void> {
  const { app, sandbox, effect } = exchange;
  await handleOrMock(exchange, store);
  if (!effect?.response) await complete(exchange);
  const response = effect?.response ? exchange.replaced : exchange.response;
  if (!response || response.status < 200 || response.status > 299) return;
  const changes = listEntryChanges(exchange);
  const planned = [...listCallbacks(exchange, response, changes), ...listWebhooks(exchange, changes)];
  if (planned.length === 0) return;
  if (isDelivered(exchange)) {
    exchange.notes = [...exchange.notes, ...new Set(planned.map(({ request }) => describeLoop(request.name)))];
    return;
  }
  const { operationId } = exchange.route;
  const added = planned.map((one): Delivery => app.deliveries.create(sandbox, { ...one, operation: operationId }));
  await store.update((state) => ({ next: app.deliveries.add(state, added), result: undefined }));
}

/**
 * Returns whether a request is a webhook or a callback of this server or of another storefront server.
 * It causes no deliveries, because two servers, or one, could call each other endlessly.
 */
function isDelivered({ headers }: OperationExchange): boolean {
  return isDeliveryId(String(headers['webhook-id']));
}

function describeLoop(name: string): string {
  return `${name} was not sent, because the request is a webhook or a callback itself: this prevents endless loops`;
}

/** A change of an entry by a request. */
type EntryChange = ReturnType<typeof pairEntries>[number];

/** Returns the entries that a request has changed, each with its state before the first change and after the last. */
function listEntryChanges({ app, changes = [] }: OperationExchange): readonly EntryChange[] {
  const [first, last] = [changes[0], changes.at(-1)];
  if (!first || !last) return [];
  return compareAllStates([{ before: first.before, after: last.after }]).flatMap((list) =>
    Object.hasOwn(app.collections, list.collection)
      ? pairEntries(list, createIdentity(app.getEntrySchema(list.collection).key))
      : [],
  );
}

function listWebhooks(exchange: OperationExchange, changes: readonly EntryChange[]): readonly NewDelivery[] {
  const { app, sandbox } = exchange;
  const urls = app.deliveries.getUrls(sandbox);
  return changes.flatMap((change) =>
    app.webhooks.triggered.flatMap((request) => {
      const { trigger } = request;
      if (!trigger || !('trigger' in trigger) || !matches(trigger.trigger, change)) return [];
      const entry = { ...showEntry(exchange, change), path: trigger.trigger.entryPath };
      return urls.map((url) => ({ request, url, entry }));
    }),
  );
}

/** Returns a changed entry as responses show it: after the change, or before it if it was deleted. */
function showEntry({ app, sandbox, changes = [] }: OperationExchange, { collection, before, after }: EntryChange) {
  const entry = after ?? before ?? {};
  const state = after ? changes.at(-1)?.after : changes[0]?.before;
  const at = { state: state ?? sandbox.store.read().state, nowMs: sandbox.clock.nowMs() };
  return { collection, value: app.implementation.showEntry?.(collection, entry, at) ?? entry };
}

function matches({ collection, on, becomes }: Trigger, change: EntryChange): boolean {
  const { before, after } = change;
  const kind = !before ? 'created' : after ? 'updated' : 'deleted';
  if (change.collection !== collection || !on.includes(kind)) return false;
  if (!becomes) return true;
  const { property, value } = becomes;
  const now = after?.[property];
  if (before?.[property] === now) return false;
  return value === undefined || normalizeName(String(now)) === normalizeName(String(value));
}

/** Returns the callbacks of a request that has succeeded. Notes those whose URL is invalid. */
function listCallbacks(
  exchange: OperationExchange,
  response: ResponseData,
  changes: readonly EntryChange[],
): readonly NewDelivery[] {
  const { app, route } = exchange;
  return app.webhooks.getCallbacks(route).flatMap((request) => {
    const url = evaluateUrl(exchange, response, request);
    if (url === undefined) return [];
    const changed = changes.find(({ collection }) => request.entries.some((one) => one.collection === collection));
    const place = changed && request.entries.find((one) => one.collection === changed.collection);
    const entry = changed && { ...showEntry(exchange, changed), path: place?.path };
    return [{ request, url, known: response.body, ...(entry && { entry }) }];
  });
}

function evaluateUrl(
  exchange: OperationExchange,
  response: ResponseData,
  { name, expression = '' }: PlannedRequest,
): string | undefined {
  const { input, query, headers, method, location } = exchange;
  const scheme = isSecure(headers) ? 'https' : 'http';
  const requestHeaders = Object.entries(headers).map(([key, value]) => [key, [value].flat().join(', ')]);
  const responseHeaders = Object.entries(response.headers).map(([key, value]) => [key.toLowerCase(), value]);
  const url = evaluateExpressions(expression, {
    url: `${scheme}://${headers.host}${location.prefix}${location.target}`,
    method,
    status: response.status,
    request: { headers: Object.fromEntries(requestHeaders), query, path: input.path, body: input.body },
    response: { headers: Object.fromEntries(responseHeaders), body: isNode(response.body) ? response.body : undefined },
  });
  if (url !== undefined && /^https?:/i.test(url) && URL.canParse(url)) return url;
  // A client that sends no URL wants no callback.
  if (url === undefined && isWholeExpression(expression)) return undefined;
  const reason = url === undefined ? 'has no value' : `is ${JSON.stringify(url.slice(0, 200))}`;
  exchange.notes = [
    ...exchange.notes,
    `the callback ${name} was not sent, because its URL ${expression} ${reason}: use an absolute http or https URL`,
  ];
  return undefined;
}
