import { expect, it } from 'vitest';
import { createOperation, writeDocument } from '../support/fixtures/other-document.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const PET = { type: 'object', required: ['id'], properties: { id: { type: 'integer' }, name: { type: 'string' } } };

/** Starts a server with pets, whose bodies have these media types. */
async function startPets(content: object) {
  const parameters = [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }];
  const requestBody = { content };
  const paths = {
    '/pets': {
      get: createOperation('listPets', { type: 'array', items: PET }),
      post: createOperation('addPet', PET, { requestBody }),
    },
    '/pets/{id}': {
      get: createOperation('getPet', PET, { parameters }),
      put: createOperation('putPet', PET, { parameters, requestBody }),
    },
  };
  return startStorefront({ contract: await writeDocument({ paths }) });
}

/** Sends a text. Returns the status and the detail of the response. */
async function send(url: string, method: string, type: string, body: string) {
  const response = await fetch(url, { method, headers: { 'Content-Type': type }, body });
  const { detail } = (await response.json()) as { readonly detail?: string };
  return `${response.status} ${detail ?? ''}`.trim();
}

it('a real operation refuses a documented media type that the server cannot read', async () => {
  const { url, ask } = await startPets({
    'application/json': { schema: PET },
    'text/csv': { schema: { type: 'string' } },
    'application/xml': { schema: PET },
    'text/xml': { schema: { type: 'string' } },
  });
  await ask('POST', '/pets', { id: 1, name: 'Rex' });
  const refused = (type: string, types: string) =>
    `415 the server can't read bodies of the type "${type}": send the body with Content-Type ${types}`;
  const csv = refused('text/csv; header=absent', 'application/json or application/xml or text/xml');
  expect(await send(`${url}/pets`, 'POST', 'text/csv; header=absent', 'a,b')).toBe(csv);
  expect(await send(`${url}/pets/1`, 'PUT', 'text/csv; header=absent', 'a,b')).toBe(csv);
  const xml = refused('text/xml', 'application/json or application/xml');
  expect(await send(`${url}/pets`, 'POST', 'text/xml', '<pet><name>Tom</name></pet>')).toBe(xml);
  expect((await ask('GET', '/pets')).body).toEqual([{ id: 1, name: 'Rex' }]);
  expect(await send(`${url}/pets`, 'POST', 'application/xml', '<pet><id>2</id><name>Tom</name></pet>')).toBe('200');
  expect((await ask('GET', '/pets/2')).body).toEqual({ id: 2, name: 'Tom' });
});

it('a real operation that documents only unreadable media types ignores the body', async () => {
  const { url } = await startPets({ 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } });
  expect(await send(`${url}/pets`, 'POST', 'application/octet-stream', 'abc')).toBe('200');
});
