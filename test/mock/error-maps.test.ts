import { expect, it } from 'vitest';
import { DomainError, type Options } from '../../src/index.ts';
import { createOperation, writeDocument } from '../support/fixtures/other-document.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const text = { type: 'string' };
const map = { type: 'object', additionalProperties: text };
const lists = { type: 'object', additionalProperties: { type: 'array', items: text } };

/** Starts a server with `POST /things`, which throws a domain error. `error`: the schema of the bodies of all errors. */
async function start(error: object) {
  const content = { 'application/json': { schema: { type: 'object', properties: { quantity: { type: 'integer' } } } } };
  const failure = { description: 'd', content: { 'application/json': { schema: error } } };
  const post = {
    ...createOperation('createThing'),
    requestBody: { content },
    responses: { 200: { description: 'd' }, 400: failure, 404: failure, 409: failure, 500: failure },
  };
  const createThing = () => {
    throw new DomainError('entry-not-found', 'the thing is gone');
  };
  const contract = await writeDocument({ paths: { '/things': { post } } });
  return startStorefront({ contract, handlers: { createThing } as Options['handlers'] });
}

const MESSAGE = 'quantity is "x": use an integer';

it.each([
  ['texts', map, { quantity: MESSAGE }],
  ['lists of texts', lists, { quantity: [MESSAGE] }],
])(
  'a map of %s has the messages of invalid values by their names, and no invented names',
  async (_, schema, errors) => {
    const { ask } = await start({
      type: 'object',
      required: ['message'],
      properties: { message: text, errors: schema },
    });
    expect((await ask('POST', '/things', { quantity: 'x' })).body).toEqual({ message: MESSAGE, errors });
  },
);

it('an optional map is left out if the error has no invalid values, or if the map is not about invalid values', async () => {
  const properties = { message: text, errors: map, extensions: map, context: lists };
  const { ask } = await start({ type: 'object', required: ['message'], properties });
  expect((await ask('POST', '/things', { quantity: 1 })).body).toEqual({ message: 'the thing is gone' });
  const refused = await ask('POST', '/things', { quantity: 'x' });
  expect(refused.body).toEqual({ message: MESSAGE, errors: { quantity: MESSAGE } });
});

it('a required map is empty if the error has no values for it', async () => {
  const properties = { message: text, errors: map, extensions: map };
  const { ask } = await start({ type: 'object', required: ['message', 'errors', 'extensions'], properties });
  const { body } = await ask('POST', '/things', { quantity: 1 });
  expect(body).toEqual({ message: 'the thing is gone', errors: {}, extensions: {} });
});

it('a body that is a map has the messages by the names of the invalid values', async () => {
  const { ask } = await start(lists);
  expect((await ask('POST', '/things', { quantity: 'x' })).body).toEqual({ quantity: [MESSAGE] });
  expect((await ask('POST', '/things', { quantity: 1 })).body).toEqual({ detail: ['the thing is gone'] });
});

it('the texts of a map in an example do not stay in other errors', async () => {
  const schema = { type: 'object', required: ['message'], properties: { message: text, errors: map } };
  const { ask } = await start({ ...schema, example: { message: 'm', errors: { name: 'is taken', code: 'x' } } });
  expect((await ask('POST', '/things', { quantity: 1 })).body).toEqual({ message: 'the thing is gone' });
});
