import { describe, expect, it } from 'vitest';
import { findLifeCycles } from '../../src/check/life-cycles.ts';
import { findAllowViolations } from '../../src/check/methods.ts';
import { getPoolName, Pool } from '../../src/check/pool.ts';
import { loadContract } from '../../src/openapi/contract.ts';
import type { Route } from '../../src/openapi/routes.ts';
import { createOperation, writeDocument } from '../support/fixtures/other-document.ts';

/** Returns the routes of a contract with these operations, each in the form `GET /things`. */
async function routesFor(...named: readonly string[]): Promise<readonly Route[]> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const name of named) {
    const [method = '', path = ''] = name.split(' ');
    const parameters = [...path.matchAll(/\{(.*?)\}/g)].map(([, one]) => ({
      name: one,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    }));
    paths[path] = { ...paths[path], [method.toLowerCase()]: createOperation(undefined, {}, { parameters }) };
  }
  return (await loadContract({ path: await writeDocument({ paths }), strict: false })).routes;
}

describe('findAllowViolations', () => {
  const ALLOWS: readonly [allow: string | undefined, declared: readonly string[], told: readonly RegExp[]][] = [
    ['GET, POST', ['GET', 'POST'], []],
    ['post,get', ['GET', 'POST'], []],
    ['GET, HEAD, OPTIONS, POST', ['GET', 'POST'], []],
    [undefined, ['GET'], [/no Allow header\b.*GET$/]],
    ['GET', ['GET', 'POST'], [/which lacks POST; the path supports GET, POST$/]],
    ['GET, PUT, PATCH', ['GET'], [/has PUT/, /has PATCH/]],
    ['PUT', ['GET'], [/lacks GET/, /has PUT/]],
  ];
  it.each(ALLOWS)('compares Allow: %s with the methods %j', (allow, declared, told) => {
    expect(findAllowViolations(allow, declared)).toEqual(told.map((one) => expect.stringMatching(one)));
  });
});

describe('getPoolName', () => {
  const NAMES: readonly [name: string, path: string, known: string][] = [
    ['productId', '/api/products/{productId}', 'productId'],
    ['id', '/api/products/{id}', 'productId'],
    ['id', '/delivery-options/{id}/days', 'deliveryOptionId'],
    ['id', '/cart_items/{id}', 'cartItemId'],
    ['id', '/categories/{id}', 'categoryId'],
    ['id', '/users/{userId}/orders/{id}', 'orderId'],
    ['id', '/class/{id}', 'classId'],
    ['name', '/users/{name}', 'userName'],
    ['username', '/users/{username}', 'username'],
  ];
  it.each(NAMES)('returns for %s in %s the name %s', (name, path, known) =>
    expect(getPoolName(name, path)).toBe(known),
  );
});

describe('A pool', () => {
  it('has the values of responses under the names of parameters', async () => {
    const [list] = await routesFor('GET /api/delivery-options');
    const pool = new Pool();
    if (list)
      pool.collectValues(list, [
        { id: '2', days: 3, parts: [{ id: 7 }] },
        { id: '1', days: 3, carrier: { id: 'c' } },
      ]);
    const known = ['deliveryOptionId', 'partId', 'carrierId', 'days', 'id', 'unknown'].map((name) =>
      pool.getValues(name),
    );
    expect(known).toEqual([['2', '1'], [7], ['c'], [3], [], []]);
  });

  it('has only the fixed values of a name, and at most 20 of others', async () => {
    const [list] = await routesFor('GET /things');
    const pool = new Pool();
    pool.setValues('thingId', ['fixed']);
    if (list)
      pool.collectValues(
        list,
        Array.from({ length: 40 }, (_, at) => ({ id: at, name: `name ${at}` })),
      );
    expect(pool.getValues('thingId')).toEqual(['fixed']);
    expect(pool.getValues('name')).toHaveLength(20);
  });
});

describe('findLifeCycles', () => {
  const APIS: readonly [routes: readonly string[], cycles: readonly string[]][] = [
    [
      ['GET /things', 'POST /things', 'GET /things/{id}', 'DELETE /things/{id}'],
      ['POST /things, GET /things/{id}, DELETE /things/{id}'],
    ],
    [['POST /things', 'GET /things/{id}'], ['POST /things, GET /things/{id}, -']],
    [['POST /things.json', 'GET /things/{id}.json'], ['POST /things.json, GET /things/{id}.json, -']],
    [['POST /things', 'DELETE /things/{id}'], []],
    [['POST /things', 'GET /things/{id}/parts', 'GET /things/all'], []],
    [['POST /things', 'GET /thingses/{id}', 'GET /v2/things/{id}'], []],
    [['PUT /things', 'GET /things/{id}'], []],
    [['POST /v1.0/things', 'GET /v1x0/things/{id}'], []],
    [
      [
        'POST /users/{user}/things',
        'GET /users/{user}/things/{id}',
        'POST /users',
        'GET /users/{user}',
        'DELETE /users/{user}',
      ],
      [
        'POST /users/{user}/things, GET /users/{user}/things/{id}, -',
        'POST /users, GET /users/{user}, DELETE /users/{user}',
      ],
    ],
    [
      ['POST /users/{user}/things', 'GET /things/{id}', 'DELETE /things/{id}'],
      ['POST /users/{user}/things, GET /things/{id}, DELETE /things/{id}'],
    ],
    [['POST /users/{user}/things', 'POST /things', 'GET /things/{id}'], ['POST /things, GET /things/{id}, -']],
    [['POST /users/{user}/other-things', 'GET /things/{id}'], []],
  ];
  it.each(APIS)('finds the life cycles of %j', async (named, cycles) => {
    const nameOf = (route: Route | undefined) => (route ? `${route.method} ${route.path}` : '-');
    const found = findLifeCycles(await routesFor(...named));
    expect(found.map(({ create, read, remove }) => [create, read, remove].map(nameOf).join(', ')).sort()).toEqual(
      [...cycles].sort(),
    );
  });
});
