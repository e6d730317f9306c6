import { describe, expect, it } from 'vitest';
import { writeDocument } from '../openapi/documents.ts';
import { getRejection } from '../support/harness/rejection.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const schema = { type: 'object', properties: { id: { type: 'integer' } } };
const responses = { 200: { description: 'd', content: { 'application/json': { schema } } } };

describe('x-storefront in a document', () => {
  it.each([
    [{ id: 5 }, '#/paths/~1things~1{id}/x-storefront/id is not the name of a property or a resource'],
    [{ entry: '' }, '/x-storefront/entry is not the name of a property or a resource'],
    [{ off: 'no' }, '/x-storefront/off is not true or false'],
    [{ ide: 'name' }, '/x-storefront/ide is unknown: use resource, id, list, entry, off'],
    ['off', '/x-storefront is not an object: use one such as { off: true }'],
  ])('is refused at the start: %j', async (overrides, message) => {
    const contract = await writeDocument(
      JSON.stringify({
        openapi: '3.0.3',
        info: { title: 't', version: '1' },
        paths: { '/things/{id}': { 'x-storefront': overrides, get: { responses }, put: { responses } } },
      }),
    );
    const error = await getRejection(startStorefront({ contract }), Error);
    expect(error.message).toContain(message);
  });
});
