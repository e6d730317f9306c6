import { expect, it } from 'vitest';
import { changesBetween } from '../../src/diff/changes.ts';
import type { Document } from '../../src/openapi/document.ts';

function createDocument(schema: object): Document {
  const content = { 'application/json': { schema: { type: 'object', properties: { value: schema } } } };
  const post = { requestBody: { content }, responses: { 204: { description: 'Done' } } };
  return { openapi: '3.0.3', info: { title: 'Values', version: '1' }, paths: { '/values': { post } } } as Document;
}

const card = { type: 'object', required: ['card'], properties: { card: { type: 'string' } } };
const iban = { type: 'object', required: ['iban'], properties: { iban: { type: 'string' } } };

it.each([
  [{ type: 'integer' }, { type: 'integer', minimum: 1 }, 'must be at least 1, and had no minimum'],
  [{ type: 'number' }, { type: 'number', maximum: 5, exclusiveMaximum: true }, 'must be below 5, and had no maximum'],
  [{ type: 'integer', minimum: 1 }, { type: 'integer' }, 'has no minimum any more, which was 1'],
  [{ type: 'integer', maximum: 9 }, { type: 'integer', maximum: 5 }, 'can be at most 5 instead of 9'],
  [{ type: 'string' }, { type: 'integer' }, 'can be an integer instead of a string'],
  [
    { type: 'array', items: {} },
    { type: 'array', items: {}, nullable: true },
    'can be an array or null instead of an array',
  ],
  [{ oneOf: [card, iban] }, { oneOf: [card] }, 'can no longer be an object with iban'],
])('from %j to %j is described as a sentence', (before, after, words) => {
  const changes = changesBetween(createDocument(before), createDocument(after));
  expect(changes.map(({ message }) => message)).toEqual([`value of the request ${words}`]);
});

it.each([
  [{ password: { tokenUrl: '/t' } }, 'the request needs oauth2 (password) instead of oauth2 (clientCredentials)'],
  [{ clientCredentials: { tokenUrl: '/u' } }, 'the request needs oauth2 (clientCredentials) with other URLs'],
])('other flows of OAuth 2.0 are described as a sentence: %j', (flows, words) => {
  const document = createDocument({});
  const secure = (other: object) => ({
    ...document,
    security: [{ token: [] }],
    components: { securitySchemes: { token: { type: 'oauth2', flows: other } } },
  });
  const changes = changesBetween(
    secure({ clientCredentials: { tokenUrl: '/t' } }) as Document,
    secure(flows) as Document,
  );
  expect(changes.map(({ message }) => message)).toEqual([words]);
});
