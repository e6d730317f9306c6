import { describe, expect, it } from 'vitest';
import { writeDocument } from '../openapi/documents.ts';
import { getRejection } from '../support/harness/rejection.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const owner = { type: 'object', properties: { id: { type: 'integer' } } };
const schema = { type: 'object', properties: { id: { type: 'integer' }, owner } };
const createResponses = (body: object) => ({
  200: { description: 'd', content: { 'application/json': { schema: body } } },
});
const responses = createResponses(schema);
const list = { responses: createResponses({ type: 'array', items: schema }) };

describe('x-storefront in a document', () => {
  it.each([
    [{ id: 5 }, '#/paths/~1things~1{id}/x-storefront/id is not a name: use the name of a property or a resource'],
    [{ entry: '' }, '/x-storefront/entry is not a name: use the name of a property or a resource'],
    [{ off: 'no' }, '/x-storefront/off is not a boolean: use true or false'],
    [{ ide: 'name' }, '/x-storefront/ide is unknown: use resource, id, list, entry, off, refuses'],
    [{ id: 'owner' }, '/x-storefront/id is an object: use the name of a property in it, such as owner.id'],
    [{ id: 'slug' }, '/x-storefront/id has no effect, because the entries of the path have no such property'],
    [{ list: 'data' }, '/x-storefront/list has no effect, because no GET of the path returns a list in this property'],
    [{ entry: 'thing' }, '/x-storefront/entry has no effect, because no request and no response of the path has'],
    ['off', '/x-storefront is not an object: use an object such as { off: true }'],
  ])('is refused at the start: %j', async (overrides, message) => {
    const contract = await writeDocument(
      JSON.stringify({
        openapi: '3.0.3',
        info: { title: 't', version: '1' },
        paths: {
          '/things': { get: list },
          '/things/{id}': { 'x-storefront': overrides, get: { responses }, put: { responses } },
        },
      }),
    );
    const error = await getRejection(startStorefront({ contract }), Error);
    expect(error.message).toContain(message);
  });
});
