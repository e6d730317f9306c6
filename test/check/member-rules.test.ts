import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect, it } from 'vitest';
import type { CheckOptions } from '../../src/check/check-options.ts';
import { CheckStoppedError } from '../../src/check/exchange.ts';
import { createApiDocument, createList, createObject, type Paths } from '../support/fixtures/api-document.ts';
import { checkApi, type ReceivedRequest, type SentResponse } from '../support/harness/check-api.ts';

/** The planted defects of a server of members and rooms, with the rule that each violates. */
const DEFECTS = {
  'two members can have the same e-mail address': 'create-unique',
  'two rooms can have the same door': 'create-unique',
  'a room can get the door of another one': 'unique-update',
  'any member can be read': 'unknown-id',
  'any room can be deleted': 'unknown-id',
  'members without a phone are not listed': 'created-listed',
  'the filter by branch compares prefixes': 'filter-selects',
  'the reason of a suspension is not stored': 'stored-value',
  'visits are an hour later in summer': 'stored-value',
} as const;

/** Other habits of correct servers. */
const VARIANTS = [
  'members can share an e-mail address, and 409 is for each fourth member',
  'a suspension has no effect yet',
  'a deleted room can be read as retired',
] as const;

type Defect = keyof typeof DEFECTS;
type Variant = (typeof VARIANTS)[number];
type Entry = Readonly<Record<string, unknown>>;

const MEMBER_INPUT = createObject({
  'name!': { type: 'string', minLength: 1, maxLength: 40 },
  'email!': { type: 'string', format: 'email', maxLength: 60 },
  'visit!': { type: 'string', format: 'date-time' },
  phone: { type: 'string', pattern: '^[0-9]{5,9}$' },
});
const MEMBER = createObject({
  'id!': { type: 'string', readOnly: true },
  branch_code: { type: 'string', readOnly: true },
  status: { type: 'string', enum: ['active', 'suspended'], readOnly: true },
  suspension_reason: { type: 'string', readOnly: true },
  ...(MEMBER_INPUT.properties as Readonly<Record<string, object>>),
});
const SUSPENSION = createObject({ 'reason!': { type: 'string', minLength: 1, maxLength: 80 } });
const DOOR = { type: 'string', pattern: '^[A-Z][0-9]{3,6}$', description: 'No two rooms have the same door.' };
const ROOM = createObject({ 'door!': DOOR, 'seats!': { type: 'integer', minimum: 1, maximum: 90 } });

const PATHS: Paths = {
  '/members': {
    get: { response: createList(MEMBER), query: { branch_code: { type: 'string' } }, errors: [400] },
    post: { operationId: 'addMember', status: 201, request: MEMBER_INPUT, response: MEMBER, errors: [400, 409] },
  },
  '/members/{memberId}': { get: { response: MEMBER, errors: [404] } },
  '/members/{memberId}/suspend': { post: { request: SUSPENSION, response: MEMBER, errors: [400, 404, 409] } },
  '/rooms/{code}': {
    parameters: { code: { type: 'string', maxLength: 40 } },
    get: { response: ROOM, errors: [404] },
    put: { alsoStatus: [201], request: ROOM, response: ROOM, errors: [400, 409] },
    delete: { status: 204, errors: [404] },
  },
};

const PROBLEM = { 'content-type': 'application/problem+json' };

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
const [isMember, isSuspension, isRoom] = [MEMBER_INPUT, SUSPENSION, ROOM].map((schema) => ajv.compile(schema));

/** Returns the function that responds to the requests of the server. */
function createServer(defect: Defect | Variant | undefined): (request: ReceivedRequest) => SentResponse {
  const members = new Map<string, Entry>();
  const rooms = new Map<string, Entry>();
  let requested = 0;
  const is = (one: Defect | Variant) => one === defect;

  const respondToMembers = (
    { method, query, json }: ReceivedRequest,
    id: string | undefined,
    action?: string,
  ): SentResponse => {
    const old = members.get(id ?? '');
    if (id === undefined && method === 'GET') {
      const branch = query.get('branch_code') ?? 'north';
      const isFound = is('the filter by branch compares prefixes') ? 'north'.startsWith(branch) : branch === 'north';
      const shown = [...members.values()].filter(
        ({ phone }) => phone !== undefined || !is('members without a phone are not listed'),
      );
      return { status: 200, body: isFound ? shown : [] };
    }
    if (id === undefined) {
      if (!isMember?.(json)) return { status: 400 };
      const sent = json as Entry;
      const isKnown = [...members.values()].some(({ email }) => email === sent.email);
      const isShared = is('members can share an e-mail address, and 409 is for each fourth member');
      if (isShared && ++requested % 4 === 0) return { status: 409 };
      if (isKnown && !isShared && !is('two members can have the same e-mail address')) return { status: 409 };
      const visit = is('visits are an hour later in summer') ? addSummerTime(String(sent.visit)) : sent.visit;
      const member = { id: `m${members.size + 1}x`, branch_code: 'north', status: 'active', ...sent, visit };
      members.set(member.id, member);
      return { status: 201, body: member };
    }
    if (!old && is('any member can be read') && action === undefined)
      return { status: 200, body: { id, name: '-', email: 'a@example.com', visit: '2026-01-01T00:00:00Z' } };
    if (!old) return { status: 404 };
    if (action === undefined) return { status: 200, body: old };
    if (!isSuspension?.(json)) return { status: 400 };
    if (is('a suspension has no effect yet')) return { status: 200, body: old };
    // A member can be suspended twice: the contract does not say when the 409 occurs.
    const reason = is('the reason of a suspension is not stored') ? undefined : (json as Entry).reason;
    const member = { ...old, status: 'suspended', suspension_reason: reason };
    members.set(id, member);
    return { status: 200, body: member };
  };

  const respondToRooms = ({ method, json }: ReceivedRequest, code: string): SentResponse => {
    const old = rooms.get(code);
    if (method === 'DELETE' && is('a deleted room can be read as retired')) {
      if (!old || old.state === 'retired') return { status: 404 };
      rooms.set(code, { seats: old.seats, door: `Z${rooms.size}000`, state: 'retired' });
      return { status: 204 };
    }
    if (method === 'DELETE') {
      if (!rooms.delete(code) && !is('any room can be deleted')) return { status: 404 };
      return { status: 204 };
    }
    if (method === 'GET') return old ? { status: 200, body: old } : { status: 404 };
    if (!isRoom?.(json)) return { status: 400 };
    const room = json as Entry;
    const isTaken = [...rooms].some(([other, { door }]) => other !== code && door === room.door);
    const isUnchecked = is('two rooms can have the same door') || (old && is('a room can get the door of another one'));
    if (isTaken && !isUnchecked) return { status: 409 };
    rooms.set(code, room);
    return { status: old ? 200 : 201, body: room };
  };
  return (request) => {
    const [, collection, id, action] = request.path.split('/');
    const { status, body } =
      collection === 'rooms' ? respondToRooms(request, id ?? '') : respondToMembers(request, id, action);
    return status < 400 ? { status, body } : { status, body: {}, headers: PROBLEM };
  };
}

function addSummerTime(time: string): string {
  const date = new Date(time);
  const isSummer = date.getUTCMonth() > 2 && date.getUTCMonth() < 9;
  return isSummer ? new Date(date.getTime() + 3_600_000).toISOString() : time;
}

/** Checks a server without the parts about the input of single operations. Returns the rules of the findings. */
async function findRules(defect: Defect | Variant | undefined, until?: string): Promise<readonly string[]> {
  const controller = new AbortController();
  const reason = new CheckStoppedError('the rest of the check is about the input of single operations', 'interrupted');
  const onProgress: CheckOptions['onProgress'] = (_done, _total, part, findings) => {
    if (part.startsWith('input of') || findings.some(({ rule }) => rule === until)) controller.abort(reason);
  };
  const document = JSON.parse(createApiDocument(PATHS));
  for (const path of ['/members', '/members/{memberId}/suspend'])
    document.paths[path].post.responses[409].description = 'Conflict';
  const { findings } = await checkApi(document, createServer(defect), {
    runs: 8,
    onProgress,
    signal: controller.signal,
  });
  return findings.map(({ rule, message }) => `${rule}: ${message}`);
}

it.each(Object.entries(DEFECTS) as [Defect, string][])('finds that %s, as a violation of %s', async (defect, rule) => {
  const found = await findRules(defect, rule);
  expect(found.map((one) => one.replace(/:.*/, ''))).toEqual([rule]);
});

it('finds nothing in a correct server of members and rooms', async () => {
  expect(await findRules(undefined)).toEqual([]);
});

it.each(VARIANTS)('finds nothing if %s', async (variant) => {
  expect(await findRules(variant)).toEqual([]);
});
