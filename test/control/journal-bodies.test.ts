import { describe, expect, it } from 'vitest';
import { ITEM, KETTLE } from '../support/fixtures/cart-item.ts';
import { followEvents } from '../support/harness/events.ts';
import { getJournal } from '../support/harness/journal.ts';
import { useSharedShop } from '../support/harness/shared-shop.ts';

const { newSandbox } = useSharedShop();
const SECRET = 'hunter2';

describe('bodies in the journal', () => {
  it('are truncated to 4 kB at a character boundary', async () => {
    const sandbox = newSandbox();
    const note = '😀'.repeat(2_000);
    await sandbox.ask('POST', '/api/cart-items', { ...ITEM, note });
    const [{ request }] = await getJournal(sandbox);
    const whole = JSON.stringify({ ...ITEM, note });
    expect([request.isTruncated, typeof request.body, whole.startsWith(request.body)]).toEqual([true, 'string', true]);
    const bytes = Buffer.byteLength(request.body);
    expect([bytes <= 4096, bytes > 4092]).toEqual([true, true]);
  });

  it('are complete up to 4 kB', async () => {
    const sandbox = newSandbox();
    const spare = 4096 - JSON.stringify({ ...ITEM, note: '' }).length;
    for (const length of [spare, spare + 1])
      await sandbox.ask('POST', '/api/cart-items', { ...ITEM, note: 'x'.repeat(length) });
    const [fits, cut] = await getJournal(sandbox);
    expect([fits.request.isTruncated, fits.request.body.note.length]).toEqual([undefined, spare]);
    expect([cut.request.isTruncated, cut.request.body.length]).toEqual([true, 4096]);
  });

  it('can be nested to any depth', async () => {
    const sandbox = newSandbox();
    await sandbox.ask('POST', '/api/cart-items', `${'['.repeat(2_048)}${']'.repeat(2_048)}`);
    expect((await getJournal(sandbox))[0].response.status).toBe(400);
  });
});

describe('a secret in a request', () => {
  it('is redacted in headers, URL, query, bodies and violations', async () => {
    const sandbox = newSandbox();
    const headers = { Authorization: `Bearer ${SECRET}`, Cookie: `id=${SECRET}`, 'X-Api-Key': SECRET };
    await sandbox.ask('GET', `/api/products?search=a&access_token=${SECRET}`, undefined, headers);
    await sandbox.ask('POST', '/api/cart-items', { ...ITEM, card: { cardNumber: SECRET, cvc: SECRET } }, headers);
    await sandbox.ask('POST', '/api/cart-items', { productId: KETTLE, quantity: 'x', password: SECRET }, headers);
    await sandbox.ask('POST', '/api/cart-items', `{"password":"${SECRET}","productId":`);
    await sandbox.ask('POST', '/api/cart-items', { password: SECRET, note: 'x'.repeat(5_000) });
    const { text, body } = await sandbox.sendControl('GET', '/requests');
    expect(body).toHaveLength(5);
    expect(text).not.toContain(SECRET);
    expect(body[0].request).toMatchObject({
      url: '/api/products?search=a&access_token=[redacted]',
      query: { search: 'a', access_token: '[redacted]' },
      headers: { authorization: '[redacted]', cookie: '[redacted]', 'x-api-key': '[redacted]' },
    });
    expect(body[1].request.body).toEqual({ ...ITEM, card: { cardNumber: '[redacted]', cvc: '[redacted]' } });
  });

  it('is redacted in the response that rejects it', async () => {
    const sandbox = newSandbox();
    await sandbox.ask('POST', '/api/cart-items', { productId: KETTLE, quantity: { password: SECRET } });
    expect((await sandbox.sendControl('GET', '/requests')).text).not.toContain(SECRET);
  });

  it('is redacted in a truncated body at any depth', async () => {
    const sandbox = newSandbox();
    const note = 'x'.repeat(5_000);
    await sandbox.ask('POST', '/api/cart-items', { ...ITEM, user: { password: SECRET }, note });
    expect((await sandbox.sendControl('GET', '/requests')).text).not.toContain(SECRET);
  });

  it('is redacted in a URL with thousands of parameters, in the journal and in events', async () => {
    const sandbox = newSandbox();
    await sandbox.sendControl('PUT', '');
    const stream = await followEvents(sandbox, `/${sandbox.id}/requests`);
    await sandbox.sendControl('POST', '/faults', { bodyDurationMs: 2 });
    await sandbox.ask('GET', `/api/products?search=${'a='.repeat(3_990)}%25token`);
    expect(await stream.next()).toHaveLength(1);
    expect(await getJournal(sandbox)).toHaveLength(1);
  });

  it('is redacted in events', async () => {
    const sandbox = newSandbox();
    await sandbox.sendControl('PUT', '');
    const stream = await followEvents(sandbox, `/${sandbox.id}/requests`);
    await sandbox.ask('GET', `/api/products?token=${SECRET}`);
    expect(JSON.stringify(await stream.next())).not.toContain(SECRET);
  });
});
