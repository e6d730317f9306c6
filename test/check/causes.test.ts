import { expect, it } from 'vitest';
import { groupByCause } from '../../src/check/causes.ts';
import type { Finding } from '../../src/check/findings.ts';
import { createViolation, getCauses, getRule, RULES, type RuleName } from '../../src/check/rules.ts';
import { loadContract } from '../../src/openapi/contract.ts';
import { createResourcePaths, refer } from '../support/fixtures/api-document.ts';
import { writeApi } from '../support/harness/start-api.ts';

const paths = {
  ...createResourcePaths('/ants/{id}', refer('Animal')),
  ...createResourcePaths('/ants/{antId}/eggs/{id}', refer('Animal')),
  ...createResourcePaths('/bees/{id}', refer('Animal')),
};
const path = await writeApi({ paths, schemas: { Animal: { type: 'object', properties: { id: { type: 'string' } } } } });
const { routes } = await loadContract({ path, strict: false });

function finding(method: string, place: string, rule: RuleName, title?: string, parts: Partial<Finding> = {}): Finding {
  const operationId = routes.find((route) => route.method === method && route.path === place)?.operationId ?? '';
  const violation = createViolation(rule, { message: '', pointer: '', ...(title !== undefined && { title }) });
  return { ...violation, check: 'behaviour', operationId, status: '200', exchanges: [], ...parts };
}

function group(...findings: readonly Finding[]): readonly (readonly number[])[] {
  return groupByCause(findings, routes).map((one) => one.map((each) => findings.indexOf(each)));
}

it('puts findings about a resource that is not stored after the finding from which they follow', () => {
  const listed = finding('GET', '/ants', 'created-listed');
  const late = finding('GET', '/ants', 'list-current');
  const other = finding('GET', '/bees', 'created-listed', 'another rule');
  const readable = finding('GET', '/ants/{id}', 'created-readable');
  expect(group(listed, late, other, readable)).toEqual([[2], [3, 0, 1]]);
});

it('puts a finding about a nested resource after that of the resource that contains it', () => {
  const inner = finding('GET', '/ants/{antId}/eggs', 'created-listed');
  expect(group(finding('GET', '/ants/{id}', 'created-readable'), inner)).toEqual([[0, 1]]);
  expect(group(finding('GET', '/bees/{id}', 'created-readable'), inner)).toEqual([[0], [1]]);
});

it('groups findings about one property of a resource, and no findings about others', () => {
  const inEntry = finding('GET', '/ants/{id}', 'response-schema', 'body/price type');
  const inList = finding('GET', '/ants', 'response-schema', 'body/items/*/price type');
  const inBees = finding('GET', '/bees', 'response-schema', 'body/items/*/price type');
  const other = finding('GET', '/ants/{id}', 'response-schema', 'body/name type');
  expect(group(inEntry, inList, inBees, other)).toEqual([[0, 1], [2], [3]]);
});

it('groups missing properties of one object in a response', () => {
  const inAnts = (title: string, parts?: Partial<Finding>) => finding('GET', '/ants', 'response-schema', title, parts);
  const first = inAnts('body/*/nest/color required');
  const second = inAnts('body/*/nest/size required');
  const inEntry = finding('GET', '/ants/{id}', 'response-schema', 'body/nest/size required');
  const other = inAnts('body/*/queen/age required');
  const invalid = inAnts('body/*/nest/depth type');
  const inRefusal = inAnts('body/*/nest/height required', { status: '400' });
  expect(group(first, second, inEntry, other, invalid, inRefusal)).toEqual([[0, 1, 2], [3], [4], [5]]);
});

it('groups findings about one place of a schema that several operations use', () => {
  const find = (path: string, name: string, status: string) =>
    finding('GET', path, 'response-schema', `body/${name} type`, {
      status,
      pointer: `/components/schemas/Problem/properties/${name}`,
    });
  const all = [find('/ants', 'code', '400'), find('/bees', 'code', '404'), find('/bees', 'text', '404')];
  expect(group(...all)).toEqual([[0, 1], [2]]);
  const own = ['/ants', '/bees'].map((path) =>
    finding('GET', path, 'response-schema', 'body type', { pointer: `/paths/~1${path.slice(1)}/get` }),
  );
  expect(group(...own)).toEqual([[0], [1]]);
});

it('puts findings about a place of a schema after the one from which one of them follows', () => {
  const invalid = finding('POST', '/ants', 'invalid-refused', 'refuses invalid requests: body /queenId format');
  const inSchema = { pointer: '/components/schemas/Ant/properties/queenId' };
  const elsewhere = finding('GET', '/bees', 'response-schema', 'body/ants/*/queenId format', inSchema);
  const returned = finding('GET', '/ants', 'response-schema', 'body/*/queenId format', inSchema);
  expect(group(elsewhere, invalid, returned)).toEqual([[1, 2, 0]]);
});

it('groups server errors by the unusual part of the request, and others by resource', () => {
  const response = { status: 500, headers: {}, text: '', body: undefined, jsonError: undefined };
  const fail = (place: string, end = '', body = '{}') =>
    finding('POST', place, 'server-error', undefined, {
      exchanges: [{ request: { method: 'POST', target: place + end, body }, response }],
    });
  const escapes = ['/ants', '/bees'].map((place) => fail(place, '?name=%ff'));
  const nested = ['/ants', '/bees'].map((place) => fail(place, '', '['.repeat(1_000)));
  expect(group(...escapes, ...nested, fail('/ants'), fail('/bees'))).toEqual([[0, 1], [2, 3], [4], [5]]);
});

it('groups refusals of empty texts', () => {
  const refuse = (name: string, kind: string) =>
    finding('POST', '/ants', 'kind-accepted', `accepts valid requests: body /${name}`, {
      message: `The server refuses a valid request with the documented status 400 (body /${name}: ${kind}). It refused all 4`,
    });
  const empty = ['name', 'color'].map((name) => refuse(name, 'an empty text'));
  expect(group(...empty, refuse('name', 'the maximum length 40'))).toEqual([[0, 1], [2]]);
});

it('puts certain findings about unknown ids apart from likely ones', () => {
  const certain = finding('GET', '/ants/{id}', 'unknown-id');
  const likely = ['/ants', '/bees'].map((path) =>
    finding('GET', path, 'unknown-id', undefined, { confidence: 'likely' }),
  );
  expect(group(certain, ...likely)).toEqual([[0], [1, 2]]);
});

it('groups findings about one place of invalid requests', () => {
  const rule = 'refuses invalid requests: body /name';
  const all = ['minLength', 'type'].map((keyword) => finding('POST', '/ants', 'invalid-refused', `${rule} ${keyword}`));
  const other = finding('POST', '/ants', 'invalid-refused', 'refuses invalid requests: body /price type');
  expect(group(...all, other)).toEqual([[0, 1], [2]]);
});

it.each(Object.keys(RULES) as RuleName[])('the rule %s follows only from rules of the table', (name) => {
  expect(getCauses(name)).toEqual(Object.keys(RULES).filter((one) => getRule(name).impliedBy?.includes(one)));
  expect(getRule(name).impliedBy ?? []).toHaveLength(getCauses(name).length);
});
