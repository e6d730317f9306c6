import { expect, it } from 'vitest';
import { describeWrongValue, MAX_BODY_LENGTH } from '../../src/check/findings.ts';

const NAMES = { properties: ['pin'] };

/** Returns a response body that is too long for a report, with a wrong value at its end. */
function createResponse(wrong: object) {
  const body = { list: 'a'.repeat(MAX_BODY_LENGTH), wrong };
  return { body, text: JSON.stringify(body) };
}

it('describeWrongValue returns the value if the report shows only a part of the body', () => {
  expect(describeWrongValue(createResponse({ price: '7' }), 'body/wrong/price', NAMES)).toBe(', but is "7"');
});

it('describeWrongValue shortens a long value', () => {
  const text = describeWrongValue(createResponse({ price: 'b'.repeat(500) }), 'body/wrong/price', NAMES);
  expect(text).toMatch(/^, but is "b{99}…$/);
});

it.each([
  ['the report shows the whole body', { body: { a: 1 }, text: '{"a":1}' }, 'body/a'],
  ['the value is secret', createResponse({ password: 'x' }), 'body/wrong/password'],
  ['the schema has format: password', createResponse({ pin: 'x' }), 'body/wrong/pin'],
  ['the violation is not in the body', createResponse({}), 'content type'],
])('describeWrongValue returns nothing if %s', (_, response, where) => {
  expect(describeWrongValue(response, where, NAMES)).toBe('');
});
