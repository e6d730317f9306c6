import { validator as schemasafe } from '@exodus/schemasafe';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMock } from '../../src/mock/mock.ts';
import { loadContract } from '../../src/openapi/contract.ts';
import { documentedOperations, type Schema } from '../support/fixtures/contract-document.ts';
import { projectFile } from '../support/fixtures/default-data.ts';
import { closeSchema } from '../support/oracles/contract-validator.ts';

const contract = await loadContract({ path: projectFile('openapi.yaml'), strict: false });
const mock = createMock(contract);

/** The number of times that each response is generated, and that it is corrupted. */
const TIMES = 40;

/** The values that replace another one. */
const STRANGERS: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e300,
  '',
  'x',
  '1',
  [],
  {},
  [null],
  { id: 1 },
  'urn:uuid:6fb12208-d3f8-49e5-8f52-3d2038703fc6',
  '6FB12208-D3F8-49E5-8F52-3D2038703FC6',
  'a b',
  '/ok',
  8_640_000_000_000_001,
  2 ** 53,
];

/** Returns a copy of a value with one part replaced, removed or added. */
function corrupt(value: unknown, next: () => number): unknown {
  const pick = <One>(some: readonly One[]) => some[Math.floor(next() * some.length)] as One;
  if (typeof value !== 'object' || value === null || next() < 0.15) return pick(STRANGERS);
  if (Array.isArray(value)) {
    if (value.length === 0 || next() < 0.2) return [...value, pick(STRANGERS)];
    const at = Math.floor(next() * value.length);
    return value.map((entry, place) => (place === at ? corrupt(entry, next) : entry));
  }
  const [name = '', inner] = pick(Object.entries(value));
  const kind = next();
  if (kind < 0.2) return Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));
  if (kind < 0.35) return { ...value, [pick(['colour', 'ID', '', 'product'])]: pick(STRANGERS) };
  return { ...value, [name]: corrupt(inner, next) };
}

/** Every documented response with a body, each with the other validator for it. */
const answers = documentedOperations.flatMap(({ operationId, responses }) => {
  const route = contract.routes.find((one) => one.operationId === operationId);
  return Object.entries(responses).flatMap(([name, { content = {} }]) =>
    Object.entries(content).map(([type, { schema }]) => ({
      what: `${operationId} ${name}`,
      route,
      status: Number(name.replace('4XX', '405').replace('5XX', '503')),
      type,
      isRight: opinionOn(schema),
    })),
  );
});

function opinionOn(schema: Schema): (value: unknown) => boolean {
  // The other validator has formats for strings only; minimum and maximum imply int64.
  const text = JSON.stringify(closeSchema(schema), (key, value) =>
    key === 'format' && value === 'int64' ? undefined : value,
  );
  const whole = { $schema: 'https://json-schema.org/draft/2019-09/schema', ...JSON.parse(text) };
  const validate = schemasafe(whole, { mode: 'lax', allowUnusedKeywords: true, formatAssertion: true });
  return (value) => validate(value as never);
}

describe('the validation of a response', () => {
  it.each(answers)('agrees with another validator: $what', ({ route, status, type, isRight }) => {
    if (!route) throw new Error('no such operation');
    const input = { path: {}, query: {}, body: undefined };
    const headers = { 'Content-Type': type, Location: '/x', Allow: 'GET' };
    const seen = { right: 0, wrong: 0 };
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1e9 }),
        fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })),
        (seed, chance) => {
          const { body } = mock.createResponse(route, input, { code: status, dynamic: true, seed }, '');
          const next = () => chance.next().value as number;
          for (const one of [body, corrupt(body, next), corrupt(corrupt(body, next), next)]) {
            const value = JSON.parse(JSON.stringify(one));
            const responseViolations = contract.verifyResponse(
              route,
              { status, headers, body: value },
              { closed: true },
            );
            if (isRight(value)) seen.right++;
            else seen.wrong++;
            expect(responseViolations.length === 0, JSON.stringify({ value, responseViolations })).toBe(isRight(value));
          }
        },
      ),
      { numRuns: TIMES },
    );
    expect(Math.min(seen.right, seen.wrong)).toBeGreaterThan(TIMES / 3);
  });
});
