import { describe, expect, it } from 'vitest';
import { sandboxAt } from '../../src/testing/sandbox.ts';
import { defaults, getProductId } from '../support/fixtures/default-data.ts';
import { listSandboxIds } from '../support/harness/sandboxes.ts';
import { NOW_MS, startStorefront } from '../support/harness/start-storefront.ts';

const KETTLE = { productId: getProductId('Cordless Electric Kettle'), quantity: 2, deliveryOptionId: '1' };

/** Starts a server and returns a sandbox of it. */
async function createSandbox() {
  const { url } = await startStorefront();
  return sandboxAt(url, 'w3');
}

describe('sandboxAt', () => {
  it('returns a url, headers and a fetch function that select the sandbox', async () => {
    const shop = await startStorefront();
    const sandbox = sandboxAt(`${shop.url}/`, 'w3');
    await sandbox.restore('empty-cart');
    const carts = await Promise.all([
      fetch(`${sandbox.url}/api/cart-items`),
      fetch(`${shop.url}/api/cart-items`, { headers: sandbox.headers }),
      sandbox.fetch('/api/cart-items'),
      sandbox.fetch('api/cart-items', { method: 'GET' }),
    ]);
    expect(await Promise.all(carts.map((cart) => cart.json()))).toEqual([[], [], [], []]);
    expect((await shop.ask('GET', '/api/cart-items')).body).not.toEqual([]);
  });

  it('reads, replaces and resets the state of the sandbox', async () => {
    const sandbox = await createSandbox();
    await sandbox.setState({ cartItems: [KETTLE] });
    expect((await sandbox.state()).cartItems).toEqual([KETTLE]);
    await sandbox.reset();
    expect(await sandbox.state()).toMatchObject({ cartItems: defaults.cartItems, products: defaults.products });
  });

  it('mocks an operation until its handler is used again', async () => {
    const sandbox = await createSandbox();
    const order = async () => (await sandbox.fetch('/api/orders', { method: 'POST' })).headers.get('x-mocked');
    await sandbox.mock('createOrder');
    expect(await order()).toBe('operation');
    await sandbox.unmock('createOrder');
    expect(await order()).toBeNull();
    await expect(sandbox.mock('createOder')).rejects.toThrow('createOrder');
  });

  it('saves, lists and restores snapshots', async () => {
    const sandbox = await createSandbox();
    await sandbox.setState({ cartItems: [KETTLE] });
    expect(await sandbox.snapshot('kettle')).toMatchObject({
      name: 'kettle',
      builtIn: false,
      counts: { cartItems: 1 },
    });
    await sandbox.restore('empty-cart');
    await sandbox.restore('kettle');
    expect((await sandbox.state()).cartItems).toEqual([KETTLE]);
    const names = (await sandbox.snapshots()).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['kettle', 'empty-cart']));
  });

  it('rejects an invalid time or duration with an example and the unit', async () => {
    const { clock } = await createSandbox();
    await expect(clock.freeze('tomorrow')).rejects.toThrow(
      'now is "tomorrow": use a valid date-time such as 2025-06-01T12:00:00Z or an integer from 0 to 8640000000000000 (milliseconds since 1970)',
    );
    await expect(clock.advance(0.5)).rejects.toThrow(/^ms is 0\.5: use an integer from .* to .* \(milliseconds\)$/);
  });

  it('ids() makes new ids reproducible, and randomIds() makes them random again', async () => {
    const sandbox = await createSandbox();
    const newOrder = async () => {
      await sandbox.reset();
      await sandbox.fetch('/api/orders', { method: 'POST' });
      return (await sandbox.state()).orders[0]?.id;
    };
    await sandbox.ids(1);
    const first = await newOrder();
    await sandbox.ids(1);
    expect(await newOrder()).toBe(first);
    await sandbox.randomIds();
    expect(await newOrder()).not.toBe(first);
  });

  it('recreate() recreates the sandbox from the default data or a snapshot', async () => {
    const sandbox = await createSandbox();
    await sandbox.clock.freeze(0);
    await sandbox.recreate({ from: 'empty-cart' });
    expect((await sandbox.state()).cartItems).toEqual([]);
    expect((await sandbox.clock.read()).frozen).toBe(false);
    await sandbox.recreate();
    expect((await sandbox.state()).cartItems).toEqual(defaults.cartItems);
  });

  it('remove() removes the sandbox from the server', async () => {
    const shop = await startStorefront();
    const sandbox = sandboxAt(shop.url, 'w3');
    await sandbox.recreate();
    await sandbox.remove();
    expect(await listSandboxIds(shop)).toEqual(['default']);
  });
});

describe('TestSandbox clock', () => {
  const at = { now: new Date(NOW_MS).toISOString(), nowMs: NOW_MS };

  it.each([{ now: NOW_MS }, { now: new Date(NOW_MS) }, { now: new Date(NOW_MS).toISOString() }])(
    'freeze() stops the clock at $now',
    async ({ now }) => {
      const { clock } = await createSandbox();
      expect(await clock.freeze(now)).toEqual({ ...at, frozen: true });
      expect(await clock.read()).toEqual({ ...at, frozen: true });
    },
  );

  it('freeze() stops the clock at its current time, and run() continues it', async () => {
    const { clock } = await createSandbox();
    expect((await clock.freeze()).frozen).toBe(true);
    expect((await clock.run()).frozen).toBe(false);
  });

  it('set() does not freeze the clock, and advance() moves it forward and back', async () => {
    const { clock } = await createSandbox();
    expect((await clock.set(NOW_MS)).frozen).toBe(false);
    await clock.freeze(NOW_MS);
    expect((await clock.advance(5_000)).nowMs).toBe(NOW_MS + 5_000);
    expect((await clock.advance(-7_000)).nowMs).toBe(NOW_MS - 2_000);
  });

  it('follow() makes the clock follow the system clock again', async () => {
    const { clock } = await createSandbox();
    await clock.freeze(0);
    expect(await clock.follow()).toEqual({ ...at, frozen: false });
  });
});
