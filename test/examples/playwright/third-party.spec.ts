import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, type Page } from '@playwright/test';
import { byCookie, byHeader } from './test.ts';

for (const [test, how, app, preflighted] of [
  [byCookie, 'a cookie', '/', []],
  // What the app itself sends there as JSON wants one, sandbox or not.
  [byHeader, 'a header', '/?api=http://localhost:3000', ['http://localhost:3000']],
] as const) {
  test(`with ${how}, what a page asks of others stays as it is`, async ({ page, shop }) => {
    await using others = await thirdParty();
    const preflights = await preflightsOf(page);
    await page.goto(app);
    await expect(page.getByRole('listitem')).toHaveCount(40);
    await asking(page, others.url);
    await page.getByRole('button', { name: 'Add Cordless Electric Kettle' }).click();
    await expect(page.locator('#cart')).toHaveText('4');
    // No header more, and no preflight, which a header more would bring about.
    expect([...preflights]).toEqual(preflighted);
    expect(others.asked.map(({ method }) => method)).toEqual(['GET', 'POST']);
    for (const { headers } of others.asked) expect(headers).not.toContain('x-sandbox');
    await shop.verify({ operation: 'listProducts', atLeast: 1 });
  });
}

/** The origins that a page's preflights go to. Chromium tells of them; the servers don't see them while Playwright has a route. */
async function preflightsOf(page: Page): Promise<ReadonlySet<string>> {
  const origins = new Set<string>();
  const session = await page.context().newCDPSession(page);
  session.on('Network.requestWillBeSent', ({ request, initiator }) => {
    if (initiator.type === 'preflight') origins.add(new URL(request.url).origin);
  });
  await session.send('Network.enable');
  return origins;
}

/** Has a page ask somebody else by requests that need no preflight. */
async function asking(page: Page, url: string): Promise<void> {
  await page.evaluate(async (address) => {
    await fetch(address);
    await fetch(address, { method: 'POST', body: 'seen' });
  }, url);
}

/** A server of somebody else, and what it was asked. */
async function thirdParty() {
  const asked: { method: string | undefined; headers: string[] }[] = [];
  const server = createServer(({ method, headers }, response) => {
    asked.push({ method, headers: Object.keys(headers) });
    response.writeHead(200, { 'Access-Control-Allow-Origin': '*' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}
