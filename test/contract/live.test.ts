import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { defaults, defaultText, projectFile } from '../support/default-data.ts';
import { folderWith } from '../support/folder-with.ts';
import { startStorefront, type TestShop } from '../support/start-storefront.ts';

const contractText = await readFile(projectFile('openapi.yaml'), 'utf8');

const REVIEWS = `  /api/reviews:
    get:
      operationId: listReviews
      responses:
        "200":
          description: The reviews
          content:
            application/json:
              schema: { type: array, items: { type: string }, minItems: 1 }
  /api/cart-items:
`;

/** A shop whose contract can be saved anew. */
async function startLive(options: Parameters<typeof startStorefront>[0] = {}, text = contractText) {
  const folder = await folderWith({ 'openapi.yaml': text });
  const path = join(folder, 'openapi.yaml');
  const shop = await startStorefront({ contract: path, ...options });
  return { shop, path, save: (next: string) => writeFile(path, next) };
}

function replaced(from: string, to: string, text = contractText): string {
  if (!text.includes(from)) throw new Error(`openapi.yaml has no ${from}`);
  return text.replace(from, to);
}

/** openapi.yaml with properties that products gain, a line of YAML each. */
function withProductFields(...fields: readonly string[]): string {
  const lines = fields.map((field) => `        ${field}\n`).join('');
  return replaced('keywords]\n      properties:\n', `keywords]\n      properties:\n${lines}`);
}

const withReviews = replaced('  /api/cart-items:\n', REVIEWS);

async function toldOf(shop: TestShop, part: string, level = 30) {
  return vi.waitFor(
    () => {
      const line = shop.log.find((one) => one.level === level && one.msg?.includes(part));
      if (!line) throw new Error(`the log doesn't tell of ${part}`);
      return line.msg ?? '';
    },
    { timeout: 10_000, interval: 20 },
  );
}

describe('a contract that is saved while the shop runs', () => {
  it('brings its new operations, mocked, and leaves the state as it is', async () => {
    const { shop, save } = await startLive();
    await shop.ask('POST', '/api/orders');
    expect((await shop.ask('GET', '/api/reviews')).status).toBe(404);
    await save(withReviews);
    expect(await toldOf(shop, 'was read anew')).toContain('new operations: listReviews (mocked)');
    const { status, headers, body } = await shop.ask('GET', '/api/reviews');
    expect([status, headers.get('x-mocked'), typeof body[0]]).toEqual([200, 'operation', 'string']);
    expect((await shop.ask('GET', '/api/orders')).body).toHaveLength(defaults.orders.length + 1);
    expect((await shop.ask('GET', '/openapi.yaml')).text).toBe(withReviews);
    await save(contractText);
    await toldOf(shop, 'operations that are gone: listReviews');
    expect((await shop.ask('GET', '/api/reviews')).status).toBe(404);
  });

  it('leaves requests that have begun to the contract that they began under', async () => {
    const { shop, save } = await startLive({}, withReviews);
    const slow = shop.ask('GET', '/api/reviews', undefined, { Prefer: 'delay=1500' });
    await new Promise((done) => setTimeout(done, 100));
    await save(contractText);
    await toldOf(shop, 'operations that are gone');
    expect((await slow).status).toBe(200);
  });

  it('is waited for where an editor takes it away first', async () => {
    const { shop, path, save } = await startLive();
    await rm(path);
    await new Promise((done) => setTimeout(done, 500));
    expect((await shop.ask('GET', '/api/products')).status).toBe(200);
    await save(withReviews);
    await toldOf(shop, 'listReviews');
  });

  it.each([
    ['no YAML', replaced('paths:\n', 'paths:\n }\n'), /openapi\.yaml:\d+:\d+ is not YAML: /],
    [
      'a reference that leads nowhere',
      replaced('"#/components/schemas/CartItem" }', '"#/components/schemas/Item" }'),
      /openapi\.yaml:\d+:\d+ #\/paths\/~1api~1cart-items\/get\/.*\$ref refers to "#\/components\/schemas\/Item", which is not there/,
    ],
    [
      'an operation without responses',
      replaced('      responses:\n', '      answers:\n'),
      /:\d+:\d+ #\/paths\/~1api~1products\/get documents no response/,
    ],
    ['no OpenAPI', 'swagger: "2.0"\n', /is not an OpenAPI document of version 3\.0 or 3\.1/],
    [
      'another type of a field',
      replaced(
        '          description: Its name, as shown to people\n          type: string\n          minLength: 1',
        '          type: integer',
      ),
      /contradicts the data: \/products\/0\/name /,
    ],
    [
      'an entry of a list that is still to be written',
      replaced('required: [id, image', 'required: [null, id, image'),
      undefined,
    ],
    [
      'a reference that is still to be written',
      replaced('{ $ref: "#/components/schemas/CartItem" }', '{ $ref: }'),
      /:\d+:\d+ #.*\$ref is no reference/,
    ],
    [
      'a parameter without a schema',
      replaced('          schema: { type: string }\n', '          schema:\n'),
      /:\d+:\d+ #\/paths\/~1api~1products\/get\/parameters\/0 has no schema/,
    ],
    [
      'a parameter that is nowhere',
      replaced('          in: query\n', '          in: pat\n'),
      /is in "pat": a parameter is in path, query, header, cookie/,
    ],
    [
      'a status that is none',
      replaced('        "200":\n', '        "20":\n'),
      /:\d+:\d+ #.*\/responses\/20 is no status/,
    ],
    [
      'a type that the shop does not give',
      replaced(
        '        totalItems:\n          description: The sum of the quantities\n          type: integer\n          minimum: 0',
        '        totalItems:\n          type: string',
      ),
      /:\d+:\d+ #\/components\/schemas\/PaymentSummary\/properties\/totalItems is of another type than the shop gives it/,
    ],
  ])('is refused with its place where it is or has %s, and the one before is served on', async (_what, text, said) => {
    const { shop, save } = await startLive();
    await save(text);
    if (said) expect(await toldOf(shop, 'The contract from before is served on', 40)).toMatch(said);
    else await toldOf(shop, 'openapi.yaml', 40);
    expect((await shop.ask('GET', '/api/products')).body).toEqual(defaults.products);
    if (said) expect((await shop.ask('GET', '/openapi.yaml')).text).toBe(contractText);
    await save(withReviews);
    await toldOf(shop, 'was read anew');
  });
});

describe('a contract that is written wrongly in places that matter little', () => {
  it('is served, and what it lets through is told with its place, at the start and after each save', async () => {
    const sloppy = replaced(
      '          type: string\n          format: uri-reference',
      '          type: strng\n          format: uri-reference',
    );
    const { shop, save } = await startLive({}, sloppy);
    expect(await toldOf(shop, 'says nothing', 40)).toMatch(
      /openapi\.yaml:\d+:\d+ #\/components\/schemas\/Product\/properties\/image\/type says nothing/,
    );
    await save(contractText);
    await toldOf(shop, 'was read anew');
    await save(sloppy);
    await vi.waitFor(() => expect(shop.log.filter(({ msg }) => msg?.includes('says nothing'))).toHaveLength(2), {
      timeout: 10_000,
    });
  });

  it('is the one of the file even where it was saved while the shop started', async () => {
    const folder = await folderWith({ 'openapi.yaml': contractText, 'saved.yaml': withReviews });
    const path = join(folder, 'openapi.yaml');
    const starting = startStorefront({ contract: path });
    await rename(join(folder, 'saved.yaml'), path);
    const shop = await starting;
    await vi.waitFor(async () => expect((await shop.ask('GET', '/api/reviews')).status).toBe(200), { timeout: 10_000 });
  });
});

describe('a field that the contract has gained', () => {
  const gained = withProductFields(
    'weightGrams: { type: integer, minimum: 50, maximum: 5000 }',
    'isNew: { type: boolean, default: false }',
  ).replace('keywords]', 'keywords, weightGrams]');

  it('is made up for each entry, the same each time and wherever it stands, and never written', async () => {
    const { shop, save } = await startLive();
    await save(gained);
    expect(await toldOf(shop, 'was read anew')).toContain('made up where the data lacks them: weightGrams, isNew');
    const { body, headers } = await shop.ask('GET', '/api/products');
    expect(headers.get('x-mocked')).toBe('/*/weightGrams, /*/isNew');
    const weights = body.map((product: { weightGrams: number }) => product.weightGrams);
    expect(weights.every((weight: number) => Number.isInteger(weight) && weight >= 50 && weight <= 5000)).toBe(true);
    expect(new Set(weights).size).toBeGreaterThan(10);
    expect(body.every((product: { isNew: boolean }) => product.isNew === false)).toBe(true);
    const items = await shop.ask('GET', '/api/cart-items?expand=product');
    expect(items.headers.get('x-mocked')).toBe('/*/product/weightGrams, /*/product/isNew');
    for (const { product } of items.body) expect(body).toContainEqual(product);
    await shop.ask('POST', '/api/orders');
    expect(await readFile(shop.dataFile ?? '', 'utf8')).not.toContain('weightGrams');
    const again = await startLive({}, gained);
    expect((await again.shop.ask('GET', '/api/products')).body).toEqual(body);
  });

  it('is named in the header whatever it is called', async () => {
    const { shop } = await startLive({}, withProductFields('größe: { type: integer }', '価格: { type: integer }'));
    const { status, headers } = await shop.ask('GET', '/api/products');
    expect([status, headers.get('x-mocked')]).toEqual([
      200,
      ['größe', '価格'].map((name) => encodeURI(`/*/${name}`)).join(', '),
    ]);
  });

  it('is the one of the data where it has one', async () => {
    const { shop, save } = await startLive();
    const edited = defaultText.replace('"priceCents"', '"weightGrams": 77,\n      "priceCents"');
    await writeFile(shop.dataFile ?? '', edited);
    await toldOf(shop, 'weightGrams is not known here', 40);
    await save(gained);
    await vi.waitFor(
      async () => {
        const { body } = await shop.ask('GET', '/api/products');
        expect(body[0].weightGrams).toBe(77);
      },
      { timeout: 10_000 },
    );
    expect((await shop.ask('GET', '/api/products')).headers.get('x-mocked')).toBe('/*/weightGrams, /*/isNew');
  });

  it('stops a start where the data has it otherwise', async () => {
    const edited = defaultText.replace('"priceCents"', '"weightGrams": "light",\n      "priceCents"');
    const folder = await folderWith({ 'openapi.yaml': gained, 'default.json': edited });
    const options = { contract: join(folder, 'openapi.yaml'), defaultData: join(folder, 'default.json') };
    await expect(startStorefront(options)).rejects.toThrow(
      '/products/0/weightGrams is "light": use a whole number from 50 to 5000',
    );
  });

  it('is not served any more once the contract has lost it, and stays in the data', async () => {
    const { shop, save } = await startLive();
    await save(
      replaced(
        "        image:\n          description: Where its picture is, relative to the server's root, without a leading slash\n          type: string\n          format: uri-reference\n          minLength: 1\n",
        '',
      )
        .replace('[id, image, name', '[id, name')
        .replaceAll(/^ +image: .*\n/gm, ''),
    );
    expect(await toldOf(shop, 'was read anew')).toContain('not served any more: image');
    expect((await shop.ask('GET', '/api/products')).body).toEqual(
      defaults.products.map(({ image: _, ...rest }) => rest),
    );
    await shop.ask('POST', '/api/orders');
    expect(await readFile(shop.dataFile ?? '', 'utf8')).toContain('"image"');
  });
});
