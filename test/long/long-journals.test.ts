import { expect, it } from 'vitest';
import { followEvents } from '../support/harness/events.ts';
import { connectRaw } from '../support/harness/raw-client.ts';
import { getSandboxClient, type SandboxClient } from '../support/harness/shared-shop.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

/** The number of journal entries. It is below the limit of 1,000, so no entry is dropped. */
const MOST = 980;

/** A body of about 4 kB, which the journal does not truncate. */
const BODY = { productId: 'x'.repeat(4_000), quantity: 1 };

/** Creates a journal of more than 5 MB of JSON in the default sandbox. */
async function createLongJournal(): Promise<SandboxClient & { readonly port: number }> {
  const shop = await startStorefront();
  const sandbox = getSandboxClient(shop, 'default');
  const browser = {
    'User-Agent': 'Mozilla/5.0 '.repeat(20),
    'Accept-Language': 'en-GB,en;q=0.9',
    'X-Trace': 't'.repeat(500),
  };
  for (let n = 0; n < MOST; n += 20) {
    await Promise.all(Array.from({ length: 20 }, () => sandbox.ask('POST', '/api/cart-items', BODY, browser)));
  }
  return { ...sandbox, port: shop.port };
}

it('a client that follows a long journal gets its entries from the first one on, and then each new request once', async () => {
  const here = await createLongJournal();
  const stream = await followEvents(here, '/default/requests?after=0');
  const [first] = await stream.next();
  await here.ask('GET', '/api/orders');
  const ids = [first, ...(await stream.next(MOST))].map((event) => Number(event?.id));
  expect(ids).toEqual(Array.from({ length: MOST + 1 }, (_, index) => index + 1));
});

it('a client that follows a long journal without reading gets none of the entries that are dropped meanwhile', async () => {
  const here = await createLongJournal();
  const connection = connectRaw(here.port);
  connection.write(
    'GET /_control/sandboxes/default/requests?after=0 HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n',
  );
  await connection.until(/\nid: 1\n/);
  connection.socket.pause();
  await here.sendControl('DELETE', '/requests');
  await here.ask('GET', '/api/orders');
  connection.socket.resume();
  await connection.until(new RegExp(`\nid: ${MOST + 1}\n`));
  connection.socket.destroy();
  expect(connection.received()).not.toContain(`\nid: ${MOST}\n`);
});
