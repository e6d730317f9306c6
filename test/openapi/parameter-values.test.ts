import { describe, expect, it } from 'vitest';
import { startStorefront, type TestShop } from '../support/harness/start-storefront.ts';
import { withPaths, writeDocument } from './documents.ts';

/** A parameter, targets that it accepts, and targets that it refuses. A header or cookie stands after a space. */
type Row = readonly [parameter: string, valid: readonly string[], invalid: readonly string[]];

const EITHER = 'oneOf: [{ required: [a] }, { required: [b] }]';

const groups: readonly (readonly [title: string, rows: readonly Row[]])[] = [
  [
    'must match exactly one alternative of its oneOf',
    [
      [
        `{ in: query, schema: { type: integer, oneOf: [{ maximum: 10 }, { minimum: 5 }] } }`,
        ['?q=3', '?q=11'],
        ['?q=7', '?q=x'],
      ],
      [`{ in: query, schema: { oneOf: [{ maximum: 10 }, { minimum: 5 }] } }`, ['?q=3'], ['?q=7']],
      [
        `{ in: query, schema: { allOf: [{ type: integer }, { oneOf: [{ multipleOf: 2 }, { multipleOf: 3 }] }] } }`,
        ['?q=4'],
        ['?q=6', '?q=5'],
      ],
      [
        `{ in: query, schema: { anyOf: [{ type: integer, maximum: 3 }, { type: string, maxLength: 2 }] } }`,
        ['?q=2', '?q=50'],
        ['?q=500'],
      ],
      [
        `{ in: query, schema: { type: object, properties: { a: { type: string }, b: {} }, ${EITHER} } }`,
        ['?a=1', '?b=1'],
        ['?a=1&b=1'],
      ],
      [`{ in: query, explode: false, schema: { type: object, ${EITHER} } }`, ['?q=a,1'], ['?q=a,1,b,2', '?q=c,1']],
      [`{ in: query, style: deepObject, schema: { type: object, ${EITHER} } }`, ['?q[a]=1'], ['?q[a]=1&q[b]=2']],
      [
        `{ in: query, content: { application/json: { schema: { type: object, ${EITHER} } } } }`,
        ['?q={"a":1}'],
        ['?q={"a":1,"b":2}', '?q=x'],
      ],
      [
        `{ in: query, style: deepObject, schema: { oneOf: [{ type: object, required: [k], properties: { k: { enum: [n] }, v: { type: integer } } }, { type: object, required: [k], properties: { k: { enum: [s] }, v: { type: string } } }] } }`,
        ['?q[k]=n&q[v]=5', '?q[k]=s&q[v]=5', '?q[k]=s&q[v]=x'],
        ['?q[k]=n&q[v]=x'],
      ],
      [
        `{ in: header, schema: { type: string, oneOf: [{ pattern: '^a' }, { pattern: 'z$' }] } }`,
        [' q: ab', ' q: bz'],
        [' q: abz'],
      ],
      [
        `{ in: cookie, schema: { type: integer, oneOf: [{ maximum: 10 }, { minimum: 5 }] } }`,
        [' cookie: q=3'],
        [' cookie: q=7'],
      ],
    ],
  ],
  [
    'with an object has an array of one entry for a single value',
    [
      [
        `{ in: query, style: deepObject, schema: { type: object, properties: { t: { type: array, items: { type: integer } } } } }`,
        ['?q[t]=1', '?q[t]=1&q[t]=2', '?q[t][]=1'],
        ['?q[t]=x', '?q[t]=1&q[t]=x'],
      ],
      [
        `{ in: query, schema: { type: object, properties: { t: { type: array, items: { type: string }, maxItems: 2 } } } }`,
        ['?t=name,desc', '?t=a&t=b'],
        ['?t=a&t=b&t=c'],
      ],
      [
        `{ in: query, explode: false, schema: { type: object, properties: { t: { type: array, items: { type: boolean } } } } }`,
        ['?q=t,true'],
        ['?q=t,1'],
      ],
      [
        `{ in: query, style: deepObject, schema: { type: object, properties: { t: { anyOf: [{ type: array, items: { type: integer } }, { type: boolean }] } } } }`,
        ['?q[t]=1', '?q[t]=true'],
        ['?q[t]=x'],
      ],
      [
        `{ in: query, style: deepObject, schema: { allOf: [{ type: object, properties: { t: { type: array, items: { type: integer } } } }, { properties: { n: { type: integer } } }] } }`,
        ['?q[t]=1&q[n]=2'],
        ['?q[n]=x'],
      ],
    ],
  ],
  [
    'can have numbers and booleans as its values without a type',
    [
      [`{ in: query, schema: { const: 5 } }`, ['?q=5'], ['?q=6', '?q=05', '?q=5.0x']],
      [
        `{ in: query, schema: { enum: [1, 2.5, true, x] } }`,
        ['?q=1', '?q=2.5', '?q=true', '?q=x'],
        ['?q=2', '?q=false', '?q=01'],
      ],
      [`{ in: query, schema: { type: array, items: { enum: [1, 2] } } }`, ['?q=1', '?q=1&q=2'], ['?q=3']],
      [`{ in: header, schema: { enum: [false] } }`, [' q: false'], [' q: 0', ' q: true']],
      [
        `{ in: query, style: deepObject, schema: { properties: { n: { const: 7 } }, type: object } }`,
        ['?q[n]=7'],
        ['?q[n]=8'],
      ],
    ],
  ],
  [
    'has numbers as in JSON, in each style',
    [
      [
        `{ in: query, schema: { type: integer } }`,
        ['?q=0', '?q=-12'],
        [
          '?q=01',
          '?q=0x1',
          '?q=1e0',
          '?q=%201',
          '?q=+1',
          '?q=1.0',
          '?q=',
          '?q=%0A1',
          '?q=1_0',
          '?q=%D9%A1',
          '?q=0b1',
          '?q=--1',
        ],
      ],
      [
        `{ in: query, schema: { type: number } }`,
        ['?q=1e2', '?q=-0.5', '?q=1E-3', '?q=0'],
        ['?q=.5', '?q=5.', '?q=0x1', '?q=00', '?q=1e', '?q=NaN', '?q=Infinity', '?q=%201', '?q=1%20'],
      ],
      [
        `{ in: query, explode: false, schema: { type: array, items: { type: integer } } }`,
        ['?q=1,2', '?q=1'],
        ['?q=1,02', '?q=1,%202', '?q=1,'],
      ],
      [
        `{ in: query, style: pipeDelimited, schema: { type: array, items: { type: integer } } }`,
        ['?q=1|2', '?q=1%7C2'],
        ['?q=1|x', '?q=1,2'],
      ],
      [
        `{ in: query, style: spaceDelimited, schema: { type: array, items: { type: integer } } }`,
        ['?q=1%202', '?q=1+2'],
        ['?q=1,2'],
      ],
      [
        `{ in: query, style: pipeDelimited, explode: true, schema: { type: array, items: { type: integer } } }`,
        ['?q=1&q=2'],
        ['?q=1|2'],
      ],
      [
        `{ in: query, style: pipeDelimited, schema: { type: object, properties: { a: { type: integer } } } }`,
        ['?q=a|1'],
        ['?q=a|x'],
      ],
      [
        `{ in: header, schema: { type: array, items: { type: integer } } }`,
        [' q: 1,2', ' q: 1, 2'],
        [' q: 1,x', ' q: 0x1'],
      ],
      [
        `{ in: header, explode: true, schema: { type: object, properties: { a: { type: integer } } } }`,
        [' q: a=1,b=x', ' q: a=1, b=='],
        [' q: a=x'],
      ],
      [`{ in: header, schema: { type: object, properties: { a: { type: integer } } } }`, [' q: a,1'], [' q: a,x']],
      [`{ in: cookie, schema: { type: boolean } }`, [' cookie: q=true'], [' cookie: q=1', ' cookie: q=True']],
      [
        `{ in: query, content: { application/vnd.x+json: { schema: { type: integer } } } }`,
        ['?q=5'],
        ['?q="5"', '?q=x'],
      ],
      [`{ in: query, content: { text/plain: { schema: { type: integer } } } }`, ['?q=5'], ['?q=x']],
    ],
  ],
  [
    'can have several types',
    [
      [`{ in: query, schema: { type: [integer, array], items: { type: integer } } }`, ['?q=5', '?q=1&q=2'], ['?q=x']],
      [
        `{ in: query, schema: { type: [string, array], items: { type: string, maxLength: 1 }, maxLength: 3 }, explode: false }`,
        ['?q=a,b', '?q=abc'],
        ['?q=abc,d'],
      ],
      [
        `{ in: query, schema: { anyOf: [{ type: object, required: [a], properties: { a: { type: integer } } }, { const: all }] } }`,
        ['?a=1', '?q=all'],
        ['?a=x', '?q=other'],
      ],
      [
        `{ in: query, schema: { type: integer, if: { minimum: 5 }, then: { multipleOf: 5 } } }`,
        ['?q=4', '?q=10'],
        ['?q=6'],
      ],
    ],
  ],
  [
    'with an object that allows other properties takes all other query parameters',
    [[`{ in: query, schema: { type: object, additionalProperties: { type: integer } } }`, ['?x=1&y=2'], ['?x=a']]],
  ],
];

/** Returns a document with one operation for each row. */
function createDocument(rows: readonly Row[]): string {
  const paths = rows.map(
    ([parameter], index) =>
      `/p${index}: { get: { parameters: [${parameter.replace('{ in', '{ name: q, in')}], responses: { "204": { description: d } } } }`,
  );
  return withPaths(...paths).replace('3.0.3', '3.1.0');
}

/** Sends a request. Returns the target, the status and the detail of the response. */
async function send(ask: TestShop['ask'], path: string, target: string): Promise<string> {
  const [query = '', header = ''] = target.split(/ (.*)/);
  const [name = '', value = ''] = header.split(/: (.*)/);
  const encoded = query.replaceAll(/["{}[\]|]/g, encodeURIComponent);
  const { status, body } = await ask('GET', path + encoded, undefined, header === '' ? {} : { [name]: value });
  return `${target} ${status} ${body?.detail ?? ''}`;
}

describe('A parameter', () => {
  it.each(groups.flatMap(([title, rows]) => [false, true].map((strict) => ({ title, rows, strict }))))(
    '$title, with the option strict $strict',
    async ({ rows, strict }) => {
      const contract = await writeDocument(createDocument(rows));
      const { ask } = await startStorefront({ contract, strict, mock: true });
      for (const [index, [parameter, valid, invalid]] of rows.entries()) {
        const path = `/p${index}`;
        for (const target of valid) expect.soft(await send(ask, path, target), parameter).toBe(`${target} 204 `);
        for (const target of invalid)
          expect.soft(await send(ask, path, target), parameter).toMatch(/ 400 (query parameter|header|cookie) [qx]/);
      }
    },
  );
});
