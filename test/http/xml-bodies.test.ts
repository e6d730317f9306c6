import { describe, expect, it } from 'vitest';
import { writeDocument } from '../support/fixtures/other-document.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const PET = {
  type: 'object',
  required: ['name'],
  xml: { name: 'pet' },
  properties: {
    id: { type: 'integer', xml: { attribute: true } },
    name: { type: 'string' },
    age: { type: 'integer', minimum: 0 },
    tags: { type: 'array', xml: { wrapped: true }, items: { type: 'string', xml: { name: 'tag' } } },
  },
};

/** Starts a server whose operation `addPet` accepts JSON and XML. Returns a function that sends XML and returns the status and the body of the response. */
async function startPets(schema: object = PET, schemas: object = {}) {
  const media = { schema };
  const content = { 'application/json': media, 'application/xml': media };
  const post = {
    operationId: 'addPet',
    requestBody: { required: true, content },
    responses: { 201: { description: 'd', content: { 'application/json': {} } } },
  };
  const contract = await writeDocument({ paths: { '/pets': { post } }, schemas });
  const handlers = { addPet: ({ body }: { readonly body: unknown }) => ({ status: 201, body: { received: body } }) };
  const { url } = await startStorefront({ contract, handlers });
  return async (xml: string) => {
    const headers = { 'Content-Type': 'application/xml; charset=utf-8' };
    const response = await fetch(`${url}/pets`, { method: 'POST', headers, body: xml });
    const body = (await response.json()) as { readonly received?: unknown; readonly detail?: string };
    return { status: response.status, ...body };
  };
}

describe('a request body in XML', () => {
  it('is parsed by the XML Objects of its schema', async () => {
    const send = await startPets();
    const xml = '<pet id="1"><name>1</name><age> 3 </age><tags><tag>a</tag></tags></pet>';
    expect(await send(xml)).toEqual({ status: 201, received: { id: 1, name: '1', age: 3, tags: ['a'] } });
  });

  it.each([
    ['violates the schema', '<pet><name>a</name><age>-1</age></pet>', /age/],
    ['lacks a required property', '<pet><age>1</age></pet>', /name/],
    ['is not well-formed', '<pet><name>a</pet>', /not the expected XML/],
    ['has another root element', '<dog><name>a</name></dog>', /must be <pet>/],
    ['is nested too deeply', '<pet>'.repeat(9_000), /nested/],
  ])('that %s is refused', async (_, xml, detail) => {
    const send = await startPets();
    expect(await send(xml)).toMatchObject({ status: 400, detail: expect.stringMatching(detail) });
  });

  it.each(['7', ' 7 ', '+7', '007'])('has the integer 7 as %j', async (text) => {
    const send = await startPets();
    expect((await send(`<pet><name>a</name><age>${text}</age></pet>`)).received).toEqual({ name: 'a', age: 7 });
  });

  it.each(['7.0', '1e1', '9007199254740993', '0x7', ''])('has no integer as %j', async (text) => {
    const send = await startPets();
    expect(await send(`<pet><name>a</name><age>${text}</age></pet>`)).toMatchObject({ status: 400 });
  });

  it.each([
    ['-.5', -0.5],
    ['1.50E2', 150],
    ['+3.', 3],
  ])('has the number %s', async (text, value) => {
    const send = await startPets({ type: 'object', properties: { weight: { type: 'number' } } });
    expect((await send(`<pet><weight>${text}</weight></pet>`)).received).toEqual({ weight: value });
  });

  it('has the repeated elements of a list, and properties that the schema does not list', async () => {
    const properties = { tag: { type: 'array', items: { type: 'integer', xml: { name: 't' } } } };
    const send = await startPets({ type: 'object', properties, additionalProperties: { type: 'integer' } });
    expect((await send('<pet><t>1</t><other>5</other><t>2</t></pet>')).received).toEqual({ tag: [1, 2], other: 5 });
  });

  it('has the repeated elements of a property that the schema does not list', async () => {
    const send = await startPets({ type: 'object', additionalProperties: true });
    expect((await send('<pet xmlns:k="http://x.test"><k>1</k><k>2</k></pet>')).received).toEqual({ k: ['1', '2'] });
    const lists = { type: 'object', additionalProperties: { type: 'array', items: { type: 'integer' } } };
    const sendLists = await startPets(lists);
    expect((await sendLists('<pet><k>1</k><k>2</k><l>3</l></pet>')).received).toEqual({ k: [1, 2], l: [3] });
  });

  it('gives each of two properties with the same element name its own element', async () => {
    const Address = { type: 'object', xml: { name: 'address' }, properties: { city: { type: 'string' } } };
    const send = await startPets({ type: 'object', properties: { billing: Address, shipping: Address } });
    const [a, b] = ['a', 'b'].map((city) => `<address><city>${city}</city></address>`);
    expect((await send(`<pet>${a}${b}</pet>`)).received).toEqual({ billing: { city: 'a' }, shipping: { city: 'b' } });
    expect((await send(`<pet>${a}</pet>`)).received).toEqual({ billing: { city: 'a' } });
  });

  it('is parsed in linear time if an element fits two properties at each level', { timeout: 60_000 }, async () => {
    const tree = { $ref: '#/components/schemas/Tree' };
    const Tree = { type: 'object', xml: { name: 'tree' }, properties: { left: tree, right: tree } };
    const send = await startPets(tree, { Tree });
    expect((await send('<tree>'.repeat(30) + '</tree>'.repeat(30))).status).toBe(201);
  });

  it('whose schema is a text is not parsed', async () => {
    const send = await startPets({ type: 'string' });
    expect(await send('<any><thing/></any>')).toEqual({ status: 201 });
  });
});
