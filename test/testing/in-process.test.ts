import { describe, expect, it, onTestFinished } from 'vitest';
import { startStorefront } from '../../src/testing/in-process.ts';

async function start() {
  const shop = await startStorefront();
  onTestFinished(() => shop.close());
  return shop;
}

describe('startStorefront', () => {
  it('creates sandboxes with different ids by default', async () => {
    const shop = await start();
    const [first, second] = await Promise.all([shop.sandbox(), shop.sandbox({ from: 'empty-cart' })]);
    expect(first.id).not.toBe(second.id);
    expect((await first.state()).cartItems).not.toEqual([]);
    expect((await second.state()).cartItems).toEqual([]);
  });

  it('recreates the sandbox of an existing id', async () => {
    const shop = await start();
    await (await shop.sandbox({ id: 'w3' })).restore('empty-cart');
    expect((await (await shop.sandbox({ id: 'w3' })).state()).cartItems).not.toEqual([]);
  });

  it('controls the default sandbox, which requests without a sandbox use', async () => {
    const shop = await start();
    await shop.default.restore('empty-cart');
    expect(await (await fetch(`${shop.url}/api/cart-items`)).json()).toEqual([]);
  });

  it('sends the control token that it is started with', async () => {
    const shop = await startStorefront({ controlToken: 'secret' });
    onTestFinished(() => shop.close());
    expect((await shop.sandbox()).id).toBe('test-1');
  });

  it.each<[options: object, message: string]>([
    [{ handler: {} }, 'Unknown option handler of the server: did you mean "handlers"? The options are port, host, '],
    [{ dafaultData: 'a.json' }, 'did you mean "defaultData"?'],
    // Tokens are secret.
    [{ auth: ['secret', ''] }, 'Invalid option auth of the server: use "form", "off" or a list of tokens.'],
    [{ durability: 'ram' }, 'Invalid option durability of the server. It is "ram": use "disk" or "memory".'],
    [{ auth: 'none' }, 'Invalid option auth of the server. It is "none": use "form", "off" or a list of tokens.'],
    [{ delay: { from: 8, to: 2 } }, 'Invalid option delay of the server. It is {"from":8,"to":2}: use milliseconds'],
    [{ contract: null }, 'It is null: use the path of a file.'],
    [{ nowMs: 7 }, 'It is 7: use a function.'],
  ])('rejects unknown options and invalid values, with the remedy: %j', async (options, message) => {
    await expect(startStorefront(options)).rejects.toThrow(message);
  });

  it('stops the server once if close() is called several times', async () => {
    const shop = await start();
    await Promise.all([shop.close(), shop[Symbol.asyncDispose]()]);
    await expect(shop.default.reset()).rejects.toThrow(`No server responds at ${shop.url}`);
  });
});
