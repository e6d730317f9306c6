import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describeBookings, TOKEN, type BookingVariant as Variant } from './booking-variants.ts';

type Values = Readonly<Record<string, unknown>>;

interface Entry {
  readonly values: Values;
  readonly version: number;
}

interface Sent {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Asked {
  readonly method: string;
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

const DAY_MS = 86_400_000;
const QUOTA = 300;

/** Matches the brackets of a body that is nested too deeply. */
const DEEPLY_NESTED = /[[{]{50}/;

/** Starts a server for rooms and bookings. Returns its URL and a function that stops it. */
export async function startBookings(...variants: readonly Variant[]): Promise<{ url: string; close: () => void }> {
  const bookings = new Bookings(variants);
  const server = createServer((request, response) => void bookings.answer(request, response));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

const PROBLEM = { code: 'error' };
const fail = (status: number): Sent => ({ status, body: PROBLEM });

class Bookings {
  readonly #variants: readonly Variant[];
  readonly #rooms = new Map<string, Entry>();
  readonly #bookings = new Map<string, Entry>();
  readonly #created = new Map<string, Values>();
  readonly #validate: (name: string, value: unknown) => boolean;
  /** What the list showed, with the time from which it did. */
  #history: { readonly sinceMs: number; readonly all: readonly Values[] }[] = [];
  #count = 0;
  #second = { startMs: 0, count: 0 };

  constructor(variants: readonly Variant[]) {
    this.#variants = variants;
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    if (this.#is('days that do not exist are accepted')) ajv.addFormat('date', /^\d{4}-[01]\d-[0-3]\d$/);
    if (this.#is('accepts e-mail addresses with any characters but spaces'))
      ajv.addFormat('email', /^[^\s@]+@[^\s@]+$/);
    ajv.addSchema({ $id: 'api', ...describeBookings(undefined) });
    this.#validate = (name, value) => ajv.validate(`api#/components/schemas/${name}`, value) === true;
  }

  #is(variant: NonNullable<Variant>): boolean {
    return this.#variants.includes(variant);
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (this.#is('responds after 30 ms')) await sleep(30);
    const { method = '', url = '', headers } = request;
    const [path = '', search] = url.split('?');
    const asked = { method: method === 'HEAD' ? 'GET' : method, headers, text: Buffer.concat(chunks).toString() };
    const parts = path.split('/').slice(1);
    const { status, body, headers: own } = await this.#route({ ...asked, parts, query: new URLSearchParams(search) });
    const isPlain = status === 401 && this.#is('the 401 is plain text');
    const bytes = body === undefined ? undefined : Buffer.from(isPlain ? 'Unauthorized' : JSON.stringify(body));
    const isZipped = bytes && this.#is('compresses with gzip');
    const content = isZipped ? gzipSync(bytes) : bytes;
    response.writeHead(status, {
      ...own,
      ...(content && { 'content-type': isPlain ? 'text/plain' : 'application/json', 'content-length': content.length }),
      ...(isZipped && { 'content-encoding': 'gzip' }),
      ...(this.#is('closes each connection') && { connection: 'close' }),
    });
    response.end(method === 'HEAD' ? undefined : content);
  }

  async #route(asked: Asked): Promise<Sent> {
    const [collection = '', id, action, ...rest] = asked.parts;
    const allowed = ALLOWED[[collection, id && ':id', id && action].filter((part) => part !== undefined).join('/')];
    if (!allowed || rest.length > 0) return fail(404);
    if (!allowed.includes(asked.method)) return { ...fail(405), headers: { allow: allowed.join(', ') } };
    if (this.#is('limits the rate') && this.#isTooOften()) return { ...fail(429), headers: { 'retry-after': '1' } };
    const isOpen =
      this.#is('bookings can be deleted without a token') && asked.method === 'DELETE' && collection === 'bookings';
    if (!isOpen && !this.#isAuthorized(asked.headers.authorization)) return fail(401);
    if (collection === 'me') return { status: 200, body: { name: 'Ann' } };
    const name = decode(id);
    if (id !== undefined && name === undefined) return fail(400);
    if (collection === 'rooms') return name === undefined ? this.#routeRooms(asked) : this.#routeRoom(asked, name);
    if (name === undefined) return asked.method === 'GET' ? this.#list(asked.query) : this.#createBooking(asked);
    return this.#routeBooking(asked, name, action);
  }

  #isTooOften(): boolean {
    if (Date.now() - this.#second.startMs > 1_000) this.#second = { startMs: Date.now(), count: 0 };
    return ++this.#second.count > 500;
  }

  #isAuthorized(authorization = ''): boolean {
    const expected = `Bearer ${TOKEN}`;
    return this.#is('only the length of the token is compared')
      ? authorization.length === expected.length
      : authorization === expected;
  }

  #parse({ text, headers }: Asked, schema: string, type = 'application/json'): Values | Sent {
    if ((headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() !== type) return { ...fail(415) };
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return fail(400);
    }
    if (DEEPLY_NESTED.test(text.replaceAll(/[^[\]{}]/g, ''))) return fail(400);
    const isRounded = this.#is('a deposit can have a fraction of a cent');
    const checked = isRounded && isObject(value) ? roundDeposit(value) : value;
    return this.#validate(schema, checked) ? (value as Values) : fail(400);
  }

  async #routeRooms(asked: Asked): Promise<Sent> {
    if (asked.method === 'GET')
      return this.#toPage(
        [...this.#rooms.values()].map(({ values }) => values),
        asked.query,
      );
    const body = this.#parse(asked, 'RoomInput');
    if (isSent(body)) return body;
    const taken = this.#findNumber(body.number);
    if (taken && this.#is('an existing number is a 500')) return fail(500);
    if (taken && this.#is('a second room with a number replaces the first')) {
      const values = { ...body, id: taken.values.id };
      this.#rooms.set(String(values.id), { values, version: taken.version + 1 });
      return this.#toCreated('rooms', { values, version: taken.version + 1 });
    }
    if (taken && !this.#is('two rooms can have the same number')) return fail(409);
    // The check of the number and the insertion are two steps of a database.
    if (this.#is('two rooms at once get the same number')) await sleep(25);
    const entry = { values: { id: `rm_${(++this.#count).toString(36)}`, ...body }, version: 1 };
    this.#rooms.set(entry.values.id, entry);
    return this.#toCreated('rooms', entry);
  }

  #findNumber(number: unknown, id?: string): Entry | undefined {
    return [...this.#rooms.values()].find(({ values }) => values.number === number && values.id !== id);
  }

  #routeRoom(asked: Asked, id: string): Sent {
    const room = this.#rooms.get(id);
    if (!room) return fail(404);
    if (asked.method === 'GET') return this.#toSent(room);
    if (asked.method === 'DELETE') {
      if ([...this.#bookings.values()].some(({ values }) => values.roomId === id)) return fail(409);
      this.#rooms.delete(id);
      return { status: 204 };
    }
    const body = this.#parse(asked, 'RoomInput');
    if (isSent(body)) return body;
    const version = asked.headers['if-match'];
    if (version === undefined && !this.#is('PUT does not require If-Match')) return fail(428);
    if (version !== undefined && version !== '*' && version !== this.#getETag(room)) return fail(412);
    const isTaken = this.#findNumber(body.number, id) !== undefined;
    if (isTaken && !this.#is('a room can be renumbered to a number that exists')) return fail(409);
    const remark = this.#is('PUT keeps the remark that it does not have') ? { remark: room.values.remark } : {};
    const entry = { values: { id, ...remark, ...body }, version: room.version + 1 };
    this.#rooms.set(id, entry);
    return this.#toSent(entry);
  }

  #list(query: URLSearchParams): Sent {
    const delayMs = this.#is('lists 200 ms late') ? 200 : this.#is('lists 3 s late, as documented') ? 3_000 : 0;
    const earlier = this.#history.findLast(({ sinceMs }) => sinceMs <= Date.now() - delayMs)?.all ?? [];
    const all = delayMs > 0 ? earlier : this.#getListed();
    if (query.has('status') && !['requested', 'confirmed', 'cancelled'].includes(query.get('status') ?? ''))
      return fail(400);
    if (query.has('channel') && !['web', 'phone', 'desk'].includes(query.get('channel') ?? '')) return fail(400);
    return this.#toPage(
      all.filter((values) => this.#isWanted(values, query)),
      query,
      all.length,
    );
  }

  #getListed(): readonly Values[] {
    const stored = [...this.#bookings.values()].map(({ values }) => values);
    const isShown = ({ deletedAt, channel }: Values) => {
      if (channel === 'phone' && this.#is('the list lacks bookings by phone')) return false;
      return deletedAt === undefined || this.#is('a deleted booking stays in the list');
    };
    const shown = stored.filter(isShown);
    if (this.#is('has the newest bookings first')) return shown.toReversed();
    const isStale = this.#is('the list shows bookings as they were created');
    return isStale ? shown.map((values) => this.#created.get(String(values.id)) ?? values) : shown;
  }

  #isWanted(values: Values, query: URLSearchParams): boolean {
    const has = (name: string, isEqual: (value: string, wanted: string) => boolean) => {
      const wanted = query.get(name);
      return wanted === null || isEqual(String(values[name]), wanted);
    };
    const isSame = (value: string, wanted: string) => value === wanted;
    const anything = () => true;
    const contains = (value: string, wanted: string) => value.toLowerCase().includes(wanted.toLowerCase());
    const first = this.#getListed().find(({ channel }) => channel !== undefined);
    const byChannel = (value: string, wanted: string) =>
      this.#is('the filter by channel finds nothing')
        ? false
        : value === wanted ||
          (this.#is('the filter by channel also finds one booking of another channel') && values.id === first?.id);
    return (
      has('status', this.#is('the filter by status is ignored') ? anything : isSame) &&
      has(
        'roomId',
        this.#is('the filter by room compares prefixes') ? (value, wanted) => value.startsWith(wanted) : isSame,
      ) &&
      has('channel', byChannel) &&
      has('guest', this.#is('the filter by guest is ignored') ? anything : contains)
    );
  }

  /** `count`: the number of entries without filters. */
  #toPage(all: readonly Values[], query: URLSearchParams, count = all.length): Sent {
    const [page, size] = [Number(query.get('page') ?? 1), Number(query.get('pageSize') ?? 20)];
    const isValid = (value: number, max: number) => Number.isInteger(value) && value >= 1 && value <= max;
    const isNumber = ['page', 'pageSize'].every((name) => /^\d+$/.test(query.get(name) ?? '1'));
    if (!isNumber || !isValid(page, Number.MAX_SAFE_INTEGER) || !isValid(size, 100)) return fail(400);
    const overlap = this.#is('the second page starts with the last booking of the first') && page > 1 ? 1 : 0;
    const gap = this.#is('the second page starts one booking too late') && page > 1 ? 1 : 0;
    const start = this.#is('every page is the first one') ? 0 : (page - 1) * size - overlap + gap;
    const items = all.slice(start, start + (this.#is('pageSize is ignored') ? 20 : size));
    const found = this.#is('the total ignores filters') ? count : all.length;
    const total = this.#is('the total is that of the page') ? items.length : found;
    return { status: 200, body: { items, page, total } };
  }

  #createBooking(asked: Asked): Sent {
    const body = this.#parse(asked, 'BookingInput');
    if (isSent(body)) return body;
    const refusal = this.#refuse(body);
    if (refusal) return refusal;
    if (this.#is('has a quota of 300 bookings') && this.#bookings.size >= QUOTA) return fail(422);
    const values = { id: `bk_${(++this.#count).toString(36)}`, status: 'requested', ...this.#store(body) };
    this.#created.set(values.id, values);
    return this.#toCreated('bookings', this.#save({ values, version: 1 }));
  }

  #refuse({ arrival, departure, roomId }: Values): Sent | undefined {
    const isUnknown = this.#is('needs a room that exists') && !this.#rooms.has(String(roomId));
    const isWrong = isUnknown || String(departure) < String(arrival);
    return isWrong ? fail(this.#is('refuses rules with 400') ? 400 : 422) : undefined;
  }

  #store(body: Values): Values {
    const stored: Record<string, unknown> = { ...body };
    const change = (variant: NonNullable<Variant>, name: string, toStored: (text: string) => string) => {
      if (this.#is(variant) && typeof stored[name] === 'string') stored[name] = toStored(stored[name]);
    };
    change('trims texts', 'guest', (text) => text.trim() || '-');
    change('guests are cut off at 80 characters', 'guest', (text) => text.slice(0, 80));
    change('guests are stored as ASCII', 'guest', (text) => text.replaceAll(/[^\0-\x7f]/g, '?'));
    change('guests lose the upper byte of each letter', 'guest', (text) =>
      Buffer.from(text, 'latin1').toString('latin1'),
    );
    change('letters of four bytes are replaced in guests', 'guest', (text) =>
      text.replaceAll(/[\u{10000}-\u{10ffff}]/gu, '\ufffd'),
    );
    change('writes e-mail addresses in lower case', 'email', (text) => text.toLowerCase());
    change('the departure is a day early', 'departure', (date) =>
      new Date(Date.parse(date) - DAY_MS).toISOString().slice(0, 10),
    );
    if (this.#is('the discount is rounded to a whole number') && typeof stored.discount === 'number')
      stored.discount = Math.round(stored.discount);
    if (this.#is('the channel is never stored')) delete stored.channel;
    if (this.#is('the days of extras are lost') && Array.isArray(stored.extras))
      stored.extras = stored.extras.map(({ label }) => ({ label }));
    return stored;
  }

  #save(entry: Entry): Entry {
    this.#bookings.set(String(entry.values.id), entry);
    this.#remember();
    return entry;
  }

  #remember(): void {
    if (!this.#is('lists 200 ms late') && !this.#is('lists 3 s late, as documented')) return;
    this.#history = [...this.#history, { sinceMs: Date.now(), all: this.#getListed() }].slice(-500);
  }

  #find(id: string): Entry | undefined {
    const exact = this.#bookings.get(id);
    if (exact || !this.#is('bookings are found by the start of their id')) return exact;
    return [...this.#bookings.values()].find(({ values }) => id.startsWith(String(values.id)));
  }

  #routeBooking(asked: Asked, id: string, action: string | undefined): Sent {
    const booking = this.#find(id);
    if (!booking && asked.method === 'GET' && this.#is('unknown bookings are empty objects with 200')) {
      const [other] = this.#bookings.values();
      return other ? this.#toSent({ ...other, values: { ...other.values, id: 'bk_0' } }) : fail(404);
    }
    if (!booking && asked.method === 'DELETE' && this.#is('deleting an unknown booking is a 204'))
      return { status: 204 };
    if (!booking || (booking.values.deletedAt !== undefined && asked.method !== 'GET')) return fail(404);
    const isHidden = booking.values.deletedAt !== undefined && this.#is('a deleted booking stays in the list');
    if (isHidden) return fail(404);
    if (action !== undefined) return this.#act(booking, action === 'confirm' ? 'confirmed' : 'cancelled');
    if (asked.method === 'GET') return this.#toSent(booking);
    return asked.method === 'DELETE' ? this.#delete(booking) : this.#patch(asked, booking);
  }

  #patch(asked: Asked, booking: Entry): Sent {
    const body = this.#parse(asked, 'BookingPatch', 'application/merge-patch+json');
    if (isSent(body)) return body;
    const version = asked.headers['if-match'];
    const isCurrent = version === undefined || version === '*' || version === this.#getETag(booking);
    if (!isCurrent && !this.#is('If-Match of a PATCH is ignored')) return fail(412);
    const { wishes: _, ...withoutWishes } = booking.values;
    const old = this.#is('PATCH removes the wishes that it does not have') ? withoutWishes : booking.values;
    const channel = this.#is('PATCH resets the channel that it does not have') ? { channel: 'web' } : {};
    const sent = Object.entries(this.#store(body)).filter(
      ([name, value]) =>
        (value !== null || !this.#is('PATCH ignores null')) &&
        (name !== 'depositCents' || !this.#is('PATCH does not store the deposit')),
    );
    const merged = Object.entries({ ...old, ...channel, ...Object.fromEntries(sent) }).filter(
      ([, value]) => value !== null,
    );
    const values = Object.fromEntries(merged);
    return this.#refuse(values) ?? this.#toSent(this.#save({ values, version: booking.version + 1 }));
  }

  #act(booking: Entry, status: string): Sent {
    const { status: current, roomId } = booking.values;
    const isAllowed =
      status === 'confirmed'
        ? current === 'requested'
        : current !== 'cancelled' || this.#is('a booking can be cancelled twice');
    if (!isAllowed && !this.#is('a cancelled booking can be confirmed')) return fail(409);
    const isBooked = ({ values }: Entry) => values.roomId === roomId && values.status === 'confirmed';
    const isRefused =
      this.#is('refuses a second confirmed booking of a room') && [...this.#bookings.values()].some(isBooked);
    if (status === 'confirmed' && isRefused) return fail(409);
    const changed = { values: { ...booking.values, status }, version: booking.version + 1 };
    return this.#toSent(status === 'confirmed' && this.#is('confirm stores nothing') ? changed : this.#save(changed));
  }

  #delete({ values, version }: Entry): Sent {
    if (this.#is('marks deleted bookings') || this.#is('a deleted booking stays in the list'))
      this.#save({ values: { ...values, deletedAt: new Date().toISOString() }, version: version + 1 });
    else if (!this.#is('a deleted booking stays')) this.#bookings.delete(String(values.id));
    this.#remember();
    return { status: 204 };
  }

  #toCreated(collection: string, entry: Entry): Sent {
    const start = this.#is('Location has the path of another version') ? '/v2' : '';
    const { headers } = this.#toSent(entry);
    return {
      status: 201,
      body: entry.values,
      headers: { ...headers, location: `${start}/${collection}/${entry.values.id}` },
    };
  }

  #toSent(entry: Entry): Sent {
    return { status: 200, body: entry.values, headers: { etag: this.#getETag(entry) } };
  }

  #getETag({ version, values }: Entry): string {
    return `"${values.id}-${this.#is('the ETag is that of the first version') ? 1 : version}"`;
  }
}

const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  me: ['GET'],
  rooms: ['GET', 'POST'],
  'rooms/:id': ['GET', 'PUT', 'DELETE'],
  bookings: ['GET', 'POST'],
  'bookings/:id': ['GET', 'PATCH', 'DELETE'],
  'bookings/:id/confirm': ['POST'],
  'bookings/:id/cancel': ['POST'],
};

function decode(text: string | undefined): string | undefined {
  try {
    return text === undefined || text === '' ? undefined : decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isSent(value: Values | Sent): value is Sent {
  return typeof value.status === 'number';
}

function roundDeposit(values: Values): Values {
  const { depositCents } = values;
  return typeof depositCents === 'number' ? { ...values, depositCents: Math.floor(depositCents) } : values;
}
