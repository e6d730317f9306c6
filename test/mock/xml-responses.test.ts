import { describe, expect, it } from 'vitest';
import { writeDocument } from '../support/fixtures/other-document.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

/** Returns the XML without its declaration that a mock sends for an example and its schema. */
async function getXml(schema: object, example: unknown, schemas: object = {}): Promise<string> {
  const content = { 'application/xml': { schema, example } };
  const get = { operationId: 'getPet', responses: { 200: { description: 'd', content } } };
  const { url } = await startStorefront({
    contract: await writeDocument({ paths: { '/pet': { get } }, schemas }),
    mock: true,
  });
  const response = await fetch(`${url}/pet`);
  return (await response.text()).replace(/^<\?xml.*\?>\n/, '');
}

const text = { type: 'string' };

describe('a response in XML', () => {
  const toSchema = (name: string, property: string) => ({
    type: 'object',
    required: [property],
    xml: { name },
    properties: { [property]: text },
  });
  const animal = { oneOf: [toSchema('cat', 'lives'), toSchema('dog', 'breed')] };

  it('has the root element of the alternative', async () => {
    expect(await getXml(animal, { breed: 'x' })).toBe('<dog><breed>x</breed></dog>');
  });

  it('has the elements of the alternatives in a list', async () => {
    const list = { type: 'object', properties: { pets: { type: 'array', items: animal } }, xml: { name: 'all' } };
    expect(await getXml(list, { pets: [{ breed: 'x' }, { lives: '9' }] })).toBe(
      '<all><dog><breed>x</breed></dog><cat><lives>9</lives></cat></all>',
    );
  });

  it('has names in other languages, and null', async () => {
    const note = { type: 'string', nullable: true };
    const schema = { type: 'object', xml: { name: 'größe' }, properties: { note, 名前: text } };
    expect(await getXml(schema, { note: null, 名前: 'x' })).toBe(
      '<größe><note xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"/><名前>x</名前></größe>',
    );
  });

  it('keeps its form if a name is no XML name', async () => {
    const properties = { id: { type: 'integer', xml: { attribute: true } } };
    const schema = { type: 'object', xml: { name: 'w' }, properties, additionalProperties: { type: 'integer' } };
    expect(await getXml(schema, { id: 1, 2024: 5, 'a b': 6 })).toBe('<w id="1"><_2024>5</_2024><a_b>6</a_b></w>');
  });

  it('has the name of the component schema of the alternative', async () => {
    const Cat = { type: 'object', required: ['lives'], properties: { lives: text } };
    const Dog = { type: 'object', required: ['breed'], properties: { breed: text } };
    const either = { oneOf: ['Cat', 'Dog'].map((name) => ({ $ref: `#/components/schemas/${name}` })) };
    expect(await getXml(either, { breed: 'x' }, { Cat, Dog })).toBe('<Dog><breed>x</breed></Dog>');
  });
});
