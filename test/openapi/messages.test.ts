import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/openapi/contract.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';
import { writeDocument } from './documents.ts';

const DOCUMENT = `openapi: 3.0.3
info: { title: t, version: "1" }
paths:
  /m:
    patch:
      parameters:
        - { name: sid, in: cookie, schema: { type: integer } }
        - { name: n, in: query, schema: { type: integer, format: int32 } }
        - { name: step, in: query, schema: { type: integer, multipleOf: 5 } }
        - name: by
          in: query
          schema: { type: object, properties: { phone: {}, mail: {} }, oneOf: [{ required: [phone] }, { required: [mail] }] }
      requestBody:
        content:
          application/merge-patch+json: { schema: { type: object, properties: { a: { type: integer } } } }
          application/json:
            schema:
              type: object
              properties:
                b: { type: integer }
                big: { type: integer, format: int64 }
                map: { type: object, minProperties: 1 }
                two: { type: object, minProperties: 2, properties: { x: {}, y: {} } }
                one: { type: object, minProperties: 1, properties: { x: {}, y: {} } }
                few: { type: object, maxProperties: 1 }
          application/x.map+json: { schema: { type: object, additionalProperties: { type: integer } } }
      responses: { "204": { description: d } }
`;

describe('The message of an invalid request', () => {
  it.each<[target: string, body: string | undefined, headers: Record<string, string>, detail: string]>([
    ['', undefined, { cookie: 'sid=x' }, 'cookie sid is "[redacted]": use an integer'],
    ['?n=2147483648', undefined, {}, 'query parameter n is 2147483648: use an integer from -2147483648 to 2147483647'],
    ['?n=x', undefined, {}, 'query parameter n is "x": use an integer'],
    ['?step=7', undefined, {}, 'query parameter step is 7: use an integer in steps of 5'],
    ['?phone=1&mail=a', undefined, {}, 'query parameter by is {"phone":"1","mail":"a"}: use only phone or mail'],
    ['', '{"b":"x"}', {}, 'b is "x": use an integer'],
    ['', '{"b":"x","a":1}', {}, 'b is "x": use an integer; a is unknown and was ignored: remove it'],
    [
      '',
      '{"a":"x","b":1}',
      { 'content-type': 'application/merge-patch+json' },
      'a is "x": use an integer; b is unknown',
    ],
    ['', '{"any":"x","other":1}', { 'content-type': 'application/x.map+json' }, 'any is "x": use an integer'],
    ['', '{"map":{}}', {}, 'map is {}: use an object with at least 1 property'],
    ['', '{"two":{"x":1}}', {}, 'two is {"x":1}: use an object with at least 2 properties'],
    ['', '{"one":{}}', {}, 'one is {}: add at least one of x or y'],
    ['', '{"few":{"x":1,"y":2}}', {}, 'few is {"x":1,"y":2}: use an object with at most 1 property'],
    [
      '',
      '{"big":1e19}',
      {},
      'big is 10000000000000000000: use an integer from -9223372036854775808 to 9223372036854775807',
    ],
  ])('for %s %s %o names the place and the remedy', async (target, body, headers, detail) => {
    const { ask } = await startStorefront({ contract: await writeDocument(DOCUMENT), mock: true });
    const reply = await ask('PATCH', `/m${target}`, body, headers);
    expect(reply.status).toBe(400);
    expect(reply.body.detail).toContain(detail);
    if (!detail.includes('unknown')) expect(reply.body.detail).toBe(detail);
    if (headers.cookie) expect(reply.body.violations).toMatchObject([{ in: 'cookie', pointer: '/sid' }]);
  });
});

describe('A document', () => {
  it.each([
    ['openapi: 3.3.0', 'is not an OpenAPI 3.0, 3.1 or 3.2 document, but 3.3.0: write "openapi: 3.2.0"'],
    ['swagger: "1.2"', 'is not an OpenAPI 3.0, 3.1 or 3.2 document, but Swagger 1.2: convert it'],
    ['openapi: 4.0.0', 'is not an OpenAPI 3.0, 3.1 or 3.2 document, but has the version "4.0.0": convert it'],
    ['a: 1', 'is not an OpenAPI 3.0, 3.1 or 3.2 document: it must have a version'],
  ])('with %s is refused with what to do', async (line, message) => {
    const path = await writeDocument(`${line}\ninfo: { title: t, version: "1" }\npaths: {}\n`);
    await expect(loadContract({ path, strict: false })).rejects.toThrow(message);
  });

  it('has a warning about an enum that allows no value', async () => {
    const path = await writeDocument(`openapi: 3.0.3
info: { title: t, version: "1" }
paths:
  /m:
    get:
      parameters: [{ name: e, in: query, schema: { type: integer, enum: [a, b] } }]
      responses: { "204": { description: d } }
`);
    const { warning } = await loadContract({ path, strict: false });
    expect(warning).toContain(
      '/parameters/0/schema/enum allows no value, because its values do not have the type integer',
    );
  });
});
