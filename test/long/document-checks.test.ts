import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type DocumentFinding, ownFindings } from '../../tools/contract/document-checks.ts';
import { projectFile } from '../support/fixtures/default-data.ts';
import { folderWith } from '../support/harness/folder-with.ts';

/** Returns the findings in openapi.yaml after all occurrences of some texts are replaced. */
async function findingsWith(plants: readonly Plant[]): Promise<readonly DocumentFinding[]> {
  let document = readFileSync(projectFile('openapi.yaml'), 'utf8');
  for (const [, text, instead] of plants) {
    expect(document).toContain(text);
    document = document.replaceAll(text, instead);
  }
  return ownFindings(join(await folderWith({ 'openapi.yaml': document }), 'openapi.yaml'));
}

const ADD = '/paths/~1api~1cart-items/post';
const BODY = `${ADD}/requestBody/content/application~1json`;
const PUT = '/paths/~1api~1cart-items~1{productId}/put';
const OPTIONS = '/paths/~1api~1delivery-options/get';
const TOO_LARGE = '/components/responses/BodyTooLarge';
const BESIDE = '/components/responses/Refused';
const PROBLEMS = '/content/application~1problem+json/examples';
const KETTLE = 'fafe42e1-2f3e-46e3-a2c5-d94a792572e6';

/** A planted issue: the text to replace, its replacement, and the pointers and messages of the expected findings. */
type Plant = readonly [name: string, text: string, instead: string, ...found: readonly (readonly [string, RegExp])[]];

const examples: readonly Plant[] = [
  [
    'a body with a value out of its limits',
    `value: { productId: ${KETTLE}, quantity: 2 }`,
    `value: { productId: ${KETTLE}, quantity: 12 }`,
    [`${BODY}/examples/added/value`, /^The example violates its schema: \/quantity must be <= 10$/],
  ],
  [
    'an answer without what it has to have',
    'quantity: 12, deliveryOptionId: "1" }',
    'quantity: 12 }',
    [`${ADD}/responses/201/content/application~1json/examples/addedTo/value`, /deliveryOptionId/],
  ],
  [
    'nothing more in what is only read, which answers have to have',
    'description: The id of the selected delivery option',
    'readOnly: true',
  ],
  [
    'an answer with a property that is not documented',
    'quantity: 2, deliveryOptionId: "3" }',
    'quantity: 2, deliveryOptionId: "3", colour: red }',
    [`${PUT}/responses/200/content/application~1json/examples/deliveryOption/value`, /properties \(colour\)$/],
  ],
  [
    'a parameter with a value that it may not have',
    'firstPage: { summary: One entry, value: 1 }',
    'firstPage: { summary: One entry, value: 0 }',
    ['/components/parameters/Limit/examples/firstPage/value', /must be >= 1/],
  ],
  [
    'a path parameter with an example that is no uuid',
    '            removed:\n              summary: A product in the cart\n              value: 6fb12208-d3f8-49e5-8f52-3d2038703fc6',
    '            removed:\n              summary: A product in the cart\n              value: socks',
    ['/paths/~1api~1cart-items~1{productId}/delete/parameters/0/examples/removed/value', /uuid/],
  ],
  [
    'a header with a value of another type',
    'value: 1\n',
    'value: soon\n',
    ['/components/responses/Failed/headers/Retry-After/examples/unavailable/value', /integer/],
  ],
  [
    'a default of a schema',
    'schema: { type: integer, minimum: 1, maximum: 1000 }',
    'schema: { type: integer, minimum: 1, maximum: 1000, default: 0 }',
    ['/components/parameters/Limit/schema/default', /^The value violates/],
  ],
  [
    'a refused body that holds',
    'quantity: 11 }',
    'quantity: 10 }',
    [`${BODY}/x-refused-examples/quantityAboveMaximum`, /^The refused example is valid/],
  ],
  [
    'a refused body that is JSON and holds',
    `'{"productId": '`,
    `'{"productId": "${KETTLE}", "quantity": 1}'`,
    [`${BODY}/x-refused-examples/notJson`, /^The refused example is valid/],
  ],
];

const names: readonly Plant[] = [
  [
    'a body without an answer, and the answer without a body',
    '\n              added:\n',
    '\n              put:\n',
    [`${BODY}/examples/put`, /^The request example put has no response example of this name$/],
    [
      `${ADD}/responses/201/content/application~1json/examples/added`,
      /^The response example added has no request example of this name$/,
    ],
  ],
  [
    'a parameter without an answer',
    '\n            byName:\n',
    '\n            byWord:\n',
    ['/paths/~1api~1products/get/parameters/0/examples/byWord', /^The request example byWord has no/],
  ],
  [
    'a refused body without an answer, and the answer without a body',
    '\n              quantityBelowMinimum:\n',
    '\n              tooFew:\n',
    [
      `${PUT}/requestBody/content/application~1json/x-refused-examples/tooFew`,
      /^The refused request example tooFew has no/,
    ],
    [`${PUT}/responses/400${PROBLEMS}/quantityBelowMinimum`, /^The response example quantityBelowMinimum has no/],
  ],
  [
    'two answers without parameters',
    '                plain:\n                  summary: Without expanded properties\n                  value:\n                    - { id: "1"',
    '                none: { value: [] }\n                plain:\n                  value:\n                    - { id: "1"',
    [`${OPTIONS}/responses/200/content/application~1json/examples/plain`, /^The response example plain has no/],
  ],
  [
    'a refusal for the path that names the path of the examples',
    'instance: /api/cart-items/00000000-0000-4000-8000-000000000000',
    'instance: /api/cart-items/6fb12208-d3f8-49e5-8f52-3d2038703fc6',
    [`${PUT}/responses/404${PROBLEMS}/unknownCartItem`, /the path or the query cannot cause this response$/],
    [
      `/paths/~1api~1cart-items~1{productId}/delete/responses/404${PROBLEMS}/unknownCartItem`,
      /is about \/api\/cart-items\/6fb12208-.*, but the request example of this name is about \/api\/cart-items\/00000000-/,
    ],
  ],
  [
    'two answers of one name',
    '\n                quantityLimit:\n',
    '\n                unknownProduct:\n',
    [`${BODY}/examples/quantityLimit`, /^The request example quantityLimit has no/],
    [`${ADD}/responses/409${PROBLEMS}/unknownProduct`, /^Two response examples have the name unknownProduct/],
  ],
];

const limits: readonly Plant[] = [
  [
    'the largest body',
    '100 kB (102,400 bytes)',
    '200 kB (204,800 bytes)',
    [`${TOO_LARGE}/description`, /MAX_BODY_BYTES/],
  ],
  [
    'the largest headers',
    '431: The request headers exceed 64 kB',
    '431: The request headers exceed 164 kB',
    [`${BESIDE}/description`, /maxHeaderSize/],
  ],
  [
    'the largest headers, in an example',
    'summary: Headers larger than 64 kB',
    'summary: Headers larger than 164 kB',
    [`${BESIDE}${PROBLEMS}/headersTooLarge/summary`, /maxHeaderSize/],
  ],
  ['the time for a request', 'within 30 s', 'within 300 s', [`${BESIDE}/description`, /REQUEST_TIMEOUT_MS/]],
  [
    'the longest term',
    'the first 512 characters',
    'the first 5120 characters',
    ['/paths/~1api~1products/get/description', /MAX_TERM_LENGTH.* must contain "the first 512 characters"/],
  ],
  [
    'the largest quantity, as a number',
    'maximum: 1000000\n',
    'maximum: 1000001\n',
    ['/components/schemas/Quantity/maximum', /QUANTITY_LIMIT.* must contain 1000000/],
  ],
  [
    'the largest quantity, in words',
    'up to 1,000,000',
    'up to 1,000,000,000',
    [`${ADD}/description`, /QUANTITY_LIMIT/],
  ],
];

describe('the checks of openapi.yaml', () => {
  it('find no issues in openapi.yaml itself', async () => {
    expect(await ownFindings(projectFile('openapi.yaml'))).toEqual([]);
  });

  it.each([
    ['examples', examples],
    ['names', names],
    ['limits', limits],
  ] as const)('find exactly the planted issues in the %s', async (check, plants) => {
    // A renamed node reports no limit at its former pointer.
    const found = (await findingsWith(plants)).filter((one) => one.check === check);
    for (const [name, , , ...places] of plants) {
      for (const [pointer, message] of places) {
        const finding = { check, pointer, message: expect.stringMatching(message) };
        expect.soft(found, name).toContainEqual(finding);
      }
    }
    expect(found.map(({ pointer }) => pointer).toSorted()).toEqual(getPointers(plants));
  });
});

function getPointers(plants: readonly Plant[]): readonly string[] {
  return plants.flatMap(([, , , ...places]) => places.map(([pointer]) => pointer)).toSorted();
}
