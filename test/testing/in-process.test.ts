import { describe, expect, it, onTestFinished } from 'vitest';
import { startStorefront } from '../../src/testing/in-process.ts';

async function started() {
  const shop = await startStorefront();
  onTestFinished(() => shop.close());
  return shop;
}

describe('startStorefront', () => {
  it('gives each sandbox an id that no other has', async () => {
    const shop = await started();
    const [one, other] = await Promise.all([shop.sandbox(), shop.sandbox({ from: 'empty-cart' })]);
    expect(one.id).not.toBe(other.id);
    expect((await one.state()).cartItems).not.toEqual([]);
    expect((await other.state()).cartItems).toEqual([]);
  });

  it('makes a sandbox of a given id anew', async () => {
    const shop = await started();
    await (await shop.sandbox({ id: 'w3' })).restore('empty-cart');
    expect((await (await shop.sandbox({ id: 'w3' })).state()).cartItems).not.toEqual([]);
  });

  it('steers the shop of those who name no sandbox, too', async () => {
    const shop = await started();
    await shop.default.restore('empty-cart');
    expect(await (await fetch(`${shop.url}/api/cart-items`)).json()).toEqual([]);
  });

  it('steers with the token that it is started with', async () => {
    const shop = await startStorefront({ controlToken: 'secret' });
    onTestFinished(() => shop.close());
    expect((await shop.sandbox()).id).toBe('test-1');
  });

  it('ends once, however often it is asked to', async () => {
    const shop = await started();
    await Promise.all([shop.close(), shop[Symbol.asyncDispose]()]);
    await expect(shop.default.reset()).rejects.toThrow(`no server answers at ${shop.url}`);
  });
});
