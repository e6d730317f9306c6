import { expect, it } from 'vitest';
import { ITEM } from '../support/fixtures/cart-item.ts';
import { getCoverage, getPoint, getTotal } from '../support/harness/coverage.ts';
import { startServers } from '../support/postgres/servers.ts';

it('the coverage has the requests to all servers, and a reset clears it on all', async () => {
  const [one, other] = await startServers(2);
  await Promise.all(
    [one, other].flatMap(({ ask }) =>
      ['w1', 'w2'].flatMap((sandbox) => [
        ask('GET', `/_sandbox/${sandbox}/api/products?search=socks`),
        ask('POST', `/_sandbox/${sandbox}/api/cart-items`, ITEM),
        ask('GET', `/_sandbox/${sandbox}/api/orders`, undefined, { Prefer: 'code=500' }),
        ask('POST', `/_sandbox/${sandbox}/api/cart-items`, {}),
      ]),
    ),
  );
  for (const server of [one, other, one]) {
    const report = await getCoverage(server);
    expect(getPoint(report, 'listProducts', 'status', '200')).toMatchObject({ count: 4, forced: 0 });
    expect(getPoint(report, 'addCartItem', 'property', 'body /quantity').count).toBe(4);
    expect(report.operations.find(({ operationId }) => operationId === 'addCartItem')).toMatchObject({
      requests: 8,
      refused: 4,
    });
    expect(getTotal(report, 'operation')).toMatchObject({ touched: 3, onlyForced: 1 });
  }
  await one.ask('GET', '/api/products');
  expect((await other.ask('DELETE', '/_control/coverage')).status).toBe(204);
  expect(getTotal(await getCoverage(one), 'status').touched).toBe(0);
  await one.ask('GET', '/api/products');
  expect(getPoint(await getCoverage(other), 'listProducts', 'status', '200').count).toBe(1);
});
