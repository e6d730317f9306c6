import { expect, it } from 'vitest';
import { findPropertyPointer, generalizePlace } from '../../src/check/body-places.ts';
import type { Document } from '../../src/openapi/document.ts';

const DOCUMENT = {
  openapi: '3.0.3',
  info: { title: 'Games', version: '1' },
  paths: {},
  components: {
    schemas: {
      Page: {
        type: 'object',
        properties: { items: { type: 'array', items: { $ref: '#/components/schemas/Entry' } } },
      },
      Entry: {
        allOf: [
          { $ref: '#/components/schemas/Game' },
          {
            type: 'object',
            properties: { games: { type: 'array', items: { $ref: '#/components/schemas/Game' } } },
          },
        ],
      },
      Game: {
        allOf: [
          {
            type: 'object',
            properties: { 404: { type: 'string' }, players: { type: 'array', items: { type: 'string' } } },
          },
          { $ref: '#/components/schemas/Scored' },
        ],
      },
      Scored: {
        type: 'object',
        properties: {
          scores: {
            type: 'object',
            additionalProperties: { type: 'array', items: { $ref: '#/components/schemas/Game' } },
          },
          labels: { type: 'object', patternProperties: { '^x-': { type: 'string' } } },
        },
      },
    },
  },
} as unknown as Document;

it.each([
  ['body/players/3', 'body/players/*'],
  ['body/scores/ann', 'body/scores/*'],
  ['body/scores/7/2/players/1', 'body/scores/*/*/players/*'],
  ['body/scores/a~1b/2/scores/bob', 'body/scores/*/*/scores/*'],
  ['body/labels/x-color', 'body/labels/*'],
  ['body/404', 'body/404'],
  ['body/unknown/name', 'body/unknown/name'],
  ['body', 'body'],
  ['header X-Total', 'header X-Total'],
])('the place %j is %j without generated values', (where, expected) => {
  expect(generalizePlace(DOCUMENT, '/components/schemas/Game', where)).toBe(expected);
});

it('a place without a schema has no generated indices', () => {
  expect(generalizePlace(DOCUMENT, undefined, 'body/3/name')).toBe('body/*/name');
});

it.each([
  ['players', '/components/schemas/Game/allOf/0/properties/players'],
  ['scores', '/components/schemas/Scored/properties/scores'],
  ['scores.ann', '/components/schemas/Scored/properties/scores'],
  ['games[].labels', '/components/schemas/Scored/properties/labels'],
  ['unknown.labels', undefined],
])('the property %j of an entry has a place in the schema', (name, expected) => {
  expect(findPropertyPointer(DOCUMENT, '/components/schemas/Page', name)).toBe(expected);
});
