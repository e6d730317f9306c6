import { expect, it } from 'vitest';
import { writeDocument } from '../support/fixtures/other-document.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const Book = {
  type: 'object',
  required: ['title'],
  xml: { name: 'book' },
  properties: { id: { type: 'integer', readOnly: true }, title: { type: 'string' } },
};

const toContent = (schema: object) => ({ description: 'd', content: { 'application/xml': { schema } } });

it('a resource whose bodies are only XML stores entries', async () => {
  const contract = await writeDocument({
    paths: {
      '/books': {
        get: { responses: { 200: toContent({ type: 'array', items: Book, xml: { name: 'books' } }) } },
        post: { requestBody: toContent(Book), responses: { 201: toContent(Book) } },
      },
      '/books/{id}': {
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
        get: { responses: { 200: toContent(Book), 404: { description: 'd' } } },
        put: { requestBody: toContent(Book), responses: { 200: toContent(Book) } },
        delete: { responses: { 204: { description: 'd' } } },
      },
    },
  });
  const { url } = await startStorefront({ contract });
  const send = async (method: string, path: string, title?: string) => {
    const body = title === undefined ? {} : { body: `<book><title>${title}</title></book>` };
    const response = await fetch(url + path, { method, headers: { 'content-type': 'application/xml' }, ...body });
    const text = (await response.text()).replace(/^<\?xml.*\n/, '');
    return [response.status, response.headers.get('content-type'), text];
  };
  expect(await send('POST', '/books', 'Emma')).toEqual([
    201,
    'application/xml',
    '<book><id>1</id><title>Emma</title></book>',
  ]);
  await send('POST', '/books', 'Dune');
  expect((await send('PUT', '/books/2', 'Ulysses'))[0]).toBe(200);
  expect(await send('GET', '/books')).toEqual([
    200,
    'application/xml',
    '<books><book><id>1</id><title>Emma</title></book><book><id>2</id><title>Ulysses</title></book></books>',
  ]);
  expect((await send('DELETE', '/books/1'))[0]).toBe(204);
  expect((await send('GET', '/books/1'))[0]).toBe(404);
});
