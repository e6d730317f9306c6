import type { Contract } from '../openapi/contract.ts';
import { isNode, type Node, toNode } from '../openapi/document.ts';
import { isJsonType } from '../openapi/media-types.ts';
import { findResponse } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import { ALL_PARTS, getPartItems, getPartProperties, getPartTypes, getSchemaParts } from '../openapi/schema-parts.ts';
import { normalizeName } from '../util/names.ts';
import type { Exchange } from './exchange.ts';
import type { Finding } from './findings.ts';
import { getBodySchema, getBodyType } from './requests.ts';
import { isServerName } from './server-names.ts';
import { createFinding } from './session.ts';
import { isSimilar, toNumber } from './similar-values.ts';

/** The number of ms in a minute. */
const MINUTE_MS = 60_000;

/** The number of minutes in an hour, and in a day. */
const HOUR_MINUTES = 60;
const DAY_MINUTES = 1_440;

/** A value that a request sent, and the value that the resource had before and after the request. */
interface Observation {
  readonly sent: unknown;
  readonly before: unknown;
  readonly got: unknown;
  /** Whether the contract requires a fraction to be kept: it documents the steps of a number, such as 0.01. */
  readonly hasFraction: boolean;
  /** The JSON Pointer of the property in the schema of the response; undefined if it has none. */
  readonly schema: string | undefined;
  /** The requests up to the one that read the resource. */
  readonly exchanges: readonly Exchange[];
}

/**
 * The values of a property that an operation sent.
 * `name`: the names of the properties that lead to it, separated by dots.
 */
interface ObservedProperty {
  readonly change: StoredChange;
  readonly name: string;
  readonly isRequired: boolean;
  readonly all: Observation[];
}

/** A request that created or changed a resource, and the request that then read the resource. */
interface StoredChange {
  /** The operation that created or changed the resource. */
  readonly route: Route;
  /** The operation that read the resource. */
  readonly read: Route;
  /** The sent properties of the resource. */
  readonly sent: Node;
  /** The properties before an update; undefined for a new resource. */
  readonly before: Node | undefined;
  /** The properties after the change, and where they are in the response body. */
  readonly entry: Node;
  readonly entryPath: readonly string[];
  readonly exchanges: readonly Exchange[];
}

/** The minimum number of changes of a property that show that a server does not store it. */
const MIN_CHANGES = 3;

/**
 * The minimum number of changes of a property with few values, such as a boolean, that show that a server always stores
 * the same value.
 */
const MIN_CONSTANT_CHANGES = 6;

/** Matches the end of a pattern for decimal numbers: `\.\d{2}$`. */
const DECIMALS = /\\\.(?:\\d|\[0-9\])(?:\{[\d,]+\}|\+|\\d)?\$?$/;

/** The maximum nesting of compared properties. */
const MAX_DEPTH = 4;

/**
 * Normalized names of optional properties that servers often set when they create a resource.
 * A server that ignores them stores the same value each time.
 */
const FLAG_NAMES =
  /^(is|has)?(admin|approved|archived|banned|blocked|closed|confirmed|default|deleted|hidden|locked|new|public|published|read|role|verified|visible)$|(type|role|level|kind|stage|phase)$/;

/**
 * Compares the values that requests sent with the values that the resources then had, in several life cycles of one
 * collection.
 */
export class StoredValues {
  readonly #contract: Contract;
  readonly #observations = new Map<string, ObservedProperty>();

  constructor(contract: Contract) {
    this.#contract = contract;
  }

  /**
   * Adds the values of a change.
   * Ignores values that the response may not have: those that its schema does not describe or marks as `writeOnly`.
   */
  add(change: StoredChange): void {
    const { route, read, entryPath } = change;
    const request = getBodySchema(route);
    if (request === undefined || !isJsonType(getBodyType(route) ?? '')) return;
    const response = this.#walk(getResponseSchema(read), entryPath);
    this.#compare(change, [], { sent: change.sent, before: change.before, got: change.entry, request, response });
  }

  /** Returns a finding for each operation that does not store some of the sent properties. */
  createFindings(): readonly Finding[] {
    const routes = new Set([...this.#observations.values()].map(({ change: { route } }) => route));
    return [...routes].flatMap((route) => {
      const own = [...this.#observations.values()].filter(({ change }) => change.route === route);
      const problems = own.flatMap(({ name, isRequired, change, ...observed }) => {
        const mustStore = isRequired || !FLAG_NAMES.test(normalizeName(name));
        const isWrong = describeProblem(observed.all, mustStore) !== undefined;
        const all = isWrong ? observed.all.filter((one) => this.#canShowAsSent(name, one)) : [];
        const problem = describeProblem(all, mustStore);
        const text = `${name} was sent in ${all.length} requests to ${route.operationId}, ${problem}`;
        return problem === undefined
          ? []
          : [{ name, text, read: change.read, last: findWrong(all).at(-1) ?? all.findLast(isShifted) ?? all.at(-1) }];
      });
      const [first] = problems;
      const exchange = first?.last?.exchanges.at(-1);
      if (!first?.last || !exchange) return [];
      const { read, last } = first;
      const message = `${problems.map(({ text }) => text).join('; ')}`;
      const title = `changes are stored: ${route.operationId}`;
      const finding = createFinding('behaviour', read, exchange, {
        rule: 'stored-value',
        title,
        message,
        pointer: read.pointer,
        property: first.name,
      });
      return [{ ...finding, exchanges: last.exchanges }];
    });
  }

  #compare(change: StoredChange, path: readonly string[], values: ComparedValues): void {
    const { sent, before, got, request, response } = values;
    const requestParts = request === undefined ? [] : getSchemaParts(this.#contract.normalized, request, ALL_PARTS);
    const responseParts = response === undefined ? [] : getSchemaParts(this.#contract.normalized, response, ALL_PARTS);
    const requestProperties = getPartProperties(requestParts);
    const responseProperties = getPartProperties(responseParts);
    const required = requestParts.flatMap(({ node }) => (Array.isArray(node.required) ? node.required : []));
    const marksReadOnly = [...responseProperties.values()].some((schema) => this.#isHidden(schema));
    for (const [name, value] of Object.entries(sent)) {
      const schema = responseProperties.get(name);
      const isRequired = required.includes(name);
      const isPresent = Object.hasOwn(got, name);
      // If the contract says which properties the server sets, such as `copyCount`, clients set the other counts.
      const isSent = isRequired || (/count$/i.test(name) && marksReadOnly);
      if (isServerName(change.read, name, isSent) || (schema === undefined && !isPresent)) continue;
      if (this.#isHidden(requestProperties.get(name)) || this.#isHidden(schema)) continue;
      const inner = got[name];
      if (isNode(value) && isNode(inner) && path.length < MAX_DEPTH)
        this.#compare(change, [...path, name], {
          sent: value,
          before: before && toNode(before[name]),
          got: inner,
          request: requestProperties.get(name),
          response: schema,
        });
      else
        this.#observe(change, [...path, name].join('.'), isRequired, {
          sent: value,
          before: before?.[name],
          got: inner,
          hasFraction: this.#hasFraction(requestProperties.get(name)),
          schema,
          exchanges: change.exchanges,
        });
      if (isObjectList(value) && isObjectList(inner) && path.length < MAX_DEPTH)
        this.#compare(change, [...path, `${name}[]`], {
          sent: joinEntries(value),
          before: undefined,
          got: joinEntries(inner),
          request: this.#getItems(requestProperties.get(name)),
          response: this.#getItems(schema),
        });
    }
  }

  #observe(change: StoredChange, name: string, isRequired: boolean, observation: Observation): void {
    const { sent, before } = observation;
    // A value shows nothing if the resource had it before, or if it is the same as no value.
    if (isSimilar(sent, undefined) || (change.before !== undefined && isSimilar(sent, before))) return;
    const key = `${change.route.operationId} ${name}`;
    const known = this.#observations.get(key) ?? { change, name, isRequired, all: [] };
    known.all.push(observation);
    this.#observations.set(key, known);
  }

  /**
   * Returns whether the response can have a value as it was sent.
   * If its schema does not allow the value, such as a login for which it has the user, the server must replace it.
   */
  #canShowAsSent(name: string, { sent, schema }: Observation): boolean {
    // The values of all entries of a list are in one list.
    const isJoined = name.includes('[].') && Array.isArray(sent);
    return isJoined ? sent.every((one) => this.#allows(schema, one)) : this.#allows(schema, sent);
  }

  /** Returns whether a schema allows a value. The properties of an object can be others, because a server adds some. */
  #allows(schema: string | undefined, value: unknown): boolean {
    if (schema === undefined) return true;
    if (typeof value !== 'object' || value === null) return this.#contract.isValid(schema, value);
    const parts = getSchemaParts(this.#contract.normalized, schema, ALL_PARTS);
    const types = getPartTypes(parts);
    if (types.length > 0 && !types.includes(Array.isArray(value) ? 'array' : 'object')) return false;
    if (Array.isArray(value)) return value.every((entry) => this.#allows(getPartItems(parts), entry));
    const known = getPartProperties(parts);
    const names = Object.keys(value);
    return known.size === 0 || names.length === 0 || names.some((name) => known.has(name));
  }

  #getItems(schema: string | undefined): string | undefined {
    return schema === undefined
      ? undefined
      : getPartItems(getSchemaParts(this.#contract.normalized, schema, ALL_PARTS));
  }

  /** Returns whether a property has numbers, or texts, with a documented number of decimals. */
  #hasFraction(schema: string | undefined): boolean {
    const parts = schema === undefined ? [] : getSchemaParts(this.#contract.normalized, schema, ALL_PARTS);
    return parts.some(
      ({ node: { multipleOf, pattern } }) =>
        (typeof multipleOf === 'number' && !Number.isInteger(multipleOf)) || DECIMALS.test(String(pattern)),
    );
  }

  /** Returns whether a property is `readOnly` or `writeOnly`, or has binary content. */
  #isHidden(schema: string | undefined): boolean {
    const parts = schema === undefined ? [] : getSchemaParts(this.#contract.normalized, schema, ALL_PARTS);
    return parts.some(
      ({ node }) =>
        node.readOnly === true ||
        node.writeOnly === true ||
        ['binary', 'byte', 'password'].includes(String(node.format)),
    );
  }

  /**
   * Returns the JSON Pointer of the schema at a path in a value; undefined if the schema does not describe this place.
   */
  #walk(schema: string | undefined, path: readonly string[]): string | undefined {
    return path.reduce<string | undefined>((pointer, key) => {
      if (pointer === undefined) return undefined;
      const parts = getSchemaParts(this.#contract.normalized, pointer, ALL_PARTS);
      return getPartProperties(parts).get(key) ?? (/^\d+$/.test(key) ? getPartItems(parts) : undefined);
    }, schema);
  }
}

/**
 * Objects at the same place: in the request, before and after the change.
 * `request` and `response`: the JSON Pointers of their schemas.
 */
interface ComparedValues {
  readonly sent: Node;
  readonly before: Node | undefined;
  readonly got: Node;
  readonly request: string | undefined;
  readonly response: string | undefined;
}

function getResponseSchema({ responses }: Route): string | undefined {
  const media = findResponse(responses, 200)?.media ?? {};
  const types = Object.keys(media);
  return media[types.find(isJsonType) ?? types[0] ?? '']?.schema;
}

function isObjectList(value: unknown): value is readonly Node[] {
  return Array.isArray(value) && value.length > 0 && value.every(isNode);
}

/** Returns an object with the values that each property has in the entries of a list. */
function joinEntries(entries: readonly Node[]): Node {
  const names = [...new Set(entries.flatMap((entry) => Object.keys(entry)))];
  return Object.fromEntries(
    names.map((name) => [name, entries.flatMap((entry) => (entry[name] === undefined ? [] : [entry[name]]))]),
  );
}

function findWrong(all: readonly Observation[]): readonly Observation[] {
  return all.filter(({ sent, got }) => !isSimilar(sent, got));
}

function isShifted({ sent, got }: Observation): boolean {
  return (getMinutes(sent, got) ?? 0) !== 0;
}

/** Returns the end of a sentence about values that a server never stores; undefined if it can have stored them. */
function describeProblem(all: readonly Observation[], mustStore: boolean): string | undefined {
  const shift = findShift(all);
  if (shift !== undefined) return shift;
  const wrong = findWrong(all);
  const isNeverStored = wrong.length === all.length && all.length >= MIN_CHANGES;
  if (isNeverStored && all.every(({ got }) => got === undefined)) return 'but is missing in the resource each time';
  const sentValues = countValues(all.map(({ sent }) => sent));
  const gotValues = countValues(all.map(({ got }) => got));
  const isConstant = gotValues === 1 && wrong.length >= MIN_CHANGES - 1 && all.length >= MIN_CONSTANT_CHANGES;
  if (sentValues < 2 || !(isNeverStored || (isConstant && mustStore))) return undefined;
  if (all.every(({ before, got }) => before !== undefined && isSimilar(before, got)))
    return 'but the resource keeps its previous value each time';
  const [last] = wrong.slice(-1);
  const example = `for example ${JSON.stringify(last?.got)} after ${JSON.stringify(last?.sent)} was sent`;
  return gotValues === 1
    ? `but the resource always has the same value: ${example}`
    : `but the resource never has the sent value: ${example}`;
}

/**
 * Returns the end of a sentence about dates and times that are always early or late by the same time, about numbers
 * that always lose their fraction, and about lists that always have only one of their entries.
 * Returns undefined for other values.
 */
function findShift(all: readonly Observation[]): string | undefined {
  const [last] = all.slice(-1);
  if (!last || all.length < MIN_CHANGES || countValues(all.map(({ sent }) => sent)) < 2) return undefined;
  const example = `for example ${JSON.stringify(last.got)} after ${JSON.stringify(last.sent)} was sent`;
  const minutes = new Set(all.map(({ sent, got }) => getMinutes(sent, got)));
  const [shift] = minutes;
  if (minutes.size === 1 && shift)
    return `but is ${Math.abs(shift) === DAY_MINUTES ? 'a day' : `${Math.abs(shift)} minutes`} ${shift > 0 ? 'late' : 'early'} each time: ${example}`;
  const hour = describeHour(all);
  if (hour !== undefined) return hour;
  const fractions = all.filter(({ sent, hasFraction }) => hasFraction && hasDecimals(sent));
  if (fractions.length >= MIN_CHANGES && fractions.every(({ got }) => got !== undefined && !hasDecimals(got))) {
    const { sent, got } = fractions.at(-1) ?? {};
    return `but never has a fraction: for example ${JSON.stringify(got)} after ${JSON.stringify(sent)} was sent`;
  }
  const lists = all.filter(({ sent }) => Array.isArray(sent) && countValues(sent) > 1);
  const isCut = lists.every(({ got }) => Array.isArray(got) && got.length === 1);
  const [list] = lists.slice(-1);
  if (!list || lists.length < MIN_CHANGES || !isCut) return undefined;
  return `but has only one entry each time: for example ${JSON.stringify(list.got)} after ${JSON.stringify(list.sent)} was sent`;
}

/**
 * Returns the end of a sentence about times in UTC that a daylight saving time changes: some are stored as they were
 * sent, and others an hour later, or an hour earlier.
 */
function describeHour(all: readonly Observation[]): string | undefined {
  const times = all.filter(({ sent }) => /T.*Z$/i.test(String(sent)));
  const minutes = times.map(({ sent, got }) => getMinutes(sent, got));
  const [shift, ...others] = new Set(minutes.filter((one) => one !== 0));
  const shifted = times.filter((_, index) => minutes[index] === shift);
  if (shift === undefined || others.length > 0 || Math.abs(shift) !== HOUR_MINUTES) return undefined;
  if (shifted.length < MIN_CHANGES - 1 || shifted.length === times.length) return undefined;
  const { sent, got } = shifted.at(-1) ?? {};
  return `but is sometimes an hour ${shift > 0 ? 'late' : 'early'}: for example ${JSON.stringify(got)} after ${JSON.stringify(sent)} was sent, although other times are stored as they were sent`;
}

function hasDecimals(value: unknown): boolean {
  return !Number.isInteger(toNumber(value));
}

/** Matches a date, or a date and a time with a time zone. */
const INSTANT = /^\d{4}-\d\d-\d\d(?:[Tt].*(?:[Zz]|[+-]\d\d:\d\d))?$/;

/** Returns the number of minutes between two dates, or two times; undefined for other values. */
function getMinutes(sent: unknown, got: unknown): number | undefined {
  const isInstant = (value: unknown): value is string => typeof value === 'string' && INSTANT.test(value);
  if (!isInstant(sent) || !isInstant(got) || /T/i.test(sent) !== /T/i.test(got)) return undefined;
  return Math.round((Date.parse(got) - Date.parse(sent)) / MINUTE_MS);
}

function countValues(values: readonly unknown[]): number {
  return new Set(values.map((value) => JSON.stringify(value))).size;
}

/**
 * Finds an object in a response body.
 * Returns its place as property names and array indexes; undefined if the body does not contain the object.
 */
export function findPath(body: unknown, entry: Node): readonly string[] | undefined {
  if (body === entry) return [];
  if (typeof body !== 'object' || body === null) return undefined;
  for (const [key, value] of Object.entries(body)) {
    const path = findPath(value, entry);
    if (path) return [key, ...path];
  }
  return undefined;
}
