import { describe, expect, it } from 'vitest';
import { createOperation, writeDocument } from '../support/fixtures/other-document.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const refer = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** Starts a mock whose operation has the schema `A` as its request body and its response. */
async function startMock(schemas: Readonly<Record<string, object>>) {
  const content = { 'application/json': { schema: refer('A') } };
  const post = createOperation('post', refer('A'), { requestBody: { required: true, content } });
  const shop = await startStorefront({
    contract: await writeDocument({ paths: { '/a': { post } }, schemas }),
    mock: true,
  });
  const send = async (body: unknown) => (await shop.ask('POST', '/a', body as object)).status;
  return { ...shop, send };
}

describe('a schema that contains itself', () => {
  const describeSubtype = (base: string, name: string) => ({
    allOf: [refer(base), { type: 'object', required: [name], properties: { [name]: { type: 'integer' } } }],
  });
  const base = { type: 'object', required: ['kind'], properties: { kind: { type: 'string' } } };

  it.each(['before', 'after'])('can list the subtypes that extend it, written %s it', async (order) => {
    const subtypes = { Cat: describeSubtype('A', 'lives'), Dog: describeSubtype('A', 'age') };
    const discriminator = { propertyName: 'kind', mapping: { cat: refer('Cat').$ref, dog: refer('Dog').$ref } };
    const whole = { A: { ...base, discriminator, oneOf: [refer('Cat'), refer('Dog')] } };
    const { send, ask } = await startMock(order === 'before' ? { ...subtypes, ...whole } : { ...whole, ...subtypes });
    expect(await send({ kind: 'cat', lives: 9 })).toBe(200);
    expect(await send({ kind: 'dog', age: 9 })).toBe(200);
    for (const body of [{ kind: 'cat' }, { lives: 9 }, { kind: 'cat', lives: 'x' }]) expect(await send(body)).toBe(400);
    expect(JSON.parse((await ask('POST', '/a', { kind: 'dog', age: 9 })).text)).toMatchObject({
      kind: expect.any(String),
    });
  });

  it('is valid if a value fits one of the other alternatives', async () => {
    const A = { anyOf: [refer('B'), { type: 'integer' }] };
    const { send } = await startMock({ A, B: { oneOf: [refer('A'), { type: 'object', required: ['x'] }] } });
    expect([await send(5), await send({ x: 1 }), await send({ y: 1 })]).toEqual([200, 200, 400]);
  });
});
