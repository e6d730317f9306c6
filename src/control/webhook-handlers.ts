import type { Delivery } from '../deliveries/delivery.ts';
import { listDeliveries } from '../deliveries/delivery.ts';
import { describeWebhooks, type PlannedRequest } from '../deliveries/webhooks.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { getCollection } from '../store/entry-list.ts';
import { toIsoTime } from '../util/iso-time.ts';
import { HttpProblemError } from '../util/problem.ts';
import { NO_NAMES, redactUrl } from '../util/redact-secrets.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { type ControlHandlers, type ControlParts, formatNames, getSandbox } from './handler.ts';
import type { ControlResponse } from './operation.ts';

/** The handlers of the control API for webhooks, callbacks and their deliveries, by operationId. */
export const webhookHandlers = {
  listWebhooks: ({ path }, parts) => toWebhooks(getSandbox(path.id, parts), parts),
  async setWebhookUrls({ path, body }, parts) {
    const { urls } = body;
    for (const url of urls ?? []) parts.deliveries.requireTarget(url);
    const sandbox = await parts.sandboxes.get(path.id);
    await sandbox.change(() => sandbox.webhookUrls.set(urls ?? undefined));
    return toWebhooks(sandbox, parts);
  },
  async sendWebhook({ path, body }, parts) {
    const { deliveries, sandboxes } = parts;
    const request = deliveries.webhooks.find(path.webhook);
    const sandbox = await sandboxes.get(path.id);
    const urls = body.url === undefined ? getUrls(sandbox, request, parts) : [body.url];
    for (const url of urls) deliveries.requireTarget(url);
    const entry = findNewestEntry(sandbox, request, parts);
    const facts = { ...(Object.hasOwn(body, 'data') && { data: body.data }), ...(entry && { entry }) };
    const added = urls.map((url) => deliveries.create(sandbox, { request, url, ...facts }));
    return (await deliveries.send(sandbox, added)).map(toDelivery);
  },
  async listDeliveries({ path, query: { after, status, limit } }, parts) {
    await parts.sandboxes.load(path.id);
    const sandbox = getSandbox(path.id, parts);
    const all = listDeliveries(sandbox.store.read().state);
    const last = all.findIndex(({ id }) => id === after);
    if (after !== undefined && last < 0) throw createUnknownError(sandbox, String(after));
    const found = all.slice(last + 1).filter((delivery) => status === undefined || delivery.status === status);
    return found.slice(-Number(limit ?? Number.POSITIVE_INFINITY)).map(toDelivery);
  },
  async retryDelivery({ path }, parts) {
    const sandbox = getSandbox(path.id, parts);
    const delivery = await parts.deliveries.retry(sandbox, path.delivery);
    if (!delivery) throw createUnknownError(sandbox, path.delivery);
    return toDelivery(delivery);
  },
} satisfies Partial<ControlHandlers>;

function createUnknownError({ id, store }: Sandbox, delivery: string): HttpProblemError {
  const ids = listDeliveries(store.read().state).map((known) => known.id);
  const existing = ids.length > 0 ? `The sandbox has ${formatNames(ids)}.` : 'The sandbox has no deliveries.';
  const detail = `Delivery ${delivery} does not exist in sandbox ${id}. ${existing}`;
  return new HttpProblemError({ code: 'unknown-delivery', detail });
}

function toWebhooks(sandbox: Sandbox, { deliveries }: ControlParts): ControlResponse<'listWebhooks'> {
  return {
    urls: deliveries.getUrls(sandbox).map((url) => redactUrl(url, NO_NAMES)),
    isSigned: deliveries.isSigned,
    webhooks: describeWebhooks(deliveries.webhooks),
  };
}

/** Returns the URLs for a webhook. Throws an `HttpProblemError` if there is none. */
function getUrls(sandbox: Sandbox, { kind, name }: PlannedRequest, { deliveries }: ControlParts): readonly string[] {
  const urls = kind === 'callback' ? [] : deliveries.getUrls(sandbox);
  if (urls.length > 0) return urls;
  const detail =
    kind === 'callback'
      ? `The callback ${name} has no URL of its own: set \`url\`.`
      : `The sandbox ${sandbox.id} has no URL for webhooks: start the server with --webhook-url URL, or set \`url\`.`;
  throw new HttpProblemError({ code: 'invalid-target', detail });
}

/** Returns the last entry of the resource that a webhook reports. */
function findNewestEntry(
  { store, clock }: Sandbox,
  { trigger, entries }: PlannedRequest,
  { application }: ControlParts,
) {
  const planned = trigger && 'trigger' in trigger ? trigger.trigger : undefined;
  const place = planned ? { collection: planned.collection, path: planned.entryPath } : entries[0];
  const { state } = store.read();
  const entry = place && getCollection(state, place.collection).at(-1);
  if (!entry) return undefined;
  const value = application().showEntry(place.collection, entry, { state, nowMs: clock.nowMs() });
  return { ...place, value };
}

function toDelivery(delivery: Delivery): ControlResponse<'retryDelivery'> {
  const { id, name, kind, operation, url, method, content, status, createdMs, dueMs, attempts, last, notes } = delivery;
  return {
    id,
    name,
    kind,
    ...(operation !== undefined && { operation }),
    url: redactUrl(url, NO_NAMES),
    method,
    body: tryOrUndefined(() => JSON.parse(content)) ?? content,
    status,
    createdAt: toIsoTime(createdMs),
    ...(status === 'pending' && { dueAt: toIsoTime(dueMs) }),
    attempts,
    ...(last && {
      lastAttempt: { at: toIsoTime(last.atMs), status: last.status ?? null, ...(last.error && { error: last.error }) },
    }),
    ...(notes && { notes: [...notes] }),
  };
}
