import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { defaults } from '../support/fixtures/default-data.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import {
  contractText,
  replaceInContract,
  startWithContractFile,
  waitForLog,
  withReviews,
} from '../support/harness/live-contract.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

describe('an invalid contract that is saved while the shop runs', () => {
  it.each([
    ['no YAML', replaceInContract('paths:\n', 'paths:\n }\n'), /openapi\.yaml:\d+:\d+ is not valid YAML: /],
    [
      'a reference to a missing schema',
      replaceInContract('"#/components/schemas/CartItem" }', '"#/components/schemas/Item" }'),
      /openapi\.yaml:\d+:\d+ #\/paths\/~1api~1cart-items\/get\/.*\$ref refers to "#\/components\/schemas\/Item", which does not exist/,
    ],
    [
      'an operation without responses',
      replaceInContract('      responses:\n', '      answers:\n'),
      /:\d+:\d+ #\/paths\/~1api~1products\/get documents no response/,
    ],
    ['no OpenAPI', 'swagger: "1.2"\n', /is not an OpenAPI 3\.0, 3\.1 or 3\.2 document/],
    [
      'a type that contradicts the data',
      replaceInContract(
        '          description: The display name\n          type: string\n          minLength: 1',
        '          type: integer',
      ),
      /does not accept the current data: \/products\/0\/name /,
    ],
    ['an empty entry in a list', replaceInContract('required: [id, image', 'required: [null, id, image'), undefined],
    [
      'an empty reference',
      replaceInContract('{ $ref: "#/components/schemas/CartItem" }', '{ $ref: }'),
      /:\d+:\d+ #.*\$ref is not a reference/,
    ],
    [
      'a parameter without a schema',
      replaceInContract('          schema: { type: string }\n', '          schema:\n'),
      /:\d+:\d+ #\/paths\/~1api~1products\/get\/parameters\/0 has no schema/,
    ],
    [
      'a parameter with an unknown location',
      replaceInContract('          in: query\n', '          in: pat\n'),
      /has the invalid location "pat": use one of path, query, header, cookie/,
    ],
    [
      'an invalid status',
      replaceInContract('        "200":\n', '        "20":\n'),
      /:\d+:\d+ #.*\/responses\/20 is not a status/,
    ],
    [
      'a type that differs from that of the shop',
      replaceInContract(
        '        totalItems:\n          description: The sum of the quantities of all items\n          type: integer\n          minimum: 0',
        '        totalItems:\n          type: string',
      ),
      /:\d+:\d+ #\/components\/schemas\/PaymentSummary\/properties\/totalItems has a different type in the responses of the application/,
    ],
  ])('is rejected with its position, and the previous one stays in use: %s', async (_what, text, message) => {
    const { shop, save } = await startWithContractFile();
    await save(text);
    if (message) expect(await waitForLog(shop, 'The previous contract stays in use', 40)).toMatch(message);
    else await waitForLog(shop, 'openapi.yaml', 40);
    expect((await shop.ask('GET', '/api/products')).body).toEqual(defaults.products);
    if (message) expect((await shop.ask('GET', '/openapi.yaml')).text).toBe(contractText);
    await save(withReviews);
    await waitForLog(shop, 'was reloaded');
  });
});

describe('a contract with errors that do not matter', () => {
  it('is served with a warning and its position, at the start and after each save', async () => {
    const sloppy = replaceInContract(
      '          type: string\n          format: uri-reference',
      '          type: strng\n          format: uri-reference',
    );
    const { shop, save } = await startWithContractFile({}, sloppy);
    expect(await waitForLog(shop, 'is ignored because', 40)).toMatch(
      /openapi\.yaml:\d+:\d+ #\/components\/schemas\/Product\/properties\/image\/type is ignored because/,
    );
    await save(contractText);
    await waitForLog(shop, 'was reloaded');
    await save(sloppy);
    await vi.waitFor(() => expect(shop.log.filter(({ msg }) => msg?.includes('is ignored because'))).toHaveLength(2), {
      timeout: 60_000,
    });
  });

  it('is reloaded even if it was saved while the shop started', async () => {
    const folder = await folderWith({ 'openapi.yaml': contractText, 'saved.yaml': withReviews });
    const path = join(folder, 'openapi.yaml');
    const starting = startStorefront({ contract: path });
    await rename(join(folder, 'saved.yaml'), path);
    const shop = await starting;
    await vi.waitFor(async () => expect((await shop.ask('GET', '/api/reviews')).status).toBe(200), { timeout: 60_000 });
  });
});
