import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/openapi/contract.ts';
import { createList, createObject, type Paths } from '../support/fixtures/api-document.ts';
import { runCheck } from '../support/harness/check.ts';
import { startApi } from '../support/harness/check-api.ts';
import { writeApi } from '../support/harness/start-api.ts';
import { startRecorder } from '../support/reference-servers/echo-server.ts';

const TEXT = { type: 'string', minLength: 1, maxLength: 60 };

const BOOKING = createObject({
  id: { type: 'string', readOnly: true },
  'guest!': TEXT,
  'email!': { type: 'string', format: 'email' },
  'from!': { type: 'string', format: 'date-time' },
  'to!': { type: 'string', format: 'date-time' },
  'price!': { type: 'number', minimum: 0, maximum: 10_000 },
  'isPaid!': { type: 'boolean' },
  room: { enum: ['single', 'double', 'suite'] },
  tags: { ...createList(TEXT), minItems: 1 },
  address: createObject({ street: TEXT, city: TEXT }),
  password: { type: 'string', writeOnly: true },
  status: TEXT,
  createdAt: { type: 'string', format: 'date-time' },
});

const paths: Paths = {
  '/bookings': { post: { status: 201, request: BOOKING, response: BOOKING } },
  '/bookings/{id}': {
    get: { response: BOOKING },
    put: { request: BOOKING, response: BOOKING },
    patch: { request: { ...BOOKING, required: [] }, response: BOOKING },
    delete: { status: 204 },
  },
};

// biome-ignore lint/suspicious/noExplicitAny: the test changes single properties of any type.
type Booking = Record<string, any>;

/** How a server changes what it stores and shows. Default: it stores and shows everything that was sent. */
interface Variant {
  readonly create?: (sent: Booking) => Booking;
  readonly put?: (sent: Booking, old: Booking) => Booking;
  readonly patch?: (sent: Booking, old: Booking) => Booking;
}

/** Starts a server of bookings. Returns its address. */
async function startBookings({ create, put, patch }: Variant): Promise<string> {
  const bookings = new Map<string, Booking>();
  const { url } = await startRecorder(({ method, target, body }, response) => {
    const id = target.split('/')[2];
    const send = (status: number, value?: unknown) =>
      response
        .writeHead(status, {
          'content-type': status < 400 ? 'application/json' : 'application/problem+json',
          ...(status === 405 && { allow: id === undefined ? 'POST' : 'GET, PUT, PATCH, DELETE' }),
        })
        .end(value === undefined ? undefined : JSON.stringify(value));
    const old = bookings.get(id ?? '');
    if (id !== undefined && !old) return void send(404, {});
    if (method === 'GET' && old) return void send(200, old);
    if (method === 'DELETE' && old && bookings.delete(id ?? '')) return void send(204);
    if ((method === 'POST') === (id !== undefined) || body.length === 0) return void send(405, {});
    const { password: _, ...sent }: Booking = JSON.parse(`${body}`);
    const newId = id ?? `b${bookings.size + 1}`;
    let stored = { ...(create?.(sent) ?? sent) };
    if (method === 'PUT') stored = put?.(sent, old ?? {}) ?? sent;
    if (method === 'PATCH') stored = patch?.(sent, old ?? {}) ?? { ...old, ...sent };
    bookings.set(newId, { ...stored, id: newId });
    send(method === 'POST' ? 201 : 200, bookings.get(newId));
  });
  return url;
}

/** Checks the life cycle of bookings on a server. Returns the findings as texts. */
async function checkBookings(variant: Variant): Promise<readonly string[]> {
  const contract = await loadContract({ path: await writeApi({ paths }), strict: false });
  const url = await startBookings(variant);
  const only = ['getBookingsById'];
  const { findings } = await runCheck(url, { contract, model: undefined, isFresh: false, runs: 10, only });
  return findings.map(({ title, message }) => `${title}: ${message}`);
}

const normalize = (sent: Booking): Booking => ({
  ...sent,
  ...(sent.guest && { guest: sent.guest.trim().toUpperCase() }),
  ...(sent.email && { email: sent.email.toLowerCase() }),
  ...(sent.from && { from: new Date(sent.from).toISOString() }),
  ...(sent.to && { to: `${new Date(sent.to).toISOString().slice(0, 19)}+00:00` }),
  ...(sent.price !== undefined && { price: Math.round(sent.price) }),
  ...(sent.tags && { tags: [...new Set(sent.tags)].sort() }),
  ...(sent.address && { address: { ...sent.address, country: 'DE' } }),
  status: 'new',
  createdAt: '2024-01-01T00:00:00Z',
});

describe('The check of values that a server stores', () => {
  it.each<[about: string, variant: Variant]>([
    ['stores everything', {}],
    ['normalizes values', { create: normalize, put: normalize, patch: (sent, old) => normalize({ ...old, ...sent }) }],
    ['removes optional properties that PUT does not send', { put: ({ status: _, ...sent }) => sent }],
  ])('finds nothing in a server that %s', async (_, variant) => {
    expect(await checkBookings(variant)).toEqual([]);
  });

  it.each<[about: string, finding: RegExp, variant: Variant]>([
    [
      'stores another guest',
      /^changes are stored: postBookings: guest was sent in \d+ .* always has the same value: for example "Anonymous"/,
      { create: (sent) => ({ ...sent, guest: 'Anonymous' }) },
    ],
    ['drops a list', /postBookings: tags was sent .* missing/, { create: ({ tags: _, ...sent }) => sent }],
    ['empties a list', /postBookings: tags was sent/, { create: (sent) => ({ ...sent, tags: ['x'] }) }],
    ['drops an object', /postBookings: address was sent .* missing/, { create: ({ address: _, ...sent }) => sent }],
    [
      'drops a property of an object',
      /postBookings: address.city was sent .* missing/,
      { create: (sent) => ({ ...sent, ...(sent.address && { address: { street: sent.address.street } }) }) },
    ],
    ['always stores false', /postBookings: isPaid was sent/, { create: (sent) => ({ ...sent, isPaid: false }) }],
    ['always stores the same room', /postBookings: room was sent/, { create: (sent) => ({ ...sent, room: 'suite' }) }],
    ['ignores a price', /postBookings: price was sent/, { create: (sent) => ({ ...sent, price: 0 }) }],
    [
      'ignores a property of PATCH',
      /patchBookingsById: to was sent .* keeps its previous value/,
      { patch: (sent, old) => ({ ...old, ...sent, to: old.to }) },
    ],
    [
      'ignores a property of PUT',
      /putBookingsById: room was sent/,
      { put: (sent, old) => ({ ...sent, room: old.room }) },
    ],
  ])('finds one violation in a server that %s', async (_, finding, variant) => {
    expect(await checkBookings(variant)).toEqual([expect.stringMatching(finding)]);
  });
});

const PERSON = createObject({ 'login!': TEXT, 'id!': { type: 'integer' } });

const TICKET = createObject({
  id: { type: 'string', readOnly: true },
  'title!': TEXT,
  owner: { oneOf: [{ type: 'null' }, PERSON] },
  assignees: createList(PERSON),
  region: { type: 'string', enum: ['east', 'west'] },
  plan: createObject({ name: TEXT, price: { type: 'integer' } }),
  labels: createList(createObject({ 'id!': { type: 'integer' }, 'name!': TEXT })),
});

const TICKET_INPUT = createObject({
  'title!': TEXT,
  owner: TEXT,
  assignees: { ...createList(TEXT), minItems: 1 },
  region: TEXT,
  plan: createObject({ 'code!': TEXT }),
  labels: { ...createList(createObject({ 'name!': TEXT })), minItems: 1 },
});

const ticketPaths: Paths = {
  '/tickets': { post: { status: 201, request: TICKET_INPUT, response: TICKET } },
  '/tickets/{id}': { get: { response: TICKET } },
};

/** Checks a server that stores the title and the labels of a ticket, and has the other properties from elsewhere. */
async function checkTickets(toStored: (sent: Booking) => Booking): Promise<readonly string[]> {
  const contract = await loadContract({ path: await writeApi({ paths: ticketPaths }), strict: false });
  const tickets = new Map<string, Booking>();
  const url = await startApi(({ method, path, json }) => {
    const [, , id] = path.split('/');
    const allow = id === undefined ? 'POST' : 'GET';
    const fail = (status: number) => ({
      status,
      body: {},
      headers: { 'content-type': 'application/problem+json', allow },
    });
    if (method !== allow) return fail(405);
    if (id !== undefined) return tickets.has(id) ? { status: 200, body: tickets.get(id) } : fail(404);
    const own = { owner: null, assignees: [], region: 'west', plan: { name: 'Free', price: 0 } };
    const ticket = { ...own, ...toStored(json as Booking), id: `t${tickets.size + 1}` };
    tickets.set(ticket.id, ticket);
    return { status: 201, body: ticket };
  });
  const options = { contract, model: undefined, isFresh: false, runs: 10, only: ['getTicketsById'] };
  return (await runCheck(url, options)).findings.map(({ title, message }) => `${title}: ${message}`);
}

describe('The check of values that a response cannot have as they were sent', () => {
  const toLabels = ({ labels = [] }: Booking) => labels.map((one: Booking, index: number) => ({ ...one, id: index }));

  it('finds nothing in a server that replaces them', async () => {
    expect(await checkTickets((sent) => ({ title: sent.title, labels: toLabels(sent) }))).toEqual([]);
  });

  it('finds objects to which the server adds properties, but which it does not store', async () => {
    const findings = await checkTickets(({ title }) => ({ title, labels: [] }));
    expect(findings).toEqual([expect.stringMatching(/^changes are stored: postTickets: labels was sent/)]);
  });
});
