import { describe, expect, it, vi } from 'vitest';
import { createLogger } from '../../src/server/logger.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { sendRaw, sendRawRequest } from '../support/harness/raw-client.ts';
import { type LogLine, startStorefront, type TestShop } from '../support/harness/start-storefront.ts';

const HOST = 'Host: localhost\r\n';

/** Returns the lines of the log after the two lines of the start. */
function requests({ log }: TestShop): readonly LogLine[] {
  return log.slice(2);
}

describe('the log', () => {
  it('starts with the address, the data file, the number of operations, and the first steps', async () => {
    const { log, url, dataFile } = await startStorefront();
    expect(log).toMatchObject([
      { level: 30, url, dataFile, operations: 11, msg: expect.stringContaining(url) },
      {
        level: 30,
        msg: `Open ${url} in a browser to see the requests, the data and the contract. Restore the default data with: npx storefront reset --url ${url}`,
      },
    ]);
  });

  it('has one line for each request with any kind of response', async () => {
    const shop = await startStorefront();
    const answered: readonly [string, string, number, string | undefined][] = [
      ['GET', '/api/products?search=socks', 200, 'listProducts'],
      ['GET', '/api/products?search=socks', 200, 'listProducts'],
      ['POST', '/api/orders', 201, 'createOrder'],
      ['POST', '/api/orders', 409, 'createOrder'],
      ['HEAD', '/api/orders', 200, 'listOrders'],
      ['PATCH', '/api/orders', 405, undefined],
      ['OPTIONS', '/api/orders', 204, undefined],
      ['GET', '/api/nothing', 404, undefined],
      ['GET', '/', 200, undefined],
      ['GET', '/images/nothing.png', 404, undefined],
    ];
    for (const [method, path] of answered) await shop.ask(method, path);
    await vi.waitFor(() => expect(requests(shop)).toHaveLength(answered.length), { timeout: 60_000 });
    expect(requests(shop)).toEqual(
      answered.map(([method, path, status, operation]) =>
        expect.objectContaining({
          level: 30,
          time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
          method,
          path,
          status,
          ms: expect.any(Number),
          ...(operation === undefined ? {} : { operation }),
        }),
      ),
    );
    expect(requests(shop).map(({ operation }) => operation)).toEqual(answered.map((one) => one[3]));
  });

  it('says what determined the response', async () => {
    const shop = await startStorefront({ mock: ['listOrders'], handlers: { resetData: () => ({}) } });
    await shop.ask('GET', '/api/products');
    await shop.ask('GET', '/api/products');
    await shop.ask('GET', '/api/orders');
    await shop.ask('POST', '/api/reset');
    await shop.ask('POST', '/api/cart-items', {});
    await vi.waitFor(() => expect(requests(shop)).toHaveLength(5), { timeout: 60_000 });
    expect(requests(shop).map(({ decision }) => decision)).toEqual([
      'real',
      'real: cached',
      expect.stringMatching(/^mocked/),
      'your handler',
      'refused',
    ]);
  });

  it('has no line at level info for a served image, and one for each other request for an image', async () => {
    const shop = await startStorefront();
    const { body: products } = await shop.ask('GET', '/api/products');
    for (const { image } of products.slice(0, 3)) {
      expect((await shop.ask('GET', `/${image}`)).status).toBe(200);
      expect((await shop.ask('GET', `/_sandbox/w1/${image}?v=1`)).status).toBe(200);
    }
    await shop.ask('GET', '/images/nothing.png');
    await shop.ask('POST', '/images/logo.png');
    await shop.ask('GET', '/imagesque');
    await vi.waitFor(() => expect(requests(shop).at(-1)?.path).toBe('/imagesque'), { timeout: 60_000 });
    const logged = requests(shop).filter(({ method }) => method !== undefined);
    expect(logged.map(({ method, path, status }) => [method, path, status])).toEqual([
      ['GET', '/api/products', 200],
      ['GET', '/images/nothing.png', 404],
      ['POST', '/images/logo.png', 405],
      ['GET', '/imagesque', 404],
    ]);
  });

  it('has no line at level info for what the console and the API reference load and read, and one for what they change', async () => {
    const shop = await startStorefront();
    const ofPage = { 'sec-fetch-site': 'same-origin' };
    await shop.ask('GET', '/_console/');
    await shop.ask('GET', '/_docs');
    await shop.ask('GET', '/_docs/openapi.json');
    for (const path of ['/_control/server', '/_control/sandboxes/default/requests'])
      expect((await shop.ask('GET', path, undefined, ofPage)).status).toBe(200);
    await shop.ask('GET', '/_control/sandboxes');
    await shop.ask('GET', '/_control/sandboxes/nothing', undefined, ofPage);
    await shop.ask('POST', '/_control/sandboxes/default/reset', undefined, ofPage);
    await vi.waitFor(() => expect(requests(shop)).toHaveLength(3), { timeout: 60_000 });
    expect(requests(shop).map(({ method, path, status }) => [method, path, status])).toEqual([
      ['GET', '/_control/sandboxes', 200],
      ['GET', '/_control/sandboxes/nothing', 404],
      ['POST', '/_control/sandboxes/default/reset', 204],
    ]);
  });

  it('names the address of the console if the contract or a front end has the path /', async () => {
    const shop = await startStorefront({ static: await folderWith({ 'index.html': 'front end' }) });
    expect(shop.log.map(({ msg }) => msg)).toContainEqual(
      expect.stringContaining(`Open ${shop.url}/_console/ in a browser`),
    );
  });

  it.each([
    [{ control: false }, false],
    [{ host: '0.0.0.0' }, false],
    [{ allowHost: ['shop.example.com'] }, false],
    [{ host: '0.0.0.0', controlToken: 's3cret' }, true],
    [{ allowHost: ['shop.example.com'], controlToken: 's3cret' }, true],
  ])('names the console only if it can show data: with %j, %j', async (options, isNamed) => {
    const shop = await startStorefront(options);
    const line = `in a browser to see ${isNamed ? 'the requests, the data and the contract.' : 'the contract.'}`;
    expect(shop.log[1]?.msg).toMatch(new RegExp(`^Open http://\\S+${isNamed ? '' : '/_docs'} ${line}$`));
  });

  it('contains the detail of the problem document of a rejected request', async () => {
    const shop = await startStorefront();
    const { body } = await shop.ask('POST', '/api/cart-items', { quantity: 11 });
    expect(requests(shop)).toMatchObject([{ status: 400, notes: [body.detail] }]);
  });

  it('has no message for a request without a note', async () => {
    const shop = await startStorefront();
    await shop.ask('GET', '/api/products');
    expect(requests(shop)[0]).not.toHaveProperty('notes');
  });

  const TOO_LATE = 'Content-Type: application/json\r\nContent-Length: 9\r\n\r\n';
  it.each<[string, Readonly<Record<string, number>>]>([
    [
      'invalid, too large or late headers',
      {
        'GARBAGE\r\n\r\n': 400,
        [`GET / HTTP/1.1\r\n${HOST}X: ${'x'.repeat(70_000)}\r\n\r\n`]: 431,
        [`GET / HTTP/1.1\r\n${HOST}X-`]: 408,
        [`CONNECT other.test:443 HTTP/1.1\r\n${HOST}\r\n`]: 405,
      },
    ],
    ['a late body', { [`PUT /api/cart-items/x HTTP/1.1\r\n${HOST}${TOO_LATE}`]: 408 }],
    ['an unsupported expectation', { [`GET / HTTP/1.1\r\n${HOST}Expect: a miracle\r\n\r\n`]: 417 }],
  ])('has one line for a request that is incomplete or does not reach the app: %s', async (_, refused) => {
    const shop = await startStorefront({ requestTimeoutMs: 100 });
    for (const [bytes, status] of Object.entries(refused))
      expect((await sendRaw(shop.port, bytes))[0]?.status).toBe(status);
    await shop.ask('GET', '/api/orders');
    const lines = requests(shop).filter(({ path }) => path !== '/api/orders');
    expect(lines.map(({ status, path }) => [status, typeof path])).toEqual(
      Object.values(refused).map((status) => [status, 'string']),
    );
  });

  it('has no output if it is off', async () => {
    const shop = await startStorefront({ log: 'off' });
    await shop.ask('GET', '/api/products');
    expect(shop.log).toEqual([]);
  });
});

describe('the pretty log', () => {
  /** Returns the lines of a pretty log, without color codes. */
  async function prettyLines(use: (shop: TestShop) => Promise<unknown>): Promise<readonly string[]> {
    const lines: string[] = [];
    const shop = await startStorefront({
      log: 'pretty',
      logTo: { write: (text) => void lines.push(...text.split('\n').slice(0, -1)) },
    });
    await use(shop);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: color codes start with a control character.
    return lines.slice(2).map((line) => line.replaceAll(/\x1b\[\d+m/g, ''));
  }

  it('has one readable line for a request', async () => {
    const lines = await prettyLines(({ ask }) => ask('GET', '/api/products?search=socks'));
    expect(lines).toEqual([
      expect.stringMatching(/^\d\d:\d\d:\d\d GET +200 \/api\/products\?search=socks listProducts real [\d.]+ ms$/),
    ]);
  });

  it('has the message of a request on the next line', async () => {
    const lines = await prettyLines(({ ask }) => ask('GET', '/api/products?serch=socks'));
    expect(lines).toHaveLength(2);
    expect(lines[1]).toMatch(/^ +.*did you mean "search"\?$/);
  });

  it('escapes control characters in requests', async () => {
    const forged = '%0A12%3A00%3A00%20GET%20%20%20%20200%20%2Fapi%2Fforged%1B%5B2J';
    const lines = await prettyLines(({ port }) => sendRawRequest(port, `GET /api/products?${forged}=1`));
    expect(lines.join('\n')).not.toMatch(/^12:00:00/m);
    expect(lines.join('\n')).not.toContain('\x1b');
  });

  it.each([
    [true, '\x1b[31mthe disk is full\x1b[0m\n'],
    [undefined, ' the disk is full\n'],
  ])('is colored only if its stream supports colors: %s', (hasColors, end) => {
    let text = '';
    const write = (line: string) => {
      text += line;
    };
    createLogger('pretty', { write, hasColors }).error({}, 'the disk is full');
    expect(text.endsWith(end)).toBe(true);
    expect(text.includes('\x1b')).toBe(hasColors === true);
  });

  it('shows the stack of an unexpected error', () => {
    let text = '';
    const write = (line: string) => {
      text += line;
    };
    const log = createLogger('pretty', { write });
    log.error({ err: new Error('the disk is on fire'), method: 'GET', path: '/x' });
    expect(text).toMatch(/Error: the disk is on fire\n +at /);
  });
});
