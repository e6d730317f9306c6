import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Api, ApiDefect, ApiHabit, ApiResource, Body, Entry, Schema } from './api.ts';

/** A defect or a habit of a server; undefined for a correct server without habits. */
export type Variant = ApiDefect | ApiHabit | undefined;

interface Received {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

interface Sent {
  readonly status: number;
  readonly body?: Body;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Stored {
  readonly entry: Entry;
  readonly version: number;
  readonly isDeleted: boolean;
}

interface Matched {
  readonly resource: ApiResource;
  readonly operation: Schema;
  readonly template: string;
  readonly path: Readonly<Record<string, string>>;
}

/** An error response. */
class Refusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The number of requests that a server with a rate limit accepts in each period, and the period in ms. */
const RATE = { count: 400, periodMs: 1_000 };

/** The values that a server with defaults sets. */
const DEFAULTS = { urgent: false, priority: 'normal' };

/** The number of resources that a server with a quota stores. */
const QUOTA = 40;

/** The maximum length of a body that a server with an unusable connection reads before it refuses it. */
const MAX_READ_LENGTH = 1_000;

/** The number of earlier states of a list that are stored. */
const MAX_HISTORY = 500;

/** The maximum nesting of a body. */
const MAX_DEPTH = 50;

const DAY_MS = 86_400_000;

/** Starts a server for an API. Returns its URL and a function that stops it. */
export async function startApiServer(api: Api, variant?: Variant): Promise<{ url: string; close: () => void }> {
  const application = new Application(api, variant);
  const server = createServer((request, response) => void application.answer(request, response));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => stop(server) };
}

function stop(server: Server): void {
  server.closeAllConnections();
  server.close();
}

class Application {
  /** By unique value: lets the first of two requests continue. */
  readonly #waiting = new Map<string, () => void>();
  readonly #api: Api;
  readonly #variant: Variant;
  readonly #stored = new Map<string, Map<string, Stored>>();
  /** Earlier states of the lists, with the time from which they were valid. */
  readonly #history = new Map<string, { readonly sinceMs: number; readonly all: readonly Stored[] }[]>();
  readonly #first = new Map<string, Entry>();
  readonly #ajv: Ajv2020;
  readonly #validators = new Map<Schema, ValidateFunction>();
  readonly #unusable = new WeakSet<Socket>();
  #count = 0;
  #period = { startMs: 0, count: 0 };

  constructor(api: Api, variant: Variant) {
    this.#api = api;
    this.#variant = variant;
    this.#ajv = new Ajv2020({ strict: false, coerceTypes: false });
    addFormats.default(this.#ajv);
    if (variant === '30 February is accepted') this.#ajv.addFormat('date', /^\d{4}-\d\d-\d\d$/);
    this.#ajv.addSchema({ $id: 'api', ...this.#api.document });
  }

  #is(variant: NonNullable<Variant>): boolean {
    return this.#variant === variant;
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.#unusable.has(request.socket))
      return this.#write(response, '', {
        status: 400,
        body: this.#api.writeError(400, 'Invalid request line'),
        headers: { connection: 'close' },
      });
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url = '', headers } = request;
    const [path = '', query = ''] = url.split('?');
    const text = Buffer.concat(chunks).toString();
    if (this.#is('responds after 20 ms')) await sleep(20);
    const sent = await this.#handle({ method, path, query: new URLSearchParams(query), headers, text });
    // Such a server responds before it has read the body, and reads the rest of it as the next request.
    const isUnread = sent.status === 400 && text.length > MAX_READ_LENGTH;
    if (isUnread && this.#is('connections are unusable after a 400')) this.#unusable.add(request.socket);
    this.#write(response, method, sent);
  }

  #write(response: ServerResponse, method: string, { status, body, headers = {} }: Sent): void {
    const json = body ? Buffer.from(JSON.stringify(body.json)) : undefined;
    const isZipped = json && this.#is('compresses with gzip');
    const content = isZipped ? gzipSync(json) : json;
    const type = body && this.#is('the charset lies') ? `${body.type}; charset=iso-8859-1` : body?.type;
    response.writeHead(status, {
      ...headers,
      ...body?.headers,
      ...(content && { 'content-type': type, 'content-length': content.length }),
      ...(isZipped && { 'content-encoding': 'gzip' }),
      ...(this.#is('closes each connection') && { connection: 'close' }),
    });
    response.end(method === 'HEAD' ? undefined : content);
  }

  async #handle(received: Received): Promise<Sent> {
    try {
      this.#checkRate();
      return await this.#route(received);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const body = this.#api.writeError(error.status, error.message);
      const headers: Record<string, string> = error.status === 429 ? { 'retry-after': '1' } : {};
      if (error.status === 401 && this.#is('the 401 has another media type'))
        return { status: 401, body: { ...body, type: 'text/html', json: '<h1>Unauthorized</h1>' } };
      return { status: error.status, body, headers };
    }
  }

  #checkRate(): void {
    if (!this.#is('limits the rate')) return;
    if (Date.now() - this.#period.startMs > RATE.periodMs) this.#period = { startMs: Date.now(), count: 0 };
    if (++this.#period.count > RATE.count) throw new Refusal(429, 'Too many requests');
  }

  async #route(received: Received): Promise<Sent> {
    const isHead = received.method === 'HEAD';
    const method = isHead ? 'GET' : received.method;
    const paths = this.#api.document.paths as Readonly<Record<string, Readonly<Record<string, Schema>>>>;
    const found = Object.keys(paths).flatMap((template) => {
      const path = matchPath(template, received.path);
      return path ? [{ template, path }] : [];
    });
    const [match] = found;
    if (!match) throw new Refusal(404, 'Unknown path');
    const operation = paths[match.template]?.[method.toLowerCase()];
    if (!operation) {
      const allow = Object.keys(paths[match.template] ?? {}).map((one) => one.toUpperCase());
      return { status: 405, headers: { allow: allow.join(', ') } };
    }
    const resource = this.#api.resources.findLast(({ path }) => match.template.startsWith(path)) as ApiResource;
    const needsToken = !this.#is('missing credentials are accepted') || resource.path !== this.#api.target;
    const isExact = !this.#is('a changed token is accepted');
    if (needsToken && !this.#api.isAuthorized(received.headers, isExact)) throw new Refusal(401, 'Unauthorized');
    return this.#operate({ ...received, method }, { ...match, resource, operation });
  }

  async #operate(received: Received, matched: Matched): Promise<Sent> {
    const { resource, template, path } = matched;
    const body = this.#validate(received, matched);
    const parents = Object.keys(path).slice(0, (resource.path.match(/\{/g) ?? []).length);
    this.#checkParents(parents, path);
    const scope = fillPath(resource.path, path);
    if (template === resource.path)
      return received.method === 'GET' ? this.#list(received, matched, scope) : this.#create(body, resource, scope);
    const id = path[Object.keys(path).at(-1) ?? ''] ?? '';
    const stored = this.#find(resource, scope, id);
    const action = template.slice(resource.path.length).split('/')[2];
    if (!stored) {
      if (received.method === 'PUT' && this.#is('creates with PUT')) return this.#put(body, resource, { scope, id });
      throw new Refusal(404, 'Not found');
    }
    if (action !== undefined) return this.#act(action, stored, { resource, scope });
    if (received.method === 'GET') return this.#respond(200, stored, resource);
    if (received.method === 'DELETE') return this.#delete(stored, resource, scope);
    return this.#update(body, stored, { received, resource, scope });
  }

  #validate({ text, query, headers }: Received, { operation, path }: Matched): Entry {
    const parameters = (operation.parameters ?? []) as readonly { name: string; in: string; schema: Schema }[];
    for (const { name, in: location, schema } of parameters) {
      const values = location === 'path' ? path[name] : location === 'query' ? query.get(name) : headers[name];
      if (typeof values !== 'string') continue;
      if (!this.#isValid(schema, parseText(values, schema))) throw new Refusal(400, `${name} is invalid`);
    }
    const request = operation.requestBody as { content: Readonly<Record<string, { schema: Schema }>> } | undefined;
    if (!request) return {};
    const [type = ''] = (headers['content-type'] ?? '').split(';');
    const media = request.content[type.trim().toLowerCase()];
    if (!media) throw new Refusal(415, 'Unsupported media type');
    const json = parseJson(text);
    if (!this.#isValid(media.schema, json)) throw new Refusal(400, 'The body is invalid');
    return json as Entry;
  }

  #isValid(schema: Schema, value: unknown): boolean {
    const validate = this.#getValidator(schema);
    if (!this.#is('fractions of a cent are accepted') || !isObject(value)) return validate(value) === true;
    const rounded = JSON.parse(JSON.stringify(value ?? null), (_, one) =>
      typeof one === 'number' ? Math.floor(one) : one,
    );
    return validate(rounded) === true;
  }

  #getValidator(schema: Schema): ValidateFunction {
    const known = this.#validators.get(schema);
    const local = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/'));
    const validate = known ?? this.#ajv.compile(local);
    this.#validators.set(schema, validate);
    return validate;
  }

  #checkParents(names: readonly string[], path: Readonly<Record<string, string>>): void {
    const [name] = names;
    if (name === undefined) return;
    const parent = this.#api.resources[0] as ApiResource;
    if (!this.#find(parent, parent.path, path[name] ?? '')) throw new Refusal(404, 'The parent does not exist');
  }

  #isTarget({ path }: ApiResource): boolean {
    return path === this.#api.target;
  }

  /** Returns whether the server has a defect, and a resource is affected by it. */
  #has(defect: ApiDefect, resource: ApiResource): boolean {
    return this.#is(defect) && this.#isTarget(resource);
  }

  #getAll(scope: string): Map<string, Stored> {
    const all = this.#stored.get(scope) ?? new Map<string, Stored>();
    this.#stored.set(scope, all);
    return all;
  }

  #save(scope: string, id: unknown, stored: Stored | undefined): void {
    const all = this.#getAll(scope);
    if (stored) all.set(String(id), stored);
    else all.delete(String(id));
    if (!this.#isLate()) return;
    const history = this.#history.get(scope) ?? [];
    history.push({ sinceMs: Date.now(), all: [...all.values()] });
    this.#history.set(scope, history.slice(-MAX_HISTORY));
  }

  #isLate(): boolean {
    return this.#is('lists 200 ms late') || this.#is('lists 4 s late, as documented');
  }

  #find(resource: ApiResource, scope: string, id: string): Stored | undefined {
    const all = this.#getAll(scope);
    const exact = all.get(id);
    if (exact?.isDeleted && this.#has('deleted resources stay in the list', resource)) return undefined;
    if (exact) return exact;
    if (this.#has('ids are compared by prefix', resource))
      return [...all.values()].find(({ entry }) => id.startsWith(String(entry.id)));
    return this.#has('an unknown id gets 200', resource) ? [...all.values()][0] : undefined;
  }

  #list({ query }: Received, { resource }: Matched, scope: string): Sent {
    const { start, size } = this.#api.readPage(query);
    const isUnfiltered = start > 0 && this.#has('a filter is lost on the next page', resource);
    const entries = this.#getListed(resource, scope).filter(
      (entry) => isUnfiltered || this.#matches(resource, entry, query),
    );
    const from = this.#has('pages overlap', resource) && start > 0 ? start - 1 : start;
    const count = this.#has('a page has one entry too many', resource) ? size + 1 : size;
    const page = entries.slice(from, from + count);
    const total = this.#has('the total is that of the page', resource) ? page.length : entries.length;
    const next = start + size < entries.length ? start + size : undefined;
    return { status: 200, body: this.#api.writePage({ entries: page, total, next }) };
  }

  #getListed(resource: ApiResource, scope: string): readonly Entry[] {
    const delayMs = this.#is('lists 200 ms late') ? 200 : 4_000;
    const history = this.#history.get(scope) ?? [];
    const earlier = history.findLast(({ sinceMs }) => sinceMs <= Date.now() - delayMs)?.all ?? [];
    const all = this.#isLate() ? earlier : [...this.#getAll(scope).values()];
    const hasDeleted = this.#has('deleted resources stay in the list', resource);
    const entries = all.filter(({ isDeleted }) => hasDeleted || !isDeleted).map(({ entry }) => entry);
    if (this.#has('the list lacks new resources', resource)) return entries.slice(0, -1);
    const isStale = this.#has('the list is stale after a change', resource);
    return isStale ? entries.map((entry) => this.#first.get(`${scope}/${entry.id}`) ?? entry) : entries;
  }

  #matches(resource: ApiResource, entry: Entry, query: URLSearchParams): boolean {
    return resource.filters.every((name, index) => {
      const wanted = query.get(name);
      if (wanted === null) return true;
      const value = String(entry[name]);
      if (index === 0 && this.#has('a filter is ignored', resource)) return true;
      if (index === 0 && this.#has('a filter finds nothing', resource)) return false;
      if (index === 1 && this.#has('a filter compares prefixes', resource)) return value.startsWith(wanted);
      if (index === 2 && this.#is('finds parts of texts')) return value.toLowerCase().includes(wanted.toLowerCase());
      return value === wanted;
    });
  }

  async #create(body: Entry, resource: ApiResource, scope: string): Promise<Sent> {
    const { unique } = resource;
    this.#checkRules(body);
    if (this.#is('has a quota') && this.#getAll(scope).size >= QUOTA) throw new Refusal(409, 'The quota is reached');
    const other = this.#findUnique(resource, scope, this.#store(body, resource));
    if (other && this.#has('a conflict is a 500', resource)) throw new Refusal(500, 'duplicate key');
    if (other && this.#has('a new resource overwrites one with the same unique value', resource)) {
      const entry = { ...other.entry, ...this.#store(body, resource) };
      return this.#saveAndRespond(201, { ...other, entry }, { resource, scope });
    }
    if (other) throw new Refusal(409, `${unique} exists`);
    if (this.#has('concurrent requests create the unique value twice', resource))
      await this.#waitForSecond(body, resource);
    const id = resource.newId(++this.#count);
    const defaults = this.#is('sets defaults that are not documented') ? DEFAULTS : {};
    const entry = { id, ...resource.created, ...defaults, ...this.#store(body, resource) };
    const isCreated = !this.#has('nothing is created', resource);
    this.#first.set(`${scope}/${id}`, entry);
    if (isCreated) this.#save(scope, id, { entry, version: 1, isDeleted: false });
    const sent = this.#respond(201, { entry, version: 1, isDeleted: false }, resource);
    const place = this.#has('Location points nowhere', resource) ? `/all${scope}` : scope;
    return { ...sent, headers: { ...sent.headers, location: `${place}/${id}` } };
  }

  /** Waits until another request creates an entry with the same unique value, for 200 ms at most. */
  async #waitForSecond(body: Entry, { unique = '' }: ApiResource): Promise<void> {
    const value = String(body[unique]);
    const release = this.#waiting.get(value);
    this.#waiting.delete(value);
    if (release) return release();
    const second = new Promise<void>((resolve) => this.#waiting.set(value, resolve));
    await Promise.race([second, sleep(200)]);
    this.#waiting.delete(value);
  }

  #put(body: Entry, resource: ApiResource, { scope, id }: { scope: string; id: string }): Sent {
    this.#checkRules(body);
    if (this.#findUnique(resource, scope, body)) throw new Refusal(409, `${resource.unique} exists`);
    const ownId = /^\d+$/.test(id) && typeof resource.newId(0) === 'number' ? Number(id) : id;
    const entry = { id: ownId, ...resource.created, ...this.#store(body, resource) };
    return this.#saveAndRespond(201, { entry, version: 1, isDeleted: false }, { resource, scope });
  }

  #findUnique({ unique }: ApiResource, scope: string, body: Entry, id?: unknown): Stored | undefined {
    if (unique === undefined || body[unique] === undefined) return undefined;
    return [...this.#getAll(scope).values()].find(
      ({ entry, isDeleted }) => !isDeleted && entry[unique] === body[unique] && entry.id !== id,
    );
  }

  #checkRules({ start, end, title }: Entry): void {
    const status = this.#is('refuses rules with 400') ? 400 : 422;
    if (start !== undefined && end !== undefined && String(end) < String(start))
      throw new Refusal(status, 'The end is before the start');
    if (this.#is('trims texts') && title !== undefined && String(title).trim() === '')
      throw new Refusal(status, 'The title is blank');
  }

  /** Returns a body as the server stores it. */
  #store(body: Entry, resource: ApiResource): Entry {
    const mapTexts = (change: (text: string) => string) =>
      Object.fromEntries(
        Object.entries(body).map(([name, value]) => [
          name,
          typeof value === 'string' && ['title', 'note'].includes(name) ? change(value) : value,
        ]),
      );
    if (this.#is('trims texts')) return mapTexts((text) => text.trim());
    if (this.#is('folds the case')) return mapTexts((text) => text.toLowerCase());
    if (this.#has('texts are cut at 100 characters', resource)) return mapTexts((text) => text.slice(0, 100));
    if (this.#has('texts are stored as Latin-1', resource))
      return mapTexts((text) => text.replaceAll(/[^\0-\u00ff]/g, '?'));
    if (this.#has('texts are stored with HTML escapes', resource))
      return mapTexts((text) => text.replaceAll('&', '&amp;').replaceAll("'", '&#39;'));
    if (this.#has('a date is a day early', resource) && typeof body.start === 'string')
      return { ...body, start: new Date(Date.parse(body.start) - DAY_MS).toISOString().slice(0, 10) };
    if (this.#has('lists inside are lost', resource) && Array.isArray(body.lines))
      return { ...body, lines: body.lines.map(({ parts: _, ...line }: Entry) => line) };
    const { amountCents: _, ...others } = body;
    return this.#has('a property is not stored', resource) ? { ...others, amountCents: 0 } : body;
  }

  #update(
    body: Entry,
    stored: Stored,
    { received, resource, scope }: { received: Received; resource: ApiResource; scope: string },
  ): Sent {
    const { method, headers } = received;
    const version = headers['if-match'];
    if (stored.isDeleted) throw new Refusal(404, 'Deleted');
    if (resource.needsVersion(method) && version === undefined && !this.#has('If-Match is not required', resource))
      throw new Refusal(428, 'If-Match is required');
    const isCurrent = version === undefined || version === '*' || version === this.#getETag(stored);
    if (!isCurrent && !this.#has('If-Match is ignored', resource)) throw new Refusal(412, 'Another version');
    const entry = this.#change(body, stored.entry, { method, resource });
    this.#checkRules(entry);
    const isChecked = method !== 'PUT' || !this.#has('PUT does not check the unique property', resource);
    if (isChecked && this.#findUnique(resource, scope, entry, entry.id))
      throw new Refusal(409, `${resource.unique} exists`);
    return this.#saveAndRespond(200, { ...stored, entry, version: stored.version + 1 }, { resource, scope });
  }

  #change(body: Entry, old: Entry, { method, resource }: { method: string; resource: ApiResource }): Entry {
    const hasDefaults = method === 'PUT' && this.#is('sets defaults that are not documented');
    const sent = { ...(hasDefaults && DEFAULTS), ...this.#store(body, resource) };
    const own = Object.fromEntries(['id', ...Object.keys(resource.created)].map((name) => [name, old[name]]));
    const values = this.#has('an updated property is not stored', resource)
      ? { ...sent, amountCents: old.amountCents }
      : sent;
    const isPartial =
      this.#has('PUT keeps what was left out', resource) || this.#is('updates partially with PUT, as documented');
    if (method === 'PUT') return isPartial ? { ...old, ...values } : { ...own, ...values };
    const { note: _, lines: __, ...required } = old;
    const start = this.#has('PATCH resets what it does not have', resource) ? required : old;
    const merged = Object.entries({ ...start, ...values });
    if (this.#has('null is ignored', resource))
      return { ...start, ...Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)) };
    return Object.fromEntries(merged.filter(([, value]) => value !== null));
  }

  #act(action: string, stored: Stored, { resource, scope }: { resource: ApiResource; scope: string }): Sent {
    const { to, from } = resource.actions[action] ?? { to: '', from: [] };
    const isAllowed = from.includes(String(stored.entry.status)) || this.#has('an action ignores the status', resource);
    if (!isAllowed) throw new Refusal(409, `Not allowed for ${stored.entry.status}`);
    const changed = { ...stored, entry: { ...stored.entry, status: to }, version: stored.version + 1 };
    if (this.#has('an action stores nothing', resource)) return this.#respond(200, changed, resource);
    return this.#saveAndRespond(200, changed, { resource, scope });
  }

  #delete(stored: Stored, resource: ApiResource, scope: string): Sent {
    if (stored.isDeleted) throw new Refusal(404, 'Deleted');
    const { entry } = stored;
    if (this.#is('deletes softly') || this.#has('deleted resources stay in the list', resource)) {
      const deleted = { ...entry, deletedAt: new Date().toISOString() };
      this.#save(scope, entry.id, { ...stored, entry: deleted, isDeleted: true });
    } else if (!this.#has('nothing is deleted', resource)) this.#save(scope, entry.id, undefined);
    return { status: 204 };
  }

  #saveAndRespond(status: number, stored: Stored, { resource, scope }: { resource: ApiResource; scope: string }): Sent {
    this.#save(scope, stored.entry.id, stored);
    return this.#respond(status, stored, resource);
  }

  #respond(status: number, stored: Stored, resource: ApiResource): Sent {
    const etag = this.#has('the ETag never changes', resource) ? '"v1"' : this.#getETag(stored);
    return { status, body: this.#api.writeEntry(stored.entry), headers: { etag } };
  }

  #getETag({ version }: Stored): string {
    return `${this.#is('has weak ETags') ? 'W/' : ''}"v${version}"`;
  }
}

function matchPath(template: string, path: string): Record<string, string> | undefined {
  const [parts, own] = [template.split('/'), path.split('/')];
  if (parts.length !== own.length) return undefined;
  const found: Record<string, string> = {};
  for (const [index, part] of parts.entries()) {
    const value = own[index] ?? '';
    if (!part.startsWith('{')) {
      if (part !== value) return undefined;
    } else if (value === '') return undefined;
    else found[part.slice(1, -1)] = decode(value);
  }
  return found;
}

function fillPath(template: string, path: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name) => path[name] ?? '');
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Refusal(400, 'Invalid escape');
  }
}

function parseText(text: string, { type }: Schema): unknown {
  if (type === 'integer' || type === 'number') return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
  return type === 'boolean' && /^(true|false)$/.test(text) ? text === 'true' : text;
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function parseJson(text: string): unknown {
  try {
    const value = JSON.parse(text);
    if (getDepth(text) <= MAX_DEPTH) return value;
  } catch {
    throw new Refusal(400, 'Invalid JSON');
  }
  throw new Refusal(400, 'The body is nested too deeply');
}

function getDepth(text: string): number {
  let [depth, max] = [0, 0];
  for (const character of text) {
    if (character === '[' || character === '{') depth++;
    if (character === ']' || character === '}') depth--;
    max = Math.max(max, depth);
  }
  return max;
}
