import { readFile } from 'node:fs/promises';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { startWithControl } from '../support/harness/control.ts';
import { controlContract } from '../support/harness/sandboxes.ts';
import { useSharedShop } from '../support/harness/shared-shop.ts';

const { newSandbox } = useSharedShop();

describe('GET /_control/openapi.yaml', () => {
  it('returns the contract of the control API with the collections of the application, otherwise unchanged', async () => {
    const { shop } = await startWithControl();
    const { status, headers, text } = await shop.ask('GET', '/_control/openapi.yaml');
    expect([status, headers.get('content-type')]).toEqual([200, 'application/yaml']);
    const { Counts, State, StateChange, ...schemas } = Object(load(text)).components.schemas;
    for (const schema of [Counts, State, StateChange]) {
      expect(Object.keys(schema.properties)).toEqual(['products', 'deliveryOptions', 'cartItems', 'orders']);
      expect(schema.additionalProperties).toBe(false);
    }
    expect(StateChange.properties.deliveryOptions.minItems).toBe(1);
    const file = structuredClone(Object(controlContract.document));
    expect({ ...file.components.schemas, ...schemas }).toEqual(file.components.schemas);
    const { components: _, ...served } = Object(load(text));
    const { components: __, ...others } = file;
    expect(served).toEqual(others);
  });

  it('returns the same document as GET /_control/openapi.json', async () => {
    const { shop } = await startWithControl();
    const { text } = await shop.ask('GET', '/_control/openapi.yaml');
    expect((await shop.ask('GET', '/_control/openapi.json')).body).toEqual(load(text));
  });

  it('does not affect GET /openapi.yaml, which has no path of the control API', async () => {
    const { shop } = await startWithControl();
    expect((await shop.ask('GET', '/openapi.yaml')).text).not.toContain('/_control/sandboxes');
  });
});

/** Returns the names of the schemas that a part of the document refers to, directly or indirectly. */
function getSchemaNames(part: unknown, known: readonly string[] = []): readonly string[] {
  const schemas = controlContract.document.components?.schemas ?? {};
  const names = [...JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)/g)].map(([, name = '']) => name);
  const all = [...new Set([...known, ...names])];
  return all.length === known.length
    ? known
    : getSchemaNames(
        all.map((name) => schemas[name]),
        all,
      );
}

describe('the contract of the control API', () => {
  it('has the schemas of request bodies that the server enforces, unknown properties included', () => {
    const { document, enforced } = controlContract;
    const bodies = Object.values(document.paths ?? {}).flatMap((item) =>
      [item?.put, item?.post].flatMap((operation) => operation?.requestBody ?? []),
    );
    const names = getSchemaNames(bodies);
    expect(names).toContain('Delay');
    const ofBodies = ({ components, paths }: typeof document) => [
      names.map((name) => [name, components?.schemas?.[name]]),
      Object.entries(paths ?? {}).map(([path, item]) => [path, item?.put?.requestBody, item?.post?.requestBody]),
    ];
    expect(ofBodies(document)).toEqual(ofBodies(enforced.document));
  });

  it('rejects unknown properties with its schemas', async () => {
    const text = await readFile(new URL('../../src/control/control.yaml', import.meta.url), 'utf8');
    const { sendControl } = newSandbox();
    await sendControl('PUT', '');
    for (const [method, path, body] of [
      ['PUT', '', { form: 'x' }],
      ['PUT', '/clock', { time: 1 }],
      ['POST', '/clock/advance', { ms: 1, s: 1 }],
      ['PUT', '/ids', { seed: 1, salt: 1 }],
      ['PUT', '/state', { cart: [] }],
      ['PUT', '/state', { deliveryOptions: [] }],
      ['POST', '/faults', {}],
      ['POST', '/faults', { status: 500, sattus: 1 }],
      ['POST', '/faults', { status: 500, where: { url: '/' } }],
      ['POST', '/requests/count', { times: 1 }],
      ['POST', '/requests/verify', { withIn: 1 }],
      ['POST', '/requests/verify', { after: 1e300 }],
    ] as const) {
      const reply = await sendControl(method, path, body);
      expect([reply.status, reply.body.type], JSON.stringify(body)).toEqual([400, '/problems/invalid-request']);
    }
    expect((await sendControl('GET', '/requests?after=9007199254740992')).status).toBe(400);
    expect(text).toContain('"415"');
    const form = await sendControl('PUT', '/clock', 'a=b', { 'content-type': 'text/plain' });
    expect(form.status).toBe(415);
  });
});
