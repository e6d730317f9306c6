import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { createApiDocument, createObject } from '../support/fixtures/api-document.ts';
import { checkApi, type ReceivedRequest, type SentResponse } from '../support/harness/check-api.ts';

const TEXT = { type: 'string', minLength: 1, maxLength: 40 };
const TEXT_OR_NULL = { ...TEXT, type: ['string', 'null'] };

const Team = createObject({
  'id!': { type: 'string', readOnly: true },
  'name!': TEXT,
  'author!': TEXT_OR_NULL,
  motto: TEXT,
});

const NAMES = ['name', 'author', 'motto'];
const INPUT = createObject({ 'name!': TEXT, author: TEXT_OR_NULL, motto: TEXT });
const PATCH = createObject(Object.fromEntries(NAMES.map((name) => [name, TEXT_OR_NULL])));

const DOCUMENT = JSON.parse(
  createApiDocument({
    '/teams': { post: { status: 201, request: INPUT, response: Team } },
    '/teams/{id}': { get: { response: Team }, patch: { request: PATCH, response: Team } },
  }),
);

const ajv = new Ajv2020({ strict: false });
const isInput = ajv.compile(INPUT);
const isPatch = ajv.compile(PATCH);

type Values = Readonly<Record<string, unknown>>;

const fail = (status: number): SentResponse => ({
  status,
  body: {},
  headers: { 'content-type': 'application/problem+json' },
});

/** Checks a server of teams. `patch`: returns the team after a change; undefined to refuse the change. */
async function checkTeams(patch: (old: Values, sent: Values) => Values | undefined): Promise<readonly string[]> {
  const teams = new Map<string, Values>();

  const respond = ({ method, path, json }: ReceivedRequest): SentResponse => {
    const id = method === 'POST' ? `t${teams.size + 1}` : (path.split('/')[2] ?? '');
    const old = teams.get(id);
    if (method !== 'POST' && !old) return fail(404);
    if (method === 'GET' || method === 'HEAD') return { status: 200, body: old };
    if (!(old ? isPatch : isInput)(json)) return fail(422);
    const sent = Object.fromEntries(Object.entries(json as Values).filter(([name]) => NAMES.includes(name)));
    const team = old ? patch(old, sent) : { author: null, ...sent, id };
    if (!team) return fail(422);
    teams.set(id, team);
    return { status: old ? 200 : 201, body: team };
  };
  const { findings } = await checkApi(DOCUMENT, respond, { only: ['patchTeamsById'], runs: 5 });
  return findings
    .filter(({ rule }) => ['null-removes', 'kind-accepted', 'response-schema'].includes(rule))
    .map(({ rule, message }) => `${rule}: ${message}`);
}

/** Returns an object without the properties that are null, except those of `kept`. */
function removeNulls(values: Values, ...kept: readonly string[]): Values {
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => value !== null || kept.includes(name)));
}

describe('null for a property that the resource must have, in a PATCH,', () => {
  it('can keep the value', async () => {
    const patch = (old: Values, sent: Values) => ({
      ...removeNulls({ ...old, ...sent }, 'author'),
      name: sent.name ?? old.name,
    });
    expect(await checkTeams(patch)).toEqual([]);
  });

  it('can be refused', async () => {
    const patch = (old: Values, sent: Values) =>
      sent.name === null ? undefined : removeNulls({ ...old, ...sent }, 'author');
    expect(await checkTeams(patch)).toEqual([]);
  });
});

it.each(['author', 'motto'])('a PATCH that ignores null for %s, which can be removed, is a finding', async (name) => {
  const patch = (old: Values, sent: Values) => ({
    ...removeNulls({ ...old, ...sent, [name]: sent[name] ?? old[name] }, 'author'),
    name: sent.name ?? old.name,
  });
  expect(await checkTeams(patch)).toEqual([expect.stringMatching(new RegExp(`^null-removes: ${name} is "`))]);
});
