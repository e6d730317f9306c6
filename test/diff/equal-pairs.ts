import type { Document } from '../../src/openapi/document.ts';
import { ADD, type Edits, edited, ITEM, ITEMS, LIST, NEW, search, text } from './breaking-base.ts';

/** Versions with the same meaning. */
export const equalPairs: readonly { readonly name: string; readonly before: Document; readonly after: Document }[] = [
  same('a description is another one', { [`${LIST}/description`]: 'Every item', [`${ITEM}/description`]: 'An item' }),
  same('a path parameter has another name', {
    '/paths/~1items~1{itemId}': {
      ...(at('/paths/~1items~1{id}') as object),
      parameters: [{ name: 'itemId', in: 'path', required: true, schema: text }],
    },
    '/paths/~1items~1{id}': undefined,
  }),
  same(
    'two paths differ in the names of their parameters',
    {},
    {
      '/paths/~1items~1{name}': { put: { responses: {} } },
      '/paths/~1items~1{other}': { put: { parameters: [search], responses: {} } },
    },
  ),
  same(
    'a pattern that matches each text is gone',
    { [`${NEW}/properties/name/pattern`]: undefined },
    { [`${NEW}/properties/name/pattern`]: '.*' },
  ),
  same('a reference is written out', { [`${ADD}/requestBody/content/application~1json/schema`]: at(NEW) }),
  same('a schema has another name', {
    '/components/schemas/Ticket': at('/components/schemas/Voucher'),
    '/components/schemas/Payment/oneOf/1/$ref': '#/components/schemas/Ticket',
  }),
  same('a list of alternatives has another order', {
    '/components/schemas/Payment/oneOf/0/$ref': '#/components/schemas/Voucher',
    '/components/schemas/Payment/oneOf/1/$ref': '#/components/schemas/Card',
  }),
  same('a limit of whole numbers excludes the next', {
    [`${NEW}/properties/quantity`]: { type: 'integer', minimum: 0, exclusiveMinimum: true, maximum: 20 },
  }),
  same('a schema is an allOf of one', { [NEW]: { allOf: [at(NEW)] } }),
  same(
    'a parameter stands at its path',
    {
      [`${ITEMS}/parameters`]: [at(`${LIST}/parameters/0`)],
      [`${LIST}/parameters/0`]: undefined,
      [`${ADD}/parameters`]: undefined,
    },
    { [`${ADD}/parameters`]: [at(`${LIST}/parameters/0`)] },
  ),
  same('OpenAPI 3.1 says null as a type', {
    '/openapi': '3.1.0',
    [`${ITEM}/properties/note`]: { type: ['string', 'null'] },
    [`${NEW}/properties/note`]: { anyOf: [text, { type: 'null' }] },
    [`${NEW}/properties/size`]: { oneOf: [{ const: 'small' }, { const: 'large' }] },
  }),
];

function same(name: string, edits: Edits, given: Edits = {}) {
  return { name, before: edited(given), after: edited({ ...given, ...edits }) };
}

function at(pointer: string): unknown {
  const steps = pointer.split('/').slice(1);
  return steps.reduce<unknown>(
    (node, step) => Reflect.get(node as object, step.replaceAll('~1', '/').replaceAll('~0', '~')),
    edited({}),
  );
}
