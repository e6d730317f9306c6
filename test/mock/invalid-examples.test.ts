import { expect, it, vi } from 'vitest';
import type { Options } from '../../src/index.ts';
import type { Schema } from '../support/fixtures/api-document.ts';
import { type Api, writeApi } from '../support/harness/start-api.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const PICKUP = {
  type: 'object',
  required: ['depot', 'at'],
  properties: { depot: { type: 'integer' }, at: { type: 'string', format: 'date-time' } },
};

/** Starts a server for an API. The server does not replace responses that violate the contract. */
async function start(api: Api, options: Options = {}) {
  return startStorefront({ verify: 'log', ...options, contract: await writeApi(api) });
}

/** Returns the operation `GET` with a JSON response. `media`: the schema and the examples. */
function createGet({ schema, ...media }: { schema: Schema; example?: unknown; examples?: Record<string, unknown> }) {
  return { get: { response: schema, ...media } };
}

const parameters = { id: { type: 'integer' } };

it('an example that violates its schema is sent as it is written, by its name and without it', async () => {
  const examples = {
    plain: { depot: 12, at: '2024-05-01 10:00' },
    iso: { depot: 13, at: '2024-05-01T10:00:00Z' },
  };
  const { ask } = await start({ paths: { '/pickup': createGet({ schema: PICKUP, examples }) } });
  expect((await ask('GET', '/pickup')).body).toEqual(examples.plain);
  expect((await ask('GET', '/pickup', undefined, { Prefer: 'example=plain' })).body).toEqual(examples.plain);
  expect((await ask('GET', '/pickup', undefined, { Prefer: 'example=iso' })).body).toEqual(examples.iso);
});

it('an invalid example gets the id of the request path', async () => {
  const schema = { ...PICKUP, properties: { ...PICKUP.properties, id: { type: 'integer' } } };
  const media = { schema, example: { id: 1, at: 'noon' } };
  const { ask } = await start({ paths: { '/pickups/{id}': { ...createGet(media), parameters } } }, { mock: true });
  expect((await ask('GET', '/pickups/42')).body).toEqual({ id: 42, at: 'noon' });
});

it('an example is sent if no value can be valid', async () => {
  const schema = { type: 'string', minLength: 5, maxLength: 2, example: 'abc' };
  const whole = { schema: { type: 'object', required: ['code'], properties: { code: schema } } };
  const { ask } = await start({
    paths: {
      '/media': createGet({ schema: { ...schema, example: 'unused' }, example: 'abcd' }),
      '/schema': createGet({ schema }),
      '/property': createGet(whole),
    },
  });
  expect((await ask('GET', '/media')).body).toBe('abcd');
  expect((await ask('GET', '/schema')).body).toBe('abc');
  expect((await ask('GET', '/property')).body).toEqual({ code: 'abc' });
});

it('an example of a property, of an entry or of an alternative stays in a generated response', async () => {
  const mail = { type: 'string', format: 'email', example: 'ann@localhost' };
  const contact = { type: 'object', required: ['mail', 'since'], properties: { mail, since: { type: 'string' } } };
  const company = {
    type: 'object',
    required: ['vat'],
    properties: { vat: { type: 'string', pattern: '^[A-Z]+$', example: '12' } },
  };
  const { ask } = await start({
    schemas: { Mail: mail, Contact: contact, Company: company },
    paths: {
      '/contact': createGet({ schema: { $ref: '#/components/schemas/Contact' } }),
      '/mails': createGet({ schema: { type: 'array', items: { $ref: '#/components/schemas/Mail' } } }),
      '/party': createGet({
        schema: {
          oneOf: [
            { $ref: '#/components/schemas/Company' },
            { type: 'object', required: ['a'], properties: { a: { enum: [1] } } },
          ],
        },
      }),
    },
  });
  expect((await ask('GET', '/contact')).body).toMatchObject({ mail: 'ann@localhost', since: expect.any(String) });
  expect((await ask('GET', '/mails')).body).toEqual(['ann@localhost']);
  expect([{ vat: '12' }, { a: 1 }]).toContainEqual((await ask('GET', '/party')).body);
});

it('an example can be null', async () => {
  const seat = { type: ['object', 'null'], properties: { seat: { type: 'integer' } } };
  const guest = {
    type: 'object',
    required: ['left', 'name'],
    properties: { left: { type: ['string', 'null'], example: null }, name: { type: 'string', example: null } },
  };
  const { ask } = await start({
    paths: {
      '/one': createGet({ schema: seat, example: null }),
      '/named': createGet({ schema: seat, examples: { none: null } }),
      '/schema': createGet({ schema: { ...seat, example: null } }),
      '/guest': createGet({ schema: guest }),
      '/list': createGet({
        schema: { type: 'array', items: { type: ['string', 'null'], example: null } },
      }),
    },
  });
  expect((await ask('GET', '/one')).text).toBe('null');
  expect((await ask('GET', '/named', undefined, { Prefer: 'example=none' })).text).toBe('null');
  expect((await ask('GET', '/schema')).text).toBe('null');
  expect((await ask('GET', '/guest')).body).toEqual({ left: null, name: null });
  expect((await ask('GET', '/list')).body).toEqual([null]);
});

it('the example of a schema is sent without writeOnly properties', async () => {
  const user = {
    type: 'object',
    properties: { name: { type: 'string' }, password: { type: 'string', writeOnly: true } },
  };
  const { ask } = await start({
    paths: { '/user': createGet({ schema: { ...user, example: { name: 'Ann', password: 'pass' } } }) },
  });
  expect((await ask('GET', '/user')).body).toEqual({ name: 'Ann' });
});

it('an entry of the default data keeps the invalid properties of its example', async () => {
  const contact = {
    type: 'object',
    properties: {
      id: { type: 'integer' },
      mail: { type: 'string', format: 'email' },
      since: { type: 'string', format: 'date-time' },
    },
  };
  const example = [{ id: 1, mail: 'ann@localhost', since: '2024-05-01' }];
  const list = createGet({ schema: { type: 'array', items: contact }, example });
  const read = { ...createGet({ schema: contact }), parameters };
  const { ask, log } = await start({ paths: { '/contacts': list, '/contacts/{id}': read } });
  expect((await ask('GET', '/contacts')).body).toEqual(example);
  expect((await ask('GET', '/contacts/1')).body).toEqual(example[0]);
  expect(log.filter(({ msg }) => msg === 'response violates the contract')).toEqual([]);
});

it('each invalid example is reported once at the start, at most ten with their places', async () => {
  const count = 14;
  const paths = Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `/n${index}`,
      createGet({ schema: { type: 'integer' }, example: 'x' }),
    ]),
  );
  const { log, ask } = await start({ paths });
  const getWarnings = () => log.filter(({ level }) => level === 40).map(({ msg }) => msg);
  await vi.waitFor(() => expect(getWarnings()).toHaveLength(11), { timeout: 30_000 });
  expect(getWarnings()[0]).toMatch(
    /openapi\.json:\d+:\d+ #\/paths\/~1n0\/get\/responses\/200\/content\/application~1json\/example is "x": use an integer\. The server uses the example as it is written$/,
  );
  expect(getWarnings()[10]).toBe('4 more examples violate their schemas');
  await ask('GET', '/n0');
  expect(getWarnings()).toHaveLength(11);
});

it('with strict verification, an invalid example is an error that names the example', async () => {
  const media = { schema: PICKUP, example: { depot: 12, at: 'noon' } };
  const api = { paths: { '/pickup': createGet(media) } };
  const { ask } = await start(api, { verify: 'strict', errorsExpected: true } as Options);
  const { status, body } = await ask('GET', '/pickup');
  expect(status).toBe(500);
  expect(body.detail).toMatch(
    /body\/at must match format "date-time", as in the example at .*openapi\.json:\d+:\d+ #.*\/example: correct the example/,
  );
});
