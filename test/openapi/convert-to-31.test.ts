import openapiTS, { astToString } from 'openapi-typescript';
import { describe, expect, it } from 'vitest';
import { startStorefront } from '../support/harness/start-storefront.ts';
import { create32, writeDocument } from './documents.ts';

const BOOKS = create32(
  `
  /books/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    query:
      operationId: queryBook
      requestBody: { content: { application/json: { $ref: '#/components/mediaTypes/Book' } } }
      responses: { "200": { summary: A book, content: { application/json: { $ref: '#/components/mediaTypes/Book' } } } }
    additionalOperations:
      LINK: { operationId: linkBook, responses: { "204": { description: d } } }
  /books:
    get:
      operationId: listBooks
      parameters:
        - name: filter
          in: querystring
          required: true
          content: { application/x-www-form-urlencoded: { schema: { type: object, required: [q], properties: { q: { type: string }, limit: { type: integer } } } } }
      responses: { "200": { description: d, content: { application/jsonl: { itemSchema: { $ref: '#/components/schemas/Book' } } } } }`,
  `
tags: [{ name: books, summary: Books, parent: shop, kind: nav }, { name: shop }]
components:
  mediaTypes: { Book: { schema: { $ref: '#/components/schemas/Book' }, examples: { first: { dataValue: { title: Emma } } } } }
  schemas: { Book: { type: object, required: [title], properties: { title: { type: string, xml: { nodeType: attribute } } } } }`,
);

async function getReferenceDocument(): Promise<ReferenceDocument> {
  const { url } = await startStorefront({ contract: await writeDocument(BOOKS) });
  return (await fetch(`${url}/_docs/openapi.json`)).json() as never;
}

interface ReferenceDocument {
  readonly openapi: string;
  readonly tags: readonly unknown[];
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { operationId: string; responses: Readonly<Record<string, unknown>> }>>>
  >;
  readonly components: {
    readonly schemas: { readonly Book: { readonly properties: { readonly title: { readonly xml: unknown } } } };
  };
}

describe('the document of the API reference', () => {
  it('describes an OpenAPI 3.2 contract in OpenAPI 3.1', async () => {
    const { openapi, tags, paths, components } = await getReferenceDocument();
    expect([openapi, tags]).toEqual(['3.1.1', [{ 'x-displayName': 'Books', name: 'books' }, { name: 'shop' }]]);
    const { query, link } = paths['/books/{id}'] ?? {};
    expect(query?.responses['200']).toEqual({
      description: 'A book',
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/Book' },
          examples: { first: { value: { title: 'Emma' } } },
        },
      },
    });
    expect(link?.operationId).toBe('linkBook');
    expect(Object.keys(components)).toEqual(['schemas', 'pathItems']);
    expect(components.schemas.Book.properties.title.xml).toEqual({ attribute: true });
  });

  it('has the types of all operations for openapi-typescript', async () => {
    const types = astToString(await openapiTS(JSON.stringify(await getReferenceDocument())));
    const operations = types.slice(types.indexOf('export interface operations'));
    expect([...operations.matchAll(/^ {4}(\w+): \{/gm)].map(([, name]) => name)).toEqual([
      'listBooks',
      'queryBook',
      'linkBook',
    ]);
    expect(operations).toMatch(/listBooks: \{\s+parameters: \{\s+query: \{\s+q: string;\s+limit\?: number;/);
    expect(operations).toMatch(/queryBook: \{\s+parameters: \{[^}]+path: \{\s+id: string;/);
    expect(operations).toMatch(/"application\/jsonl": components\["schemas"\]\["Book"\]\[\]/);
  });
});
