import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/openapi/contract.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { findRoute } from './documents.ts';

/** Returns whether the component schema Order allows each of the values. `components`: the schemas in YAML. */
async function validateAll(components: string, values: readonly unknown[], files = {}): Promise<readonly boolean[]> {
  const text = `openapi: 3.1.0
info: { title: t, version: "1" }
paths:
  /a:
    post:
      requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/Order" } } } }
      responses: { "204": { description: d } }
components:
  schemas:
${components}
`;
  const path = join(await folderWith({ 'openapi.yaml': text, ...files }), 'openapi.yaml');
  const contract = await loadContract({ path, strict: false });
  const route = findRoute(contract, 'POST', '/a');
  const request = { path: '/a', query: {}, headers: {}, contentType: 'application/json' };
  return values.map((body) => contract.validateRequest(route, { ...request, body }).kind === 'call');
}

const SIZE = '$defs: { Size: { type: integer, minimum: 1 } }';
const values = [{ size: 1 }, { size: 0 }];

describe('A reference in a schema with an $id is relative to the schema', () => {
  it.each<[title: string, components: string]>([
    [
      'with a pointer',
      `    Order: { $id: https://x.test/order, properties: { size: { $ref: "#/$defs/Size" } }, ${SIZE} }`,
    ],
    [
      'with a pointer of the innermost schema',
      `    Order: { $id: https://x.test/a, $defs: { Size: { type: string } }, properties: { size: { $id: b, $ref: "#/$defs/Size", ${SIZE} } } }`,
    ],
    [
      'with the whole schema',
      '    Order: { $id: https://x.test/o, properties: { size: { type: integer, minimum: 1 }, inner: { $ref: "#" } } }',
    ],
    [
      'with an anchor, which another schema also has',
      `    Order: { $id: https://x.test/order, properties: { size: { $ref: "#size" } }, $defs: { S: { $anchor: size, type: integer, minimum: 1 } } }
    Other: { $id: https://x.test/other, $defs: { S: { $anchor: size, type: string } } }`,
    ],
    [
      'with a URI that is resolved with its id',
      `    Order: { $id: https://x.test/schemas/order, properties: { size: { $ref: size } } }
    Size: { $id: https://x.test/schemas/size, type: integer, minimum: 1 }`,
    ],
    [
      'with the path of a URI and a pointer',
      `    Order: { $id: https://x.test/schemas/order, properties: { size: { $ref: "/sizes#/$defs/Size" } } }
    Sizes: { $id: https://x.test/sizes, ${SIZE} }`,
    ],
    [
      'or to the document, if only the document has the pointer',
      `    Order: { $id: https://x.test/order, properties: { size: { $ref: "#/components/schemas/Size" } } }
    Size: { type: integer, minimum: 1 }`,
    ],
    ['with a urn', `    Order: { $id: "urn:x:order", properties: { size: { $ref: "#/$defs/Size" } }, ${SIZE} }`],
    [
      'with a $dynamicRef',
      '    Order: { $id: https://x.test/o, properties: { size: { $dynamicRef: "#s" } }, $defs: { S: { $dynamicAnchor: s, type: integer, minimum: 1 } } }',
    ],
  ])('%s', async (_, components) => {
    expect(await validateAll(components, values)).toEqual([true, false]);
  });

  it('also in another file', async () => {
    const order = `{"type":"object","properties":{"inner":{"$id":"https://x.test/o","properties":{"size":{"$ref":"#/$defs/Size"}},"$defs":{"Size":{"minimum":1}}}}}`;
    const bodies = [{ inner: { size: 1 } }, { inner: { size: 0 } }];
    expect(await validateAll('    Order: { $ref: order.json }', bodies, { 'order.json': order })).toEqual([
      true,
      false,
    ]);
  });

  it('and is refused if neither the schema nor the document has the pointer', async () => {
    const components = '    Order: { $id: https://x.test/order, properties: { size: { $ref: "#/$defs/Missing" } } }';
    await expect(validateAll(components, values)).rejects.toThrow('"#/$defs/Missing", which does not exist');
  });
});

describe('A $dynamicRef', () => {
  it('is refused if several schemas have its anchor', async () => {
    const components = `    Order: { $id: https://x.test/a, $dynamicAnchor: node, properties: { size: { $dynamicRef: "#node" } } }
    Strict: { $id: https://x.test/b, $dynamicAnchor: node, $ref: a }`;
    await expect(validateAll(components, values)).rejects.toThrow('which several schemas have as their anchor');
  });
});
