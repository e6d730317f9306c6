import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { createClinicDocument } from './clinic-document.ts';
import { listEntries } from './clinic-lists.ts';
import { type Entry, isExpired, RATE, type Received, type Sent, type Values } from './clinic-types.ts';
import { createClinicValidator } from './clinic-validator.ts';
import { API_KEY, type ClinicVariant as Variant } from './clinic-variants.ts';

/** Starts a server of a clinic. Returns its URL and a function that stops it. */
export async function startClinic(variant: Variant): Promise<{ url: string; close: () => void }> {
  const clinic = new Clinic(variant);
  const server = createServer((request, response) => void clinic.answer(request, response));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

const fail = (status: number, error = `Error ${status}`): Sent => ({ status, body: { error } });

type Collection = 'doctors' | 'patients' | 'appointments';

const ID_NAMES = { doctors: 'code', patients: 'id', appointments: 'id' } as const;
const INPUTS = { doctors: 'DoctorInput', patients: 'PatientInput', appointments: 'AppointmentInput' } as const;

class Clinic {
  readonly #variant: Variant;
  readonly #entries: Readonly<Record<Collection, Map<string, Entry>>> = {
    doctors: new Map(),
    patients: new Map(),
    appointments: new Map(),
  };
  readonly #validator: ReturnType<typeof createClinicValidator>;
  /** What the lists showed, with the time from which they did. */
  #history: { readonly sinceMs: number; readonly collection: Collection; readonly all: readonly Entry[] }[] = [];
  readonly #registered = new Map<string, Entry>();
  #count = 100;
  #second = { startMs: 0, count: 0 };

  constructor(variant: Variant) {
    this.#variant = variant;
    this.#validator = createClinicValidator(createClinicDocument(variant), {
      acceptsAnyDay: this.#is('days that do not exist are accepted'),
      roundsFees: this.#is('a fee can have a fraction of a cent'),
    });
  }

  #is(variant: NonNullable<Variant>): boolean {
    return this.#variant === variant;
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (this.#is('responds after 20 ms')) await sleep(20);
    const { method = '', url = '', headers } = request;
    const [path = '', search] = url.split('?');
    const received = {
      method: method === 'HEAD' ? 'GET' : method,
      path,
      headers,
      text: Buffer.concat(chunks).toString(),
    };
    const { status, body, headers: own } = await this.#route({ ...received, query: new URLSearchParams(search) });
    const isHtml = status === 401 && this.#is('the 401 is HTML');
    const bytes = body === undefined ? undefined : Buffer.from(isHtml ? '<h1>401</h1>' : JSON.stringify(body));
    const isZipped = bytes && this.#is('compresses with gzip');
    const content = isZipped ? gzipSync(bytes) : bytes;
    response.writeHead(status, {
      ...own,
      ...(content && { 'content-type': isHtml ? 'text/html' : 'application/json', 'content-length': content.length }),
      ...(isZipped && { 'content-encoding': 'gzip' }),
      ...(this.#is('closes each connection') && { connection: 'close' }),
    });
    response.end(method === 'HEAD' ? undefined : content);
  }

  async #route(received: Received): Promise<Sent> {
    const [, collection = '', id, action, ...rest] = received.path.split('/').map(decode);
    const template = [collection, id !== undefined && ':id', action].filter((part) => typeof part === 'string');
    const allowed = rest.length > 0 ? undefined : ALLOWED[template.join('/')];
    if (!allowed || id === '') return fail(404);
    if (!allowed.includes(received.method)) return { ...fail(405), headers: { allow: allowed.join(', ') } };
    if (this.#is('limits the rate') && this.#isTooOften()) return { ...fail(429), headers: { 'retry-after': '1' } };
    if (!this.#isAuthorized(received, collection)) return fail(401);
    const name = collection as Collection;
    if (id === undefined) return received.method === 'GET' ? this.#list(name, received) : this.#create(name, received);
    if (action !== undefined) return this.#act(id, action, received);
    const entry = this.#entries[name].get(id);
    if (received.method === 'PUT' && name === 'doctors') return this.#putDoctor(id, received, entry);
    if (!entry && this.#is('an unknown appointment is a 200') && name === 'appointments' && received.method === 'GET')
      return { status: 200, body: { id, status: 'booked', ...EMPTY } };
    if (!entry && this.#is('deleting an unknown doctor is a 204') && received.method === 'DELETE')
      return { status: 204 };
    if (!entry) return fail(404);
    if (entry.values.deleted_at && !this.#is('a deleted patient can still be read'))
      return fail(this.#is('deleted patients are 410, as documented') ? 410 : 404);
    if (received.method === 'GET') return this.#respond(200, entry, name);
    if (received.method === 'DELETE') return this.#delete(name, id, entry);
    return this.#change(name, received, entry);
  }

  #isTooOften(): boolean {
    if (Date.now() - this.#second.startMs > RATE.periodMs) this.#second = { startMs: Date.now(), count: 0 };
    return ++this.#second.count > RATE.count;
  }

  #isAuthorized({ method, headers }: Received, collection: string): boolean {
    if (this.#is('patients can be deleted without a key') && method === 'DELETE' && collection === 'patients')
      return true;
    const isList = method === 'GET' && collection === 'appointments';
    if (isList && this.#is('appointments can be listed with any key')) return headers['x-api-key'] !== undefined;
    return headers['x-api-key'] === API_KEY;
  }

  #respond(status: number, entry: Entry, collection: Collection, headers = {}): Sent {
    return { status, body: this.#show(entry), headers: { etag: this.#toTag(entry, collection), ...headers } };
  }

  #show({ values }: Entry): Values {
    const { deleted_at: _, ...rest } = values;
    if (!this.#is('writes null for properties without a value')) return rest;
    const isDoctor = 'code' in values;
    const isPatient = 'email' in values;
    return { ...(isDoctor && { bio: null }), ...(isPatient && { phone: null, deleted_at: null }), ...rest };
  }

  #toTag(entry: Entry, collection: Collection): string {
    const id = String(entry.values[ID_NAMES[collection]]);
    const version = this.#is('the ETag is made from the id') ? '' : `-${entry.version}`;
    const tag = `"${Buffer.from(`${id}${version}`).toString('base64url')}"`;
    return this.#is('has weak ETags') ? `W/${tag}` : tag;
  }

  async #list(collection: Collection, { query }: Received): Promise<Sent> {
    const parameters = this.#validator.readQuery(`/${collection}`, query);
    if (!parameters) return fail(400);
    const isLate = this.#is('lists 150 ms late');
    const shown = this.#history.findLast(
      (one) => one.collection === collection && isExpired(one.sinceMs, isLate ? 150 : 0),
    );
    const all = isLate ? (shown?.all ?? []) : [...this.#entries[collection].values()];
    const isStale = collection === 'patients' && this.#is('the list shows patients as they were registered');
    const current = isStale
      ? all.map((entry) => (entry.values.deleted_at ? entry : (this.#registered.get(String(entry.values.id)) ?? entry)))
      : all;
    const body = listEntries(current, { collection, parameters, variant: this.#variant });
    if (!body) return fail(400);
    return { status: 200, body: { ...body, data: body.data.map((entry) => this.#show(entry)) } };
  }

  async #create(collection: Collection, received: Received): Promise<Sent> {
    const input = this.#validator.readBody(received, INPUTS[collection]);
    if ('status' in input) return fail(input.status);
    const values = this.#normalize(input.values);
    const refusal = await this.#checkRules(collection, values, undefined);
    if (refusal) return refusal;
    this.#count += 1;
    const id = `${collection[0]}${this.#count}`;
    const set = collection === 'patients' ? { registered_at: new Date().toISOString() } : { status: 'booked' };
    const entry = this.#store(collection, id, { values: { id, ...set, ...this.#damage(values) }, version: 1 });
    this.#registered.set(id, entry);
    const path = this.#is('Location lacks the id') ? `/${collection}` : `/${collection}/${id}`;
    return this.#respond(201, entry, collection, { location: path });
  }

  async #putDoctor(code: string, received: Received, old: Entry | undefined): Promise<Sent> {
    if (!CODE.test(code)) return fail(400);
    const input = this.#validator.readBody(received, 'DoctorInput');
    if ('status' in input) return fail(input.status);
    const values = this.#normalize(input.values);
    const refusal = await this.#checkRules('doctors', values, old);
    if (refusal) return refusal;
    const kept = this.#is('PUT keeps the bio of a doctor') && old?.values.bio ? { bio: old.values.bio } : {};
    const entry = { values: { code, ...kept, ...this.#damage(values) }, version: (old?.version ?? 0) + 1 };
    const isLost = this.#is(old ? 'PUT of an existing doctor stores nothing' : 'PUT of a new doctor stores nothing');
    if (!isLost) this.#store('doctors', code, entry);
    return this.#respond(old ? 200 : 201, entry, 'doctors');
  }

  async #change(collection: Collection, received: Received, old: Entry): Promise<Sent> {
    const isPut = received.method === 'PUT';
    const input = this.#validator.readBody(received, isPut ? INPUTS[collection] : 'PatientChange');
    if ('status' in input) return fail(input.status);
    const match = received.headers['if-match'];
    if (match === undefined && isPut && !this.#is('PUT does not require If-Match')) return fail(428);
    const isIgnored = !isPut && this.#is('If-Match of a PATCH is ignored');
    if (match !== undefined && !isIgnored && !this.#matches(match, this.#toTag(old, collection))) return fail(412);
    const values = this.#normalize(input.values);
    const merged = isPut ? this.#replace(old, values) : this.#merge(old, values);
    if (!merged) return fail(400);
    const refusal = await this.#checkRules(collection, isPut ? values : { ...merged, ...values }, old);
    if (refusal) return refusal;
    const id = String(old.values.id);
    return this.#respond(200, this.#store(collection, id, { values: merged, version: old.version + 1 }), collection);
  }

  #matches(match: string, tag: string): boolean {
    return match.split(',').some((one) => one.trim() === '*' || one.trim() === tag);
  }

  #replace({ values }: Entry, input: Values): Values {
    const { id, status, cancel_reason: reason, notes } = values;
    const kept = this.#is('PUT keeps the notes that it does not have') && notes ? { notes } : {};
    return { id, status, ...(reason !== undefined && { cancel_reason: reason }), ...kept, ...this.#damage(input) };
  }

  /** Returns the changed values; undefined if a required property is null. */
  #merge({ values }: Entry, change: Values): Values | undefined {
    const merged: Record<string, unknown> = { ...values };
    if (this.#is('PATCH removes the phone that it does not have')) delete merged.phone;
    if (this.#is('PATCH empties the allergies that it does not have') && values.allergies) merged.allergies = [];
    for (const [name, value] of Object.entries(this.#damage(change))) {
      if (value !== null) merged[name] = value;
      else if (!this.#is('PATCH ignores null')) delete merged[name];
    }
    return merged;
  }

  /** Trims and folds values as correct servers may. */
  #normalize(values: Values): Values {
    const changed = Object.entries(values).map(([name, value]): [string, unknown] => {
      if (typeof value !== 'string') return [name, value];
      if (name === 'email' && this.#is('writes e-mail addresses in lower case')) return [name, value.toLowerCase()];
      if (TIMES.includes(name) && this.#is('writes times in UTC')) return [name, new Date(value).toISOString()];
      return [name, this.#is('trims texts') && value.trim() !== '' ? value.trim() : value];
    });
    return Object.fromEntries(changed);
  }

  /** Changes values as a defect does when it stores them. */
  #damage(values: Values): Values {
    const changed = Object.entries(values).map(([name, value]): [string, unknown] => [
      name,
      this.#toStored(name, value),
    ]);
    return Object.fromEntries(changed.filter(([, value]) => value !== undefined));
  }

  #toStored(name: string, value: unknown): unknown {
    if (name === 'last_name' && this.#is('last names are cut off at 64 characters')) return String(value).slice(0, 64);
    if (name === 'first_name' && this.#is('first names are stored as ASCII'))
      return String(value).replaceAll(/[^ -~]/g, '?');
    if (name === 'start' && this.#is('appointments start an hour later in summer')) return addSummerTime(String(value));
    if (name === 'allergies' && value && this.#is('the severity of allergies is lost'))
      return (value as readonly Values[]).map(({ substance }) => ({ substance }));
    if (name === 'insurance' && value && this.#is('the number of the insurance is lost'))
      return { company: (value as Values).company, number: '-' };
    if (name === 'fee_cents') {
      if (this.#is('fees are rounded to a hundred cents')) return Math.round(Number(value) / 100) * 100;
      return Math.round(Number(value));
    }
    if (name === 'birth_date' && this.#is('the birth date is a day early'))
      return new Date(Date.parse(String(value)) - DAY_MS).toISOString().slice(0, 10);
    return name === 'room' && this.#is('the room is never stored') ? undefined : value;
  }

  async #checkRules(collection: Collection, values: Values, old: Entry | undefined): Promise<Sent | undefined> {
    if (collection === 'doctors') return this.#checkUnique('doctors', 'license_number', values, old);
    if (collection === 'patients') return this.#checkUnique('patients', 'email', values, old);
    const { doctor_code: doctor, patient_id: patient, start, end } = values as Readonly<Record<string, string>>;
    const known = this.#entries.doctors.has(doctor ?? '') && this.#entries.patients.get(patient ?? '');
    const isValid = known && !known.values.deleted_at && Date.parse(start ?? '') < Date.parse(end ?? '');
    if (!isValid) return fail(this.#is('refuses rules with 400') ? 400 : 422);
    if (!this.#is('refuses overlapping appointments')) return undefined;
    const isTaken = [...this.#entries.appointments.values()].some(
      (one) =>
        one.values.id !== old?.values.id &&
        one.values.doctor_code === doctor &&
        Date.parse(String(one.values.start)) < Date.parse(end ?? '') &&
        Date.parse(start ?? '') < Date.parse(String(one.values.end)),
    );
    return isTaken ? fail(409) : undefined;
  }

  async #checkUnique(
    collection: Collection,
    name: string,
    values: Values,
    old: Entry | undefined,
  ): Promise<Sent | undefined> {
    const value = String(values[name]);
    const isUnchecked =
      (!old && this.#is('two patients can have the same e-mail address') && name === 'email') ||
      (old && this.#is('a changed e-mail address is not checked') && name === 'email') ||
      (old && this.#is('the license number of a changed doctor is not checked') && name === 'license_number');
    const isTaken = [...this.#entries[collection].values()].some(
      (one) => one.values[name] === value && !one.values.deleted_at && !isSame(one, old, ID_NAMES[collection]),
    );
    if (isTaken && !isUnchecked)
      return fail(this.#is('an existing e-mail address is a 500') && name === 'email' ? 500 : 409);
    if (!this.#is('two patients at once get the same e-mail address')) return undefined;
    // The defect: another request can check the same value before this request has stored it.
    await sleep(5);
    return undefined;
  }

  #delete(collection: Collection, id: string, entry: Entry): Sent {
    if (collection === 'patients') {
      const earlier = [...this.#entries.patients.values()].findLast(
        (one) =>
          one.values.id !== id &&
          !one.values.deleted_at &&
          Number(String(one.values.id).slice(1)) < Number(id.slice(1)),
      );
      const now = new Date().toISOString();
      if (earlier && this.#is('deleting a patient also deletes the one before'))
        this.#store('patients', String(earlier.values.id), {
          ...earlier,
          values: { ...earlier.values, deleted_at: now },
        });
      this.#store('patients', id, { ...entry, values: { ...entry.values, deleted_at: now } });
      return { status: 204 };
    }
    const isNeeded = [...this.#entries.appointments.values()].some((one) => one.values.doctor_code === id);
    if (isNeeded && this.#is('needs doctors without appointments for a deletion')) return fail(409);
    if (!this.#is('deleting a doctor stores nothing')) this.#entries[collection].delete(id);
    this.#remember(collection);
    return { status: 204 };
  }

  #act(id: string, action: string, received: Received): Sent {
    const entry = this.#entries.appointments.get(id);
    const isCancel = action === 'cancel';
    const input = isCancel ? this.#validator.readBody(received, 'Cancellation') : { values: {} as Values };
    if (!entry) return fail(404);
    if ('status' in input) return fail(input.status);
    const { status } = entry.values;
    const isAllowed =
      status === 'booked' ||
      (isCancel && status === 'checked_in') ||
      (isCancel && this.#is('an appointment can be cancelled twice')) ||
      (!isCancel && status === 'cancelled' && this.#is('a cancelled appointment can be checked in'));
    if (!isAllowed) return fail(409);
    const hasReason = isCancel && !this.#is('the reason of a cancellation is not stored');
    const values = {
      ...entry.values,
      status: isCancel ? 'cancelled' : 'checked_in',
      ...(hasReason && { cancel_reason: input.values.reason }),
    };
    const changed = { values, version: entry.version + 1 };
    const isStored = isCancel || !this.#is('check_in stores nothing');
    return this.#respond(200, isStored ? this.#store('appointments', id, changed) : changed, 'appointments');
  }

  #store(collection: Collection, id: string, entry: Entry): Entry {
    this.#entries[collection].set(id, entry);
    this.#remember(collection);
    return entry;
  }

  #remember(collection: Collection): void {
    if (!this.#is('lists 150 ms late')) return;
    this.#history.push({ sinceMs: Date.now(), collection, all: [...this.#entries[collection].values()] });
    if (this.#history.length > 500) this.#history = this.#history.slice(-400);
  }
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const TIMES = ['start', 'end'];
const CODE = /^[A-Za-z0-9_-]{1,24}$/;
const EMPTY = {
  doctor_code: '',
  patient_id: '',
  start: '2026-01-01T00:00:00Z',
  end: '2026-01-01T00:00:00Z',
  price_cents: 0,
};

const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  doctors: ['GET', 'HEAD'],
  'doctors/:id': ['GET', 'HEAD', 'PUT', 'DELETE'],
  patients: ['GET', 'HEAD', 'POST'],
  'patients/:id': ['GET', 'HEAD', 'PATCH', 'DELETE'],
  appointments: ['GET', 'HEAD', 'POST'],
  'appointments/:id': ['GET', 'HEAD', 'PUT'],
  'appointments/:id/check_in': ['POST'],
  'appointments/:id/cancel': ['POST'],
};

function isSame(one: Entry, other: Entry | undefined, idName: string): boolean {
  return other !== undefined && one.values[idName] === other.values[idName];
}

function addSummerTime(time: string): string {
  const date = new Date(time);
  const isSummer = date.getUTCMonth() > 2 && date.getUTCMonth() < 9;
  return isSummer ? new Date(date.getTime() + HOUR_MS).toISOString() : time;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
