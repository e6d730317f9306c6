import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths } from '../support/fixtures/api-document.ts';
import { ITEM, KETTLE } from '../support/fixtures/cart-item.ts';
import { getJournal, getLastEntry } from '../support/harness/journal.ts';
import { getSandboxClient, type SandboxClient, useSharedShop } from '../support/harness/shared-shop.ts';
import { startApi } from '../support/harness/start-api.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const { newSandbox } = useSharedShop();

type Send = (sandbox: SandboxClient) => Promise<unknown>;

/** Requests, and what decides their responses. */
const requests: readonly (readonly [title: string, send: Send, decision: object | undefined])[] = [
  ['a read', ({ ask }) => ask('GET', '/api/orders'), { source: 'handler' }],
  ['a change', ({ ask }) => ask('POST', '/api/cart-items', ITEM), { source: 'handler' }],
  ['a business rule', ({ ask }) => ask('GET', `/api/orders/${KETTLE}`), { source: 'handler' }],
  ['a violation', ({ ask }) => ask('POST', '/api/cart-items', {}), { source: 'refusal' }],
  ['a method that the path lacks', ({ ask }) => ask('PATCH', '/api/orders'), { source: 'refusal' }],
  ['malformed JSON', ({ ask }) => ask('POST', '/api/cart-items', '{'), { source: 'refusal' }],
  ['an unknown path', ({ ask }) => ask('GET', '/api/none'), undefined],
  [
    'a preference for an example',
    ({ ask }) => ask('GET', '/api/products', undefined, { Prefer: 'example=byName' }),
    { source: 'preference', example: 'byName' },
  ],
  [
    'a preference for a generated response',
    ({ ask }) => ask('GET', '/api/products', undefined, { Prefer: 'dynamic=true' }),
    { source: 'preference' },
  ],
  [
    'a preference for a delay',
    ({ ask }) => ask('GET', '/api/products', undefined, { Prefer: 'delay=1' }),
    { source: 'handler' },
  ],
  [
    'a preference for a response that is not documented',
    ({ ask }) => ask('GET', '/api/products', undefined, { Prefer: 'code=201' }),
    { source: 'refusal' },
  ],
  ...(
    [
      ['a status', { status: 503 }, { source: 'fault', example: 'unavailable' }],
      ['a status after the operation', { status: 503, phase: 'after' }, { source: 'fault', example: 'unavailable' }],
      ['a body', { status: 503, body: { x: 1 }, violation: true }, { source: 'fault' }],
      ['a delay', { delay: 1 }, { source: 'handler' }],
      ['a slow body', { bodyDurationMs: 1 }, { source: 'handler' }],
    ] as const
  ).map(
    ([title, fault, decision]) =>
      [
        `a fault with ${title}`,
        async ({ ask, sendControl }: SandboxClient) => {
          await sendControl('POST', '/faults', fault);
          await ask('GET', '/api/products');
        },
        { ...decision, faults: ['f1'] },
      ] as const,
  ),
  [
    'a fault that resets the connection',
    async ({ ask, sendControl }) => {
      await sendControl('POST', '/faults', { connection: 'reset' });
      await ask('POST', '/api/orders').catch(() => {});
    },
    { source: 'fault', faults: ['f1'] },
  ],
  [
    'a fault that cuts the connection',
    async ({ ask, sendControl }) => {
      await sendControl('POST', '/faults', { connection: 'cut' });
      await ask('POST', '/api/orders').catch(() => {});
    },
    { source: 'fault', faults: ['f1'] },
  ],
  [
    'a fault for an image',
    async ({ ask, sendControl, id }) => {
      await sendControl('POST', '/faults', { where: { path: '/images/*' }, status: 404 });
      await ask('GET', `/_sandbox/${id}/images/products/socks.svg`);
    },
    { source: 'fault', faults: ['f1'] },
  ],
  [
    'an operation that the sandbox mocks',
    async ({ ask, sendControl }) => {
      await sendControl('PUT', '/operations/listProducts', { mocked: true });
      await ask('GET', '/api/products?search=kettle');
    },
    { source: 'mock', example: 'byName' },
  ],
];

describe('the decision of a journal entry', () => {
  it.each(requests)('is recorded for %s', async (_title, send, decision) => {
    const sandbox = newSandbox();
    await send(sandbox);
    expect((await getLastEntry(sandbox)).decision).toEqual(decision);
  });

  it('is the cache for a repeated read from the default sandbox', async () => {
    const shop = getSandboxClient(await startStorefront(), 'default');
    for (let n = 0; n < 2; n++) await shop.ask('GET', '/api/products');
    expect((await getJournal(shop)).map(({ decision }: { decision: object }) => decision)).toEqual([
      { source: 'handler' },
      { source: 'cache' },
    ]);
  });

  it("is the user's handler, also if it throws", async () => {
    const handlers = {
      listOrders: () => ({ body: [] }),
      getOrder: () => {
        throw new Error('no orders');
      },
    };
    const shop = getSandboxClient(await startStorefront({ handlers, errorsExpected: true }), 'default');
    await shop.ask('GET', '/api/orders');
    await shop.ask('GET', `/api/orders/${KETTLE}`);
    expect((await getJournal(shop)).map(({ decision }: { decision: object }) => decision)).toEqual([
      { source: 'user-handler' },
      { source: 'user-handler' },
    ]);
  });

  it('is an entry of the state for a mocked operation that returns one', async () => {
    const Pet = createObject({ id: { type: 'integer' }, name: { type: 'string' } });
    const paths = {
      ...createResourcePaths('/pets/{petId}', Pet),
      '/pets/{petId}/feed': { post: { response: Pet } },
      '/time': { get: { response: createList({ type: 'string' }) } },
    };
    const api = await startApi({ paths });
    await api.ask('POST', '/pets', { name: 'Rex' });
    for (const path of ['/pets/1/feed', '/pets/2/feed']) await api.ask('POST', path);
    await api.ask('GET', '/time');
    const journal = await getJournal(getSandboxClient(api, 'default'));
    expect(journal.map(({ decision }: { decision: { source: string } }) => decision.source)).toEqual([
      'handler',
      'stored',
      'stored',
      'mock',
    ]);
  });
});
