import { describe, expect, it } from 'vitest';
import { createMock } from '../../src/mock/mock.ts';
import { loadContract } from '../../src/openapi/contract.ts';
import type { ContractOptions } from '../../src/openapi/contract-documents.ts';
import { createOperation, writeDocument } from '../support/fixtures/other-document.ts';
import type { JsonSchema } from '../support/fixtures/schema-arbitraries.ts';

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const getList = (items: object) => ({ type: 'array', items });
const getTexts = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
const getTimes = (...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { type: 'string', format: 'date-time' }]));

/** Creates a function that returns the mock's response to a request. `responses`: the schemas of responses by path. */
async function createMockOf(
  responses: Readonly<Record<string, JsonSchema>>,
  schemas: Readonly<Record<string, JsonSchema>>,
) {
  const paths = Object.entries(responses).map(([path, schema]) => {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const parameters = names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
    return [path, { get: createOperation(undefined, schema, { parameters }) }];
  });
  const options: ContractOptions = {
    path: await writeDocument({ schemas, paths: Object.fromEntries(paths) }),
    strict: false,
  };
  const contract = await loadContract(options);
  const mock = createMock(contract);
  return (template: string, path = template, preferences = {}) => {
    const route = contract.routes.find((one) => one.path === template);
    if (!route) throw new Error(`no path ${template}`);
    const input = { path: route.pathParameters(path), query: {}, body: undefined };
    const { body } = mock.createResponse(route, input, preferences, '');
    expect(
      contract.verifyResponse(
        route,
        { status: 200, headers: { 'Content-Type': 'application/json' }, body },
        { closed: false },
      ),
    ).toEqual([]);
    // biome-ignore lint/suspicious/noExplicitAny: the body of any response
    return body as any;
  };
}

describe('the words of a generated value', () => {
  it.each<[string, string, RegExp]>([
    ['Artist', 'name', /^[A-Z][a-z]+ [A-Z][a-z]+$/],
    ['Company', 'name', /(Ltd|Inc\.|Group|Partners|Labs|& Sons)$/],
    ['Repository', 'name', /^[a-z]+-[a-z]+$/],
    ['City', 'name', /^[A-Z][a-z]+$/],
    ['Album', 'title', /^(Amber|Bright|Calm|Deep|Early|First|Golden|Hidden|Little|Northern|Quiet|Silver) /],
    ['Album', 'description', /^[A-Z].+ .+ .+\.$/],
    ['Album', 'email', /^[a-z.]+@example\.com$/],
    ['Album', 'coverImageUrl', /^data:image\/svg\+xml,%3Csvg/],
    ['Album', 'icon', /^https:\/\/example\.com\/images\//],
    ['Album', 'imageCount', /^[a-z]+ [a-z]+$/],
    ['Album', 'profilePic', /^data:image/],
    ['Album', 'subtopic', /^(?!data:)/],
    ['Album', 'catalogo', /^(?!data:)/],
    ['Album', 'website', /^https:\/\/example\.com\//],
    ['Album', 'currency', /^[A-Z]{3}$/],
    ['Album', 'countryCode', /^[A-Z]{2}$/],
    ['Album', 'locale', /^[a-z]{2}-[A-Z]{2}$/],
    ['Album', 'timeZone', /^[A-Z][a-z]+\/[A-Z][a-z]+$/],
    ['Album', 'phone', /^\+1 555 /],
    ['Album', 'createdAt', /^2024-/],
    ['Album', 'updatedAt', /^2025-/],
    ['Album', 'sha', /^[0-9a-f]{40}$/],
  ])('fit the schema %s and the property %s', async (schema, name, expected) => {
    const ask = await createMockOf(
      { '/it': reference(schema) },
      { [schema]: { type: 'object', required: [name], properties: getTexts(name) } },
    );
    for (let seed = 1; seed <= 20; seed++) expect(ask('/it', '/it', { dynamic: true, seed })[name]).toMatch(expected);
  });

  it.each([
    ['is short', { type: 'string', maxLength: 60 }],
    ['has a pattern', { type: 'string', format: 'uri', pattern: '^https://' }],
  ])('are no image in a URL if the text %s', async (_, avatar) => {
    const ask = await createMockOf({ '/it': { type: 'object', required: ['avatar'], properties: { avatar } } }, {});
    expect(ask('/it', '/it', { dynamic: true, seed: 1 }).avatar).toMatch(/^https:\/\/example\.com\/images\//);
  });

  it('put times in a likely order', async () => {
    const names = ['birthDate', 'createdAt', 'starts_at', 'validUntil'];
    const schema = { type: 'object', required: names, properties: getTimes(...names) };
    const ask = await createMockOf({ '/it': schema }, {});
    for (let seed = 1; seed <= 20; seed++) {
      const times: Record<string, string> = ask('/it', '/it', { dynamic: true, seed });
      expect(names.toSorted((a, b) => Date.parse(times[a] ?? '') - Date.parse(times[b] ?? ''))).toEqual(names);
    }
  });

  it.each([
    ['startsAt', 'endsAt'],
    ['date_from', 'date_to'],
    ['checkInDate', 'checkOutDate'],
    ['validFrom', 'validUntil'],
  ])('put the range from %s to %s in order', async (start, end) => {
    const schema = { type: 'object', required: [start, end], properties: getTimes(start, end) };
    const ask = await createMockOf({ '/it': schema }, {});
    for (let seed = 1; seed <= 20; seed++) {
      const times: Record<string, string> = ask('/it', '/it', { dynamic: true, seed });
      expect(Date.parse(times[start] ?? '')).toBeLessThanOrEqual(Date.parse(times[end] ?? ''));
    }
  });

  it('fit the path if the schema has no name', async () => {
    const inline = { type: 'object', required: ['name'], properties: getTexts('name') };
    const ask = await createMockOf({ '/companies': getList(inline) }, {});
    for (const { name } of ask('/companies')) expect(name).toMatch(/(Ltd|Inc\.|Group|Partners|Labs|& Sons)$/);
  });
});

describe('a generated list', () => {
  it('has entries, also deep in the response', async () => {
    let schema: JsonSchema = { type: 'string' };
    for (const name of ['d', 'c', 'b', 'a']) schema = { type: 'object', properties: { [name]: getList(schema) } };
    const ask = await createMockOf({ '/deep': schema }, {});
    expect(ask('/deep').a[0].b[0].c[0].d[0]).toEqual(expect.any(String));
  });

  it('has entries with different ids', async () => {
    const Pet = { type: 'object', properties: { id: { type: 'integer', minimum: 1, maximum: 3 } } };
    const ask = await createMockOf({ '/pets': { ...getList(reference('Pet')), minItems: 3 } }, { Pet });
    expect(
      ask('/pets')
        .map(({ id }: { id: number }) => id)
        .toSorted(),
    ).toEqual([1, 2, 3]);
  });

  it('uses the examples of its entries, but not for their ids', async () => {
    const Pet = {
      type: 'object',
      properties: { id: { type: 'integer', example: 10 }, name: { type: 'string', example: 'Rex' } },
    };
    const ask = await createMockOf({ '/pets': { ...getList(reference('Pet')), minItems: 2 } }, { Pet });
    const [first, second] = ask('/pets');
    expect([first, second.name]).toEqual([{ id: 10, name: 'Rex' }, 'Rex']);
    expect(second.id).not.toBe(10);
  });

  it('has the length that the numbers beside it say', async () => {
    const integer = { type: 'integer' };
    const properties = {
      items: getList({ type: 'string' }),
      total: integer,
      total_count: integer,
      page: integer,
      hasMore: { type: 'boolean' },
    };
    const ask = await createMockOf({ '/pets': { type: 'object', required: Object.keys(properties), properties } }, {});
    for (let seed = 1; seed <= 10; seed++) {
      const body = ask('/pets', '/pets', { dynamic: true, seed });
      const { length } = body.items;
      expect(body).toMatchObject({ total: length, total_count: length, page: 1, hasMore: false });
    }
  });

  it('of a tree ends after two levels', async () => {
    const Node = {
      type: 'object',
      required: ['name', 'children'],
      properties: { ...getTexts('name'), children: getList(reference('Node')) },
    };
    const ask = await createMockOf({ '/tree': reference('Node') }, { Node });
    const { children } = ask('/tree');
    expect(children[0]).toEqual({ name: expect.any(String), children: [] });
  });
});

describe('a generated response', () => {
  it('has at most 100 kB, also if each schema refers to many others', async () => {
    const names = Array.from({ length: 40 }, (_, index) => `S${index}`);
    const properties = Object.fromEntries(
      names.map((name, index) => [name, index % 2 ? reference(name) : getList(reference(name))]),
    );
    const schemas = Object.fromEntries(
      names.map((name) => [name, { type: 'object', properties: { ...properties, ...getTexts('id', 'name') } }]),
    );
    const ask = await createMockOf({ '/all': getList(reference('S0')) }, schemas);
    for (let seed = 1; seed <= 3; seed++)
      expect(JSON.stringify(ask('/all', '/all', { dynamic: true, seed })).length).toBeLessThan(100_000);
  });
});

describe('the id in the path of a request', () => {
  const integer = { type: 'integer' };
  const schemas = {
    Pet: {
      type: 'object',
      required: ['id', 'name'],
      properties: { id: integer, owner_id: integer, name: { type: 'string' } },
    },
    PetSummary: { type: 'object', required: ['id', 'name'], properties: { name: { type: 'string' }, id: integer } },
    Code: { type: 'object', properties: { countryCode: { type: 'string' }, id: integer } },
    Wrapped: { type: 'object', required: ['data'], properties: { data: reference('Pet') } },
    Choice: { type: 'object', required: ['id'], properties: { id: { type: 'string', enum: ['a', 'b'] } } },
  };
  const responses = {
    '/pets': getList(reference('PetSummary')),
    '/pets/{petId}': reference('Pet'),
    '/owners/{ownerId}/pets': getList(reference('Pet')),
    '/owners/{ownerId}/pets/{petId}': reference('Pet'),
    '/wrapped/{id}': reference('Wrapped'),
    '/codes/{countryCode}': reference('Code'),
    '/choices/{id}': reference('Choice'),
    '/pets/{petId}/code': reference('Code'),
  };

  it.each([
    ['/pets/{petId}', '/pets/42', { id: 42 }],
    ['/owners/{ownerId}/pets/{petId}', '/owners/5/pets/42', { id: 42, owner_id: 5 }],
    ['/wrapped/{id}', '/wrapped/42', { data: { id: 42 } }],
    ['/codes/{countryCode}', '/codes/PT', { countryCode: 'PT' }],
    ['/choices/{id}', '/choices/b', { id: 'b' }],
    ['/choices/{id}', '/choices/c', { id: expect.stringMatching(/^[ab]$/) }],
    ['/pets/{petId}', '/pets/Rex', { id: expect.any(Number) }],
  ])('is in the response: %s for %s', async (template, path, expected) => {
    const ask = await createMockOf(responses, schemas);
    expect(ask(template, path)).toMatchObject(expected);
    expect(ask(template, path, { dynamic: true })).toMatchObject(expected);
  });

  it('of a parent is in each entry of a list', async () => {
    const ask = await createMockOf(responses, schemas);
    const ids = ask('/owners/{ownerId}/pets', '/owners/5/pets').map((pet: { owner_id: number }) => pet.owner_id);
    expect(new Set(ids)).toEqual(new Set([5]));
  });

  it('is not the id of another kind of thing', async () => {
    const ask = await createMockOf(responses, schemas);
    expect(ask('/pets/{petId}/code', '/pets/42/code').id).not.toBe(42);
  });

  it('gets the entry that a list has', async () => {
    const ask = await createMockOf(responses, schemas);
    for (const { id, name } of ask('/pets')) expect(ask('/pets/{petId}', `/pets/${id}`)).toMatchObject({ id, name });
  });

  it('gets different entries for different ids', async () => {
    const ask = await createMockOf(responses, schemas);
    const names = [1, 2, 3, 4, 5].map((id) => ask('/pets/{petId}', `/pets/${id}`).name);
    expect(new Set(names).size).toBeGreaterThan(1);
  });
});

describe('the discriminator of a generated value', () => {
  const kind = { type: 'string' };
  const extend = (properties: JsonSchema) => ({
    allOf: [reference('Vehicle'), { type: 'object', required: Object.keys(properties), properties }],
  });
  const base = { type: 'object', required: ['kind'], properties: { kind } };
  const subtypes = { Car: extend({ doors: { type: 'integer' } }), Bike: extend({ gears: { type: 'integer' } }) };

  it.each([
    ['by the names of schemas', undefined, ['Bike', 'Car']],
    ['by a mapping', { car: '#/components/schemas/Car', bike: 'Bike' }, ['bike', 'car']],
  ])('names the schema that extends another one, %s', async (_, mapping, names) => {
    const Vehicle = { ...base, discriminator: { propertyName: 'kind', mapping } };
    const ask = await createMockOf(
      { '/vehicles': getList(reference('Vehicle')), '/cars': reference('Car') },
      { Vehicle, ...subtypes },
    );
    const seeds = Array.from({ length: 10 }, (__, seed) => seed);
    const vehicles = seeds.flatMap((seed) => ask('/vehicles', '/vehicles', { dynamic: true, seed }));
    for (const vehicle of vehicles) expect(vehicle.kind).toBe('doors' in vehicle ? names[1] : names[0]);
    expect(new Set(vehicles.map((vehicle) => vehicle.kind)).size).toBe(2);
    expect(ask('/cars').kind).toBe(names[1]);
  });
});

describe('a generated object', () => {
  /** Returns the texts of a property with a description in a generated list. */
  async function generateTexts(name: string, description: string): Promise<readonly string[]> {
    const Seat = { type: 'object', required: [name], properties: { [name]: { type: 'string', description } } };
    const ask = await createMockOf({ '/seats': getList(reference('Seat')) }, { Seat });
    const seeds = [1, 2, 3, 4];
    return seeds.flatMap((seed) =>
      ask('/seats', '/seats', { dynamic: true, seed }).map((seat: Readonly<Record<string, string>>) => seat[name]),
    );
  }

  it.each([
    ['status', 'available, reserved, sold', /^(available|reserved|sold)$/],
    ['status', 'One of: open or closed', /^(open|closed)$/],
    ['size', 'Possible values: `small`, `large` or `huge`', /^(small|large|huge)$/],
    ['cover', '`soft`, `hard`', /^(soft|hard)$/],
    ['ticketType', 'adult, child', /^(adult|child)$/],
  ])('has a %s with one of the words in its description "%s"', async (name, description, expected) => {
    for (const value of await generateTexts(name, description)) expect(value).toMatch(expected);
  });

  it.each([
    ['size', 'The size, weight and height of the box'],
    ['title', 'first, last'],
    ['name', 'First, middle, last'],
    ['address', 'Street, city, country'],
    ['state', 'State, province, region'],
    ['estate', 'House, garden, garage'],
    ['birthday', 'DD/MM/YYYY'],
    ['status', 'One of: DD/MM/YYYY or YYYY-MM-DD'],
  ])('has a %s without the words in its description "%s"', async (name, description) => {
    const words = description.match(/\w[\w-]*/g);
    for (const value of await generateTexts(name, description)) expect(words).not.toContain(value);
  });

  it('has the id of an object beside it', async () => {
    const Seat = { type: 'object', required: ['id'], properties: getTexts('id') };
    const properties = { ...getTexts('id', 'seat_id'), seat: reference('Seat'), planId: { type: 'integer' } };
    const Plan = { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } };
    const names = ['id', 'seat_id', 'seat', 'planId', 'plan'];
    const Place = { type: 'object', required: names, properties: { ...properties, plan: reference('Plan') } };
    const ask = await createMockOf({ '/places': getList(reference('Place')) }, { Place, Plan, Seat });
    for (const place of ask('/places')) expect(place).toMatchObject({ seat_id: place.seat.id, planId: place.plan.id });
  });
});
