import { expect, it } from 'vitest';
import { loadContract } from '../../src/openapi/contract.ts';
import { isOwnError } from '../../src/resources/entries/entry-validator.ts';
import { createObject } from '../support/fixtures/api-document.ts';
import { writeApi } from '../support/harness/start-api.ts';

const KINDS = ['card', 'cash'].map((kind) =>
  createObject({ 'kind!': { type: 'string', enum: [kind] }, digits: { type: 'string', maxLength: 4 } }),
);

it.each([
  ['alternative', { oneOf: KINDS }, { kind: 'card', digits: '12345' }, false],
  ['schema', KINDS[0] ?? {}, { kind: 'card', digits: '12345' }, true],
])(
  'A stored entry can have an error in an alternative without a name, and no other one: %s',
  async (_what, schema, value, isOwn) => {
    const path = await writeApi({ paths: { '/a': { get: {} } }, schemas: { Payment: schema } });
    const contract = await loadContract({ path, strict: false });
    const errors = contract.getErrors('/components/schemas/Payment', value);
    expect(errors.map(({ keyword }) => keyword)).toEqual(['maxLength']);
    expect(errors.map(isOwnError)).toEqual([isOwn]);
  },
);
