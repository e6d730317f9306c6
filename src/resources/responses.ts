import type { HandlerResponse, Input } from '../application.ts';
import type { CompleteValue } from '../mock/complete-value.ts';
import type { Contract } from '../openapi/contract.ts';
import { omitKeys } from '../openapi/document.ts';
import { allowsAnyBody, allowsAnyJson, findValueMedia, getShape } from '../openapi/responses.ts';
import type { Entry } from '../store/state.ts';
import { formatPointer, parsePointer } from '../util/json-pointer.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import { normalizeName } from '../util/names.ts';
import { getPageUrl } from '../util/pages.ts';
import { toSeed } from '../util/random.ts';
import { isSecretName } from '../util/redact-secrets.ts';
import { addIdToMessages, createTextResponse, getEnvelopeValues, isOnlyEnvelope } from './document/envelopes.ts';
import { getKeyNames } from './document/names.ts';
import type { SchemaReader } from './document/schema-reader.ts';
import { getEntryKey, getKeyValue, getOwn, removePathValues, setInner } from './entries/entry-values.ts';
import { showIds } from './entries/linked-entries.ts';
import { addIds } from './entries/named-ids.ts';
import type { ListPage } from './lists/list-query.ts';
import { findNeighbour, getLinkRelation, getPageValues } from './lists/page-fields.ts';
import type { Inference, Plan, Resource } from './resource.ts';
import { PERSONS } from './users/user-names.ts';
import { type Completed, getGeneratedInside, pickPointers, setGeneratedInside, toList } from './values/completed.ts';
import { averageEntries } from './values/derived.ts';
import { getEchoes } from './values/echoes.ts';
import { computeTotals, findTotals, type Total } from './values/totals.ts';

/**
 * Creates the responses of operations on inferred resources.
 * Generates missing values, and caches the result as long as the stored entry is in use.
 */
export class ResponseFactory {
  readonly #contract: Contract;
  readonly #reader: SchemaReader;
  readonly #completeValue: CompleteValue;
  readonly #users: Resource | undefined;
  /** The names of the passwords with which users log in, without uppercase letters and separators. */
  readonly #passwords: ReadonlySet<string>;
  readonly #completed = new WeakMap<Entry, Map<string, Completed>>();

  constructor(
    contract: Contract,
    reader: SchemaReader,
    { users, plans }: Pick<Inference, 'users' | 'plans'>,
    completeValue: CompleteValue,
  ) {
    this.#contract = contract;
    this.#reader = reader;
    this.#users = users;
    this.#completeValue = completeValue;
    const names = [...plans.values()].flatMap(({ login }) => login?.credentials?.password ?? []);
    this.#passwords = new Set(names.map(normalizeName));
  }

  /**
   * Returns a response with the first of `entries`, or with all of them if the documented body is a list.
   * `entries` is empty if no entry is shown, for example after all entries were deleted.
   */
  createEntryResponse(plan: Plan, status: number, entries: readonly Entry[]): HandlerResponse {
    const [entry] = entries;
    const { schema, headers, inner, items, ...documented } = this.#getBody(plan, status);
    const envelope = addIdToMessages(documented.envelope, entry && getKeyValue(entry, plan.resource.id));
    const hidesEntry = documented.hidesEntry || plan.hidesEntry === true;
    const { resource, responsePath } = plan;
    if (entry && !plan.hidesEntry && this.#isOpen(plan))
      return { status, headers, ...this.#wrapOpen(plan, this.#completeOpen(plan, entry)) };
    if (schema === undefined) return createTextResponse(this.#reader, this.#contract.isValid, plan.route, status);
    const id = entry && this.#getBareId(plan, schema, entry);
    if (id !== undefined) return { status, headers, body: id };
    const seed = toSeed(`${plan.route.operationId} ${entry ? getEntryKey(resource, entry) : ''}`);
    if (inner === undefined || hidesEntry || (!entry && items === undefined)) {
      const shown = entry && !hidesEntry ? removePathValues(entry) : {};
      const known = { ...shown, ...envelope };
      const named = entry
        ? addIds(this.#reader, this.#contract.isValid, { resource, entry, schema, body: known })
        : known;
      const { value, generated } = this.#completeValue(schema, named, seed);
      return { status, headers, body: value, generated };
    }
    const completed = entries.map((each) =>
      items === undefined
        ? this.#pickShown(plan, this.#completeShown(resource, inner, each))
        : this.#completeItem(resource, items, each),
    );
    const body = items === undefined ? (completed[0] as Completed) : toList(completed);
    const sums = items === undefined ? {} : this.#computeSums(plan, body.value);
    return { status, headers, ...this.#wrap({ schema, path: responsePath, seed }, body, { ...envelope, ...sums }) };
  }

  /**
   * Returns the id of a new entry if the response of its POST is only a text or a number.
   * Returns undefined if the document describes something else, such as a message.
   */
  #getBareId({ action, resource }: Plan, schema: string, entry: Entry): unknown {
    if (action !== 'create' || !this.#reader.isScalar(schema)) return undefined;
    const text = getKeyValue(entry, resource.id);
    const said = ['title', 'description', 'example'].map((name) => this.#reader.getKeyword(schema, name)).join(' ');
    const isOther = said.trim() !== '' && !/(?:id|key|uuid|identifier)\b/i.test(said) && !/^\s*\S+$/.test(said);
    if (text === undefined || isOther) return undefined;
    return [text, Number(text)].find((value) => this.#contract.isValid(schema, value));
  }

  /** What the document says about the body of an operation's response with a status. */
  #getBody(plan: Plan, status: number): DocumentedBody {
    const known = this.#bodies(plan);
    const body = known.get(status) ?? this.#readBody(plan, status);
    known.set(status, body);
    return body;
  }

  readonly #bodies = memoizeByObject((_plan: Plan) => new Map<number, DocumentedBody>());

  #readBody({ route, responsePath, action }: Plan, status: number): DocumentedBody {
    const media = findValueMedia(route.responses, status);
    const schema = getShape(media);
    const inner = schema === undefined ? undefined : this.#reader.getInner(schema, responsePath);
    return {
      schema,
      headers: media ? { 'Content-Type': media.type } : {},
      inner,
      items: inner === undefined ? undefined : this.#reader.getItems(inner),
      envelope: getEnvelopeValues(this.#reader, this.#contract.isValid, route, status),
      // A deleted message is not shown by `{ "message": "…" }`.
      hidesEntry:
        schema !== undefined && action !== 'read' && responsePath.length === 0 && isOnlyEnvelope(this.#reader, schema),
    };
  }

  /** Returns an entry with only the properties that a path such as `/profiles/{username}` shows. */
  #pickShown({ mount }: Plan, completed: Completed): Completed {
    if (mount.shown === undefined) return completed;
    const names = this.#reader.getProperties(mount.shown);
    const shown = Object.entries(completed.value as Entry).filter(([name]) => names.has(name));
    const value = Object.fromEntries(shown);
    return { value, generated: pickPointers(completed.generated, value) };
  }

  /** Returns an entry with its id, and with all properties that the response schema requires. */
  #completeShown(resource: Resource, schema: string, entry: Entry): Completed {
    const shown = showIds(this.#reader, this.#contract.isValid, resource, schema, entry);
    return this.completeEntry(resource, schema, this.#addId(resource, schema, shown));
  }

  /**
   * Returns a list item for an entry.
   * The item is the entry itself, or an object that contains the entry, such as `{ "status": 201, "pet": { … } }`.
   */
  #completeItem(resource: Resource, items: string, entry: Entry): Completed {
    const { path, schema } = this.#reader.findEntry(items, resource.singular, resource.schema || undefined);
    const completed = this.#completeShown(resource, schema, entry);
    if (path.length === 0) return completed;
    const seed = toSeed(getEntryKey(resource, entry));
    const { body, generated = [] } = this.#wrap({ schema: items, path, seed }, completed, {});
    return { value: body, generated };
  }

  /**
   * Returns a copy of an entry with its id under the name in the response schema, such as `dataset_uuid`.
   * The stored entry can have its id under another name.
   */
  #addId({ id, kind, singular }: Resource, schema: string, entry: Entry): Entry {
    const properties = this.#reader.getProperties(schema);
    if (kind === 'singleton' || (id.property !== undefined && properties.has(id.property))) return entry;
    const names = getKeyNames(id.parameter, singular);
    const name = [...properties.keys()].find((property) => isIdName(normalizeName(property), names));
    const text = getKeyValue(entry, id);
    const values = text === undefined ? [] : [text, Number(text)];
    const value = name && values.find((each) => this.#contract.isValid(properties.get(name) ?? '', each));
    if (name === undefined || value === undefined || getOwn(entry, name) !== undefined) return entry;
    return setGeneratedInside({ ...entry, [name]: value }, getGeneratedInside(entry));
  }

  /** Returns a response with one page of a list. `input`: the request. */
  createListResponse(plan: Plan, page: ListPage, input: Input): HandlerResponse {
    const status = plan.route.successStatus;
    const { schema, headers, envelope } = this.#getBody(plan, status);
    const entries = page.entries.map((entry) => this.#completeListed(plan, entry));
    const inner = toList(entries);
    if (schema === undefined || this.#isOpen(plan)) return { status, headers, ...this.#wrapOpen(plan, inner) };
    const fields = this.#getFieldsBeside(schema, { plan, page, input });
    const echoes = getEchoes({ reader: this.#reader, contract: this.#contract }, plan.route, schema, input);
    const others = { ...echoes, ...envelope, ...fields, ...this.#computeSums(plan, inner.value) };
    return {
      status,
      headers,
      ...this.#wrap({ schema, path: plan.responsePath, seed: toSeed(plan.route.operationId) }, inner, others),
    };
  }

  /** Returns the sums beside a list of lines with a quantity and a price, such as the `total` of a basket. */
  readonly getSums = memoizeByObject(({ route, responsePath }: Plan): readonly Total[] => {
    const [property, ...more] = responsePath;
    const schema = this.#reader.getResponseSchema(route, route.successStatus);
    if (property === undefined || more.length > 0 || schema === undefined) return [];
    return findTotals(this.#reader, { schema }, [], () => false).filter(
      ({ source, shows }) => source === property && typeof shows === 'object' && shows.quantity !== undefined,
    );
  });

  #computeSums(plan: Plan, entries: unknown): Entry {
    const [property = ''] = plan.responsePath;
    return omitKeys(
      computeTotals(this.getSums(plan), { [property]: entries }, () => []),
      [property],
    );
  }

  /** Returns an entry as clients see it in a list: with all properties that the schema requires. */
  completeListed(plan: Plan, entry: Entry): Entry {
    return this.#completeListed(plan, entry).value as Entry;
  }

  #completeListed(plan: Plan, entry: Entry): Completed {
    if (this.#isOpen(plan)) return this.#completeOpen(plan, entry);
    const items = this.#getItems(plan);
    if (items === '') return { value: removePathValues(entry), generated: [] };
    return this.completeEntry(plan.resource, items, entry);
  }

  /** Returns the JSON Pointer of the schema of the entries in a list response; an empty string if there is none. */
  #getItems(plan: Plan): string {
    return this.#getBody(plan, plan.route.successStatus).items ?? '';
  }

  /**
   * Returns whether the document leaves open which JSON an operation returns.
   * Cached, because it is called for each entry of a list.
   */
  readonly #isOpen = memoizeByObject(({ route }: Plan): boolean => {
    const { normalized } = this.#contract;
    return allowsAnyBody(normalized, route) || allowsAnyJson(normalized, route);
  });

  /**
   * Returns an entry for a response that the document does not describe: with its id and without `writeOnly`
   * properties.
   */
  #completeOpen({ resource }: Plan, entry: Entry): Completed {
    if (resource.schema === '') return { value: removePathValues(entry), generated: [] };
    const { value: complete, generated } = this.completeEntry(resource, resource.schema, entry);
    const isPerson = PERSONS.includes(normalizeName(resource.singular));
    const value = isPerson ? omitSecrets(complete as Entry) : complete;
    const { property } = resource.id;
    const id = property === undefined ? undefined : getOwn(entry, property);
    const shown = value as Entry;
    return {
      value: id === undefined || property === undefined ? shown : { [property]: id, ...shown },
      generated: pickPointers(generated, shown),
    };
  }

  /** Puts a value at its place in a body that the document does not describe. */
  #wrapOpen({ responsePath }: Plan, { value, generated }: Completed): HandlerResponse {
    if (responsePath.length === 0) return { body: value, generated };
    return {
      body: setInner({}, responsePath, value),
      generated: generated.map((one) => formatPointer(...responsePath) + one),
    };
  }

  /**
   * Returns a copy of an entry with all properties that a schema requires.
   * Generated values of an entry are the same in all operations.
   */
  completeEntry(resource: Resource, schema: string, entry: Entry): Completed {
    const known = this.#completed.get(entry) ?? new Map<string, Completed>();
    this.#completed.set(entry, known);
    const found = known.get(schema);
    if (found) return found;
    const seed = toSeed(`${resource.memberOf ?? resource.name} ${getEntryKey(resource, entry)}`);
    const shown = this.#convertId(resource, schema, removePathValues(entry));
    const own = this.#maskPasswords(resource, schema, this.#completeValue(schema, shown, seed));
    const inside = pickPointers(getGeneratedInside(entry), own.value as Entry);
    const completed = inside.length === 0 ? own : { ...own, generated: [...own.generated, ...inside] };
    known.set(schema, completed);
    return completed;
  }

  /** Converts an id that was stored before the contract changed its type: 7 to `'7'`, or `'7'` to 7. */
  #convertId({ id: { property } }: Resource, schema: string, entry: Entry): Entry {
    const pointer = property === undefined ? undefined : this.#reader.getProperties(schema).get(property);
    const value = property === undefined ? undefined : getOwn(entry, property);
    const isKey = typeof value === 'number' || (typeof value === 'string' && value !== '');
    if (property === undefined || pointer === undefined || !isKey || this.#contract.isValid(pointer, value))
      return entry;
    const other = typeof value === 'number' ? String(value) : Number(value);
    return this.#contract.isValid(pointer, other) ? { ...entry, [property]: other } : entry;
  }

  /** Masks the passwords that a schema requires, because only their hashes are stored, and a generated one is wrong. */
  #maskPasswords(resource: Resource, schema: string, completed: Completed): Completed {
    const isPassword = (name: string) => PASSWORD.test(name) || (resource === this.#users && this.#passwords.has(name));
    const masked = completed.generated.flatMap((pointer) => {
      const [name = '', ...inner] = parsePointer(pointer);
      if (inner.length > 0 || !isPassword(normalizeName(name))) return [];
      const place = this.#reader.getProperties(schema).get(name) ?? '';
      const mask = PASSWORD_MASKS.find((one) => this.#contract.isValid(place, one));
      return mask === undefined ? [] : [[name, mask] as const];
    });
    if (masked.length === 0) return completed;
    return { ...completed, value: { ...(completed.value as Entry), ...Object.fromEntries(masked) } };
  }

  /**
   * Puts a completed value at its place in a response body, and generates the missing parts of the body.
   * `inner`: the completed value.
   * `others`: known properties of the body, such as `total`.
   */
  #wrap({ schema, path, seed }: BodyPlace, inner: Completed, others: Entry): HandlerResponse {
    const prefix = formatPointer(...path);
    const generated = inner.generated.map((pointer) => prefix + pointer);
    if (path.length === 0 && !Array.isArray(inner.value)) return { body: inner.value, generated };
    const body = path.length === 0 ? inner.value : setInner(others, path, inner.value);
    const completed = this.#completeValue(schema, body, seed);
    return { body: completed.value, generated: [...generated, ...completed.generated] };
  }

  /**
   * Returns the properties that describe the page, such as `total`.
   * Searches them next to the list and at the top level of the response body.
   */
  #getFieldsBeside(schema: string, listed: Listed): Entry {
    const { responsePath } = listed.plan;
    const parents = responsePath.slice(0, -1);
    const inner = responsePath.length === 0 ? undefined : this.#reader.getInner(schema, parents);
    const fields = inner === undefined ? undefined : this.#getPageFields(inner, listed);
    const outer = parents.length > 0 ? this.#getPageFields(schema, listed) : undefined;
    return setInner(outer ?? {}, parents, fields ?? {});
  }

  /**
   * Returns the properties of an object that describe a page, such as `total`.
   * Omits those without a value, such as `next` on the last page.
   * Also searches nested objects such as `meta` or `pagination`.
   * Returns undefined if no property describes a page.
   * `parents`: the names of the objects around the property.
   */
  #getPageFields(schema: string, listed: Listed, parents: readonly string[] = []): Entry | undefined {
    const { plan, page } = listed;
    const properties = [...this.#reader.getProperties(schema)];
    const siblings = properties.map(([name]) => name);
    const read = (property: string) =>
      (page.found ?? page.entries).map(
        (one) => getOwn(one, property) ?? getOwn(this.completeListed(plan, one), property),
      );
    const required = this.#reader.getRequired(schema);
    const fields = properties.flatMap(([name, pointer]): readonly (readonly [string, unknown])[] => {
      const field = { name, list: plan.responsePath.at(-1) ?? '', siblings, parent: parents.at(-1) ?? '' };
      const next = this.#reader.isObject(pointer)
        ? findNeighbour(name, [...this.#reader.getProperties(pointer).keys()], page)
        : undefined;
      if (next !== undefined)
        return [[name, next === null ? undefined : this.#getPageFields(pointer, { ...listed, page: next })]];
      const isAllowed = (value: unknown) => this.#contract.isValid(pointer, value);
      const link = this.#getLink(name, pointer, listed);
      const average = averageEntries(this.#reader, this.#getItems(plan), { name, pointer }, { isAllowed, read });
      const found = [...(average === undefined ? [] : [average]), ...getPageValues(field, page)];
      const values = [...(link === undefined ? [] : [link]), ...found];
      // On the last page, a required text such as `next` is empty.
      const value = [...values, ...(values.includes(null) && required.includes(name) ? [''] : [])].find(isAllowed);
      if (value !== undefined) return [[name, value]];
      // In `page: { size, number, totalElements }`, as in Spring, the object is no page number.
      const isObject = this.#reader.isObject(pointer);
      if (values.length > 0 && !(isObject && getLinkRelation(name) === undefined)) return [[name, undefined]];
      if (!isObject || parents.length >= MAX_FIELD_DEPTH || plan.responsePath.includes(name)) return [];
      const inner = this.#getPageFields(pointer, listed, [...parents, name]);
      return inner ? [[name, inner]] : [];
    });
    if (fields.length === 0) return undefined;
    return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
  }

  /**
   * Returns the URL of another page for a property such as `next`, or an object with this URL as `href`.
   * Returns null if there is no such page, and undefined if the property has no URL.
   * A text without a format is a cursor if the operation has a parameter for cursors.
   */
  #getLink(name: string, pointer: string, { page, input }: Listed): unknown {
    const relation = getLinkRelation(name);
    if (relation === undefined) return undefined;
    const isLinkObject = this.#reader.getProperties(pointer).has('href');
    const isText = this.#reader.getTypes(pointer).includes('string');
    const hasFormat = /^(?:uri|url|iri)/.test(String(this.#reader.getKeyword(pointer, 'format') ?? ''));
    const isUrl = hasFormat || /ur[il]$|link$|href$/i.test(name) || page.position?.kind !== 'cursor';
    if (!isLinkObject && !(isText && isUrl)) return undefined;
    const url = getPageUrl(page, page.position, relation, {
      url: input.url ?? '',
      query: { ...input.query, ...input.credentials },
    });
    if (url === undefined) return null;
    return isLinkObject ? { href: url } : url;
  }
}

/** A page of a list, and the request for it. */
interface Listed {
  readonly plan: Plan;
  readonly page: ListPage;
  readonly input: Input;
}

/**
 * Returns whether a property contains the id of an entry.
 * `property`: a normalized name such as `datasetuuid`.
 * The second parameter: the possible names, from `getKeyNames`.
 */
function isIdName(property: string, [own = '', ...others]: readonly string[]): boolean {
  return property.endsWith(own) || (/(?:id|uuid|guid|identifier)$/.test(property) && others.includes(property));
}

/**
 * A place in a body.
 * `schema`: the JSON Pointer of the schema of the body.
 * `path`: the property names that lead to the place.
 * `seed`: the seed for generated values.
 */
interface BodyPlace {
  readonly schema: string;
  readonly path: readonly string[];
  readonly seed: number;
}

/** The body in JSON or XML that is documented for a status of an operation, and a `Content-Type` header. */
interface DocumentedBody {
  /** The JSON Pointer of its schema; undefined if there is no such body. */
  readonly schema: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON Pointer of the schema of the entry or of the list in the body. */
  readonly inner: string | undefined;
  /** The JSON Pointer of the schema of the entries, if `inner` is the schema of a list. */
  readonly items: string | undefined;
  /** The properties that say that the request succeeded. */
  readonly envelope: Entry;
  /** Whether the body does not show the entry. */
  readonly hidesEntry: boolean;
}

/** The maximum depth of nested objects in which properties such as `total` are searched. */
const MAX_FIELD_DEPTH = 2;

/** Matches names of properties with a password, without uppercase letters and separators. */
export const PASSWORD = /^(?:user|login)?(?:password|passwd|pwd|passphrase|passcode)$/;

/** What responses show instead of a password that they require: the first one that the schema allows. */
const PASSWORD_MASKS = ['********', '************', '****************', '****', ''];

/** Returns a person without secrets such as `password` and `apiKey`, which no document says that responses have. */
function omitSecrets(person: Entry): Entry {
  return Object.fromEntries(Object.entries(person).filter(([name]) => !isSecretName(name)));
}
