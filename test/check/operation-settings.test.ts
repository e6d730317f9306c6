import { describe, expect, it } from 'vitest';
import { runCheck } from '../../src/check/command.ts';
import { type SettingsBySelector, validateSettings } from '../../src/check/operation-settings.ts';
import type { CheckCommand } from '../../src/check/options.ts';
import { toJunit } from '../../src/check/report/junit.ts';
import { toSarif } from '../../src/check/report/sarif.ts';
import { toText } from '../../src/check/report/text.ts';
import { shopModel } from '../../src/shop/model/shop.ts';
import { createOperation, writeDocument } from '../support/fixtures/other-document.ts';
import { type ReceivedRequest, type SentResponse, startApi } from '../support/harness/check-api.ts';

const team = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string' }, country: { type: 'string' } },
};
const content = { 'application/json': { schema: team } };
const orgId = { name: 'orgId', in: 'path', required: true, schema: { type: 'string' } };
const region = { name: 'X-Region', in: 'header', schema: { type: 'string' } };

const paths = {
  '/orgs/{orgId}/teams': {
    parameters: [orgId],
    get: createOperation('listTeams', { type: 'array', items: team }, { parameters: [region] }),
    post: createOperation('createTeam', team, { requestBody: { required: true, content }, tags: ['admin'] }),
  },
  '/orgs/{orgId}/purge': { parameters: [orgId], post: createOperation('purge') },
};

/** Checks a server. Returns the report, its text, and the requests. */
async function check(respond: (request: ReceivedRequest) => SentResponse, command: Partial<CheckCommand>) {
  const seen: ReceivedRequest[] = [];
  const url = await startApi((request) => {
    seen.push(request);
    return respond(request);
  });
  const contract = await writeDocument({ paths });
  const report = await runCheck(
    { url, contract, wait: 0, allowWrites: true, headers: {}, runs: 10, ...command },
    { contract, model: shopModel, start: () => Promise.reject(new Error()), print() {}, seed: 1, nowMs: 0 },
  );
  return { report, text: toText(report), seen };
}

/** Returns the requests to a path that end with a text. */
const to = (seen: readonly ReceivedRequest[], method: string, end: string) =>
  seen.filter((one) => one.method === method && one.path.endsWith(end));

/** A server with one organization, which accepts teams of one country only. */
function respondWithTeams({ method, path, headers, json }: ReceivedRequest): SentResponse {
  if (!/^\/orgs\/acme\/(?:teams|purge)$/.test(path)) return { status: 404 };
  if (headers['x-tenant'] !== 'blue-tenant') return { status: 403 };
  if (path.endsWith('/purge')) return { status: method === 'POST' ? 200 : 405, headers: { allow: 'POST' }, body: {} };
  if (method === 'GET' || method === 'HEAD') return { status: 200, body: [{ name: 1 }] };
  if (method !== 'POST') return { status: 405, headers: { allow: 'GET, POST' } };
  const { name, country } = Object(json);
  const isValid = typeof name === 'string' && country === 'DE' && Object.keys(json as object).length <= 2;
  return isValid ? { status: 200, body: { name, country } } : { status: 400 };
}

const SETTINGS: SettingsBySelector = {
  '/orgs/**': { headers: { 'X-Tenant': 'blue-tenant' } },
  createTeam: { body: { country: 'DE' } },
  purge: { skip: 'it deletes everything' },
  listTeams: { expected: [{ rule: 'response-schema', status: 200, reason: 'API-12' }] },
};

describe('The settings of operations', () => {
  it('skip operations, set headers and values, and accept failures', async () => {
    const { report, text, seen } = await check(respondWithTeams, {
      operations: SETTINGS,
      parameters: { orgId: 'acme', 'x-region': 'eu' },
    });
    expect(to(seen, 'POST', '/purge')).toEqual([]);
    const lists = to(seen, 'GET', '/orgs/acme/teams');
    expect(lists.some(({ headers }) => headers['x-region'] === 'eu')).toBe(true);
    expect(lists.every(({ headers }) => headers['x-tenant'] === 'blue-tenant')).toBe(true);
    const created = to(seen, 'POST', '/orgs/acme/teams').map(({ json }) => Object(json).country);
    expect(created.filter((country) => country === 'DE').length).toBeGreaterThan(created.length / 4);
    expect(report.notes).toContain('Skipped by check.operations: purge (it deletes everything)');
    expect(report.expected).toMatchObject([{ operationId: 'listTeams', reason: 'API-12' }]);
    expect(report.failures.map(({ operationId }) => operationId)).not.toContain('listTeams');
    expect(text).toContain('expected failure: listTeams 200 (input) violates "body/*/name type" (API-12)');
    expect(text).toMatch(/; 1 expected failure$/);
    expect(toJunit(report)).toContain('<skipped message="expected failure: API-12"/>');
    expect(toSarif(report)).toContain('"justification": "API-12"');
    // The value of a header can be a secret.
    expect(JSON.stringify(report)).not.toContain('blue-tenant');
  });

  it('name an expected failure that did not occur', async () => {
    const { report } = await check(() => ({ status: 200, body: [] }), {
      only: ['listTeams'],
      operations: { listTeams: { expected: [{ rule: 'response-schema', reason: 'API-12' }] } },
    });
    expect(report.notes).toContain(
      'Expected failures that did not occur: listTeams response-schema. If they are fixed, remove them from check.operations',
    );
  });

  it.each<[string, Partial<CheckCommand>]>([
    ['check.operations: .* has no operation listTems', { operations: { listTems: {} } }],
    [
      'check.operations\\["listTeams"\\].parameters.limit: listTeams has no such parameter. Use orgId, X-Region',
      { operations: { listTeams: { parameters: { limit: 1 } } } },
    ],
    ['check.parameters.limit: no operation has this parameter', { parameters: { limit: 1 } }],
    ['check.parameters.orgId: \\{"a":1\\} violates the schema', { parameters: { orgId: { a: 1 } } }],
  ])('are refused: %s', async (problem, command) => {
    await expect(check(() => ({ status: 200 }), command)).rejects.toThrow(new RegExp(problem));
  });
});

describe('validateSettings', () => {
  it.each<[unknown, string]>([
    [[], 'check.operations must be an object with settings by operationId'],
    [{ a: 1 }, 'check.operations["a"] must be an object such as { skip: "…" }.'],
    [{ a: { skp: 'x' } }, 'Unknown setting check.operations["a"].skp: did you mean "skip"?'],
    [{ a: { skip: true } }, 'check.operations["a"].skip must be a string: the reason.'],
    [{ a: { headers: { 'a b': 'c' } } }, 'check.operations["a"].headers must be an object with headers'],
    [{ a: { parameters: [] } }, 'check.operations["a"].parameters must be an object'],
    [{ a: { expected: {} } }, 'check.operations["a"].expected must be a list'],
    [{ a: { expected: [{ rule: 'respons-schema', reason: 'x' }] } }, '.expected[0].rule must be a rule: did you mean'],
    [{ a: { expected: [{ rule: 'json' }] } }, '.expected[0].reason must be a string: why the failure is accepted.'],
    [
      { a: { expected: [{ rule: 'json', reason: 'x', state: 1 }] } },
      'Unknown setting check.operations["a"].expected[0].state',
    ],
  ])('refuses %j', (settings, problem) => {
    expect(() => validateSettings('check.operations', settings)).toThrow(problem);
  });
});
