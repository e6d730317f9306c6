import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, type Page } from '@playwright/test';
import { byCookie, byHeader } from './test.ts';

for (const [test, how, app, preflighted] of [
  [byCookie, 'a cookie', '/', []],
  // The app's own JSON requests to the API need a preflight, with or without a sandbox.
  [byHeader, 'a header', '/?api=http://localhost:3000', ['http://localhost:3000']],
] as const) {
  test(`requests of a page to other origins do not change with ${how}`, async ({ page, shop }) => {
    await using thirdParty = await startThirdParty();
    const preflights = await recordPreflights(page);
    await page.goto(app);
    await expect(page.getByRole('listitem')).toHaveCount(40);
    await sendSimpleRequests(page, thirdParty.url);
    await page.getByRole('button', { name: 'Add Cordless Electric Kettle' }).click();
    await expect(page.locator('#cart')).toHaveText('4');
    // An additional header would cause a preflight.
    expect([...preflights]).toEqual(preflighted);
    expect(thirdParty.requests.map(({ method }) => method)).toEqual(['GET', 'POST']);
    for (const { headers } of thirdParty.requests) expect(headers).not.toContain('x-sandbox');
    await shop.verify({ operation: 'listProducts', atLeast: 1 });
  });
}

/** Records the origins of a page's preflights from Chromium's events: servers do not receive them while Playwright has a route. */
async function recordPreflights(page: Page): Promise<ReadonlySet<string>> {
  const origins = new Set<string>();
  const session = await page.context().newCDPSession(page);
  session.on('Network.requestWillBeSent', ({ request, initiator }) => {
    if (initiator.type === 'preflight') origins.add(new URL(request.url).origin);
  });
  await session.send('Network.enable');
  return origins;
}

/** Sends requests from a page that need no preflight. */
async function sendSimpleRequests(page: Page, url: string): Promise<void> {
  await page.evaluate(async (address) => {
    await fetch(address);
    await fetch(address, { method: 'POST', body: 'seen' });
  }, url);
}

/** Starts a server on another origin that records its requests. */
async function startThirdParty() {
  const requests: { method: string | undefined; headers: string[] }[] = [];
  const server = createServer(({ method, headers }, response) => {
    requests.push({ method, headers: Object.keys(headers) });
    response.writeHead(200, { 'Access-Control-Allow-Origin': '*' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}
