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
async function startPets(schema: object = PET, schemas: object = {}, charset = 'utf-8') {
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
    const headers = { 'Content-Type': `application/xml; charset=${charset}` };
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
    ['has another root element', '<dog><name>a</name></dog>', /use <pet>/],
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

describe('a request body in XML whose schema has alternatives', () => {
  const Cat = {
    type: 'object',
    required: ['lives'],
    additionalProperties: false,
    xml: { name: 'cat' },
    properties: { lives: { type: 'integer' }, code: { type: 'integer' } },
  };
  const Dog = {
    type: 'object',
    required: ['breed'],
    additionalProperties: false,
    xml: { name: 'dog' },
    properties: { breed: { type: 'string' }, code: { type: 'string' } },
  };
  const schemas = { Cat, Dog };
  const animal = { oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }] };
  const CAT = '<lives>9</lives><code>7</code>';
  const DOG = '<breed>x</breed><code>7</code>';

  it('has the root element and the types of the alternative', async () => {
    const send = await startPets(animal, schemas);
    expect((await send(`<cat>${CAT}</cat>`)).received).toEqual({ lives: 9, code: 7 });
    expect((await send(`<dog>${DOG}</dog>`)).received).toEqual({ breed: 'x', code: '7' });
    for (const xml of ['<cat><breed>x</breed></cat>', '<dog><lives>9</lives></dog>', '<cat><lives>x</lives></cat>'])
      expect((await send(xml)).status, xml).toBe(400);
    expect(await send(`<cow>${DOG}</cow>`)).toMatchObject({
      status: 400,
      detail: expect.stringContaining('use <cat> or <dog>'),
    });
  });

  it('has the elements of the alternative in a property and in a list', async () => {
    const send = await startPets(
      { type: 'object', properties: { pet: animal, others: { type: 'array', items: animal } } },
      schemas,
    );
    const xml = `<r><pet>${DOG}</pet><others>${CAT}</others><others>${DOG}</others></r>`;
    const [cat, dog] = [
      { lives: 9, code: 7 },
      { breed: 'x', code: '7' },
    ];
    expect((await send(xml)).received).toEqual({ pet: dog, others: [cat, dog] });
  });

  it('has the first text, number or boolean that is valid', async () => {
    const value = { oneOf: [{ type: 'integer', maximum: 5 }, { type: 'boolean' }, { type: 'string', minLength: 1 }] };
    const send = await startPets({ type: 'object', properties: { value } });
    const read = async (text: string) => (await send(`<r><value>${text}</value></r>`)).received;
    expect(await Promise.all(['5', '6', 'true', 'x'].map(read))).toEqual(
      [5, '6', true, 'x'].map((one) => ({ value: one })),
    );
  });

  it('can be null, and not if it has attributes', async () => {
    const Owner = { type: 'object', properties: { id: { type: 'integer', xml: { attribute: true } } } };
    const owner = {
      anyOf: [{ $ref: '#/components/schemas/Owner' }, { type: 'object', nullable: true, maxProperties: 0 }],
    };
    const send = await startPets({ type: 'object', properties: { owner } }, { Owner });
    expect((await send('<r><owner id="1"/></r>')).received).toEqual({ owner: { id: 1 } });
    expect((await send('<r><owner xsi:nil="true" xmlns:xsi="http://x.test"/></r>')).received).toEqual({ owner: null });
  });

  it('is read in linear time if both alternatives are nested in each other', { timeout: 60_000 }, async () => {
    const tree = { $ref: '#/components/schemas/Tree' };
    const inner = { type: 'object', properties: { tree }, additionalProperties: false };
    const Tree = { anyOf: [{ ...inner, required: ['a'] }, { ...inner, required: ['b'] }, { type: 'integer' }] };
    const send = await startPets(tree, { Tree });
    expect((await send(`${'<tree>'.repeat(60)}x${'</tree>'.repeat(60)}`)).status).toBe(400);
  });
});

describe('XML with names and values of other kinds', () => {
  it('has the types of the allowed values, and empty lists', async () => {
    const list = { type: 'array', items: { type: 'string' } };
    const properties = { size: { enum: [1, 2] }, flag: { const: true }, tags: list };
    const send = await startPets({ type: 'object', required: ['tags'], properties });
    expect((await send('<r><size>2</size><flag>true</flag></r>')).received).toEqual({ size: 2, flag: true, tags: [] });
  });

  it('is refused in another charset', async () => {
    const send = await startPets(PET, {}, 'iso-8859-1');
    expect((await send('<pet><name>a</name></pet>')).status).toBe(415);
  });

  it.each(['name', 'größe', '名前', 'straße'])('has the property %s', async (name) => {
    const send = await startPets({ type: 'object', properties: { [name]: { type: 'integer' } } });
    expect((await send(`<r><${name}>5</${name}></r>`)).received).toEqual({ [name]: 5 });
  });

  it('has an empty element with xsi:nil as null, and another as an empty text', async () => {
    const send = await startPets({ type: 'object', properties: { note: { type: 'string', nullable: true } } });
    const nil = '<note xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"/>';
    expect((await send(`<r>${nil}</r>`)).received).toEqual({ note: null });
    expect((await send('<r><note/></r>')).received).toEqual({ note: '' });
  });

  it('is refused with another encoding', async () => {
    const send = await startPets();
    expect(await send('<?xml version="1.0" encoding="ISO-8859-1"?><pet><name>a</name></pet>')).toMatchObject({
      status: 400,
      detail: expect.stringContaining('use UTF-8'),
    });
  });
});
