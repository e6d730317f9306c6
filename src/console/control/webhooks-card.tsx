import type { ControlResponse } from '../../control/operation.ts';
import { formatTime } from '../model/format.ts';
import { ActionButton, Card } from '../ui/elements.tsx';
import { useAfterRequests, useConsole, useLoaded } from '../ui/hooks.ts';

type Delivery = ControlResponse<'listDeliveries'>[number];

/** The maximum number of deliveries that the card lists, the newest first. */
const MAX_SHOWN = 20;

/** The card for the webhooks of the contract and their deliveries. Shows nothing if the contract has none. */
export function WebhooksCard({ sandbox }: { readonly sandbox: string }) {
  const { api } = useConsole();
  const path = { id: sandbox };
  const { data, error, isLoading, reload } = useLoaded(`webhooks ${sandbox}`, async () => ({
    ...(await api.send('listWebhooks', { path })),
    deliveries: await api.send('listDeliveries', { path, query: { limit: MAX_SHOWN } }),
  }));
  useAfterRequests(reload);
  const { webhooks = [], deliveries = [], urls = [] } = data ?? {};
  if (!error && webhooks.length === 0) return null;
  const change = (action: () => Promise<unknown>) => () => action().then(reload);
  const send = (name: string) =>
    change(() => api.send('sendWebhook', { path: { id: sandbox, webhook: name }, body: {} }));
  const retry = (id: string) => change(() => api.send('retryDelivery', { path: { id: sandbox, delivery: id } }));
  return (
    <Card
      title="Webhooks"
      text={urls.length > 0 ? `Webhooks are sent to ${urls.join(' and ')}.` : 'The server has no --webhook-url.'}
      {...{ error, isLoading }}
    >
      <ul class="list">
        {webhooks.map(({ name, kind, explanation }) => (
          <li key={name}>
            <div class="list-text">
              <code>{name}</code>
              <span class="muted">
                {kind}, {explanation}
              </span>
            </div>
            {kind === 'webhook' && urls.length > 0 && <ActionButton action={send(name)}>Send</ActionButton>}
          </li>
        ))}
      </ul>
      {deliveries.length > 0 && (
        <ul class="list" aria-label="Deliveries">
          {deliveries.toReversed().map((delivery) => (
            <li key={delivery.id}>
              <div class="list-text">
                <span>
                  <code>{delivery.name}</code> <span class="badge">{delivery.status}</span>
                </span>
                <span class="muted">{describeDelivery(delivery)}</span>
              </div>
              <ActionButton action={retry(delivery.id)}>Send again</ActionButton>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

/** Describes a delivery: its target, its attempts, the last error, and the time of the next attempt. */
function describeDelivery({ url, attempts, lastAttempt, dueAt }: Delivery): string {
  const count = attempts === 1 ? '1 attempt' : `${attempts} attempts`;
  const result = lastAttempt?.error ?? (lastAttempt ? `status ${lastAttempt.status}` : undefined);
  const next = dueAt === undefined || attempts === 0 ? undefined : `next at ${formatTime(dueAt)}`;
  return [url, count, result, next].filter((part) => part !== undefined).join(', ');
}
