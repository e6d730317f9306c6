import { createGenerator } from '../mock/generate.ts';
import { isEndlessError } from '../mock/generation-limit.ts';
import type { Contract } from '../openapi/contract.ts';
import { getNode, isNode } from '../openapi/document.ts';
import type { Parameter } from '../openapi/parameters.ts';
import type { Route } from '../openapi/routes.ts';
import type { DocumentedItems } from '../openapi/stream-items.ts';
import { normalizeName } from '../util/names.ts';
import { createRandom, type Random, toSeed } from '../util/random.ts';
import { createStreamFormat, formatStream } from '../util/streams.ts';
import type { BodyFormat } from './body-format.ts';
import { isPathValue } from './ids.ts';
import { type GetSettings, NO_SETTINGS } from './operation-settings.ts';
import type { KnownResource, Pool } from './pool.ts';
import { getPathParameters, getPoolName, type PathParameter, withDocumentedValues } from './pool.ts';
import { withUuidKey, withVersionPlaceholders } from './request-headers.ts';
import {
  getBodyFormat,
  getBodyType,
  isCursor,
  isSendable,
  NO_VALUES,
  type RequestValues,
  validateValues,
  withOwnValues,
  withParameter,
} from './requests.ts';

/** The maximum number of attempts to generate a valid request. */
const MAX_ATTEMPTS = 20;

/**
 * Of this many attempts to generate a valid request, one uses no values from responses except ids of known resources.
 * A value from a response can be invalid, because a parameter with another meaning can have the same name.
 */
const POOL_STEP = 5;

/** Of this many attempts to generate a valid request, one uses no ids of known resources. */
const ID_STEP = 10;

/** The parts and values that a generated request contains. */
interface RequestStyle {
  /** Whether the request has only its required parts. */
  readonly isBare: boolean;
  /** Whether the path contains ids of known resources. */
  readonly usesIds: boolean;
  /** Whether the other parameters have values from responses. */
  readonly usesPool: boolean;
}

const BARE: RequestStyle = { isBare: true, usesIds: true, usesPool: true };

/**
 * Returns which parts and values a generated request contains.
 * The first `fullAttempts` requests have all optional parts.
 */
function getStyle(attemptIndex: number, fullAttempts: number): RequestStyle {
  return {
    isBare: attemptIndex >= fullAttempts,
    usesIds: attemptIndex % ID_STEP !== ID_STEP - 1,
    usesPool: attemptIndex % POOL_STEP !== POOL_STEP - 1,
  };
}

/** The number of items in the body of a request. */
const STREAM_ITEMS = 2;

/** The maximum number at the end of the key of a new resource. */
const MAX_KEY_NUMBER = 99_999;

/** The maximum seed of a generated value. */
const MAX_SEED = 2 ** 32 - 1;

/** Generates requests to the operations of a contract. */
export interface RequestGenerator {
  /**
   * Returns a valid request with all optional parts, and with values from earlier responses; undefined if no generated
   * request is valid.
   * `bodyType`: the media type of the body, as in the contract.
   */
  createValid(route: Route, seed: number, bodyType?: string): RequestValues | undefined;
  /** Returns a valid request with the required parts only; undefined if no generated request is valid. */
  createMinimal(route: Route, seed: number): RequestValues | undefined;
  /** Returns a request that has values only for its path parameters. */
  createPath(route: Route, seed: number): RequestValues;
  /**
   * Returns a copy of a valid request with generated path parameters, which are unlikely to be ids of existing
   * resources.
   * Returns undefined if the operation has no path parameters.
   */
  withUnknownIds(route: Route, values: RequestValues, seed: number): RequestValues | undefined;
  /** Returns a copy of a valid request whose last path parameter is the key of a new resource. */
  withNewKey(route: Route, values: RequestValues, seed: number): RequestValues;
  /**
   * Makes all later requests to an operation use the examples and defaults of the contract, because only they succeed.
   */
  useDocumentedValues(route: Route): void;
}

/** Creates a generator of requests. The same seed and the same known values (`pool`) result in the same request. */
export function createRequestGenerator(
  contract: Contract,
  pool: Pool,
  getSettings: GetSettings = NO_SETTINGS,
): RequestGenerator {
  return new SeededRequestGenerator(contract, pool, getSettings);
}

/** Returns a generator whose requests to `route`, such as `PUT /things/{key}`, have the keys of new resources. */
export function withNewKeys(requests: RequestGenerator, route: Route): RequestGenerator {
  const toNew = (one: Route, values: RequestValues | undefined, seed: number) =>
    values && one === route ? requests.withNewKey(route, values, seed) : values;
  return {
    createValid: (one, seed, type) => toNew(one, requests.createValid(one, seed, type), seed),
    createMinimal: (one, seed) => toNew(one, requests.createMinimal(one, seed), seed),
    createPath: (one, seed) => requests.createPath(one, seed),
    withUnknownIds: (one, values, seed) => requests.withUnknownIds(one, values, seed),
    withNewKey: (one, values, seed) => requests.withNewKey(one, values, seed),
    useDocumentedValues: (one) => requests.useDocumentedValues(one),
  };
}

class SeededRequestGenerator implements RequestGenerator {
  readonly #generate: ReturnType<typeof createGenerator>;
  /** The ids of the operations whose requests use the examples and defaults of the contract. */
  readonly #documented = new Set<string>();

  constructor(
    private readonly contract: Contract,
    private readonly pool: Pool,
    private readonly getSettings: GetSettings,
  ) {
    this.#generate = createGenerator(contract.normalized, 'readOnly');
  }

  createValid(route: Route, seed: number, bodyType?: string): RequestValues | undefined {
    const values = this.#findValid(route, seed, MAX_ATTEMPTS / 2 + 1, bodyType);
    if (!values || !this.#documented.has(route.operationId)) return values;
    return withDocumentedValues(this.contract, route, values) ?? values;
  }

  useDocumentedValues({ operationId }: Route): void {
    this.#documented.add(operationId);
  }

  createMinimal(route: Route, seed: number): RequestValues | undefined {
    return this.#findValid(route, seed, 0);
  }

  createPath(route: Route, seed: number): RequestValues {
    const { path } = this.#generateRequest(route, createRandom(seed + toSeed(route.operationId)), BARE);
    return { ...NO_VALUES, path };
  }

  withUnknownIds(route: Route, values: RequestValues, seed: number): RequestValues | undefined {
    const random = createRandom(seed);
    const generateId = (parameter: Parameter) => this.#generateValue(parameter.schema, random, true);
    return route.pathNames.length === 0 ? undefined : replacePathValues(route, values, generateId);
  }

  withNewKey(route: Route, values: RequestValues, seed: number): RequestValues {
    const parameter = route.parameters.findLast((one) => one.in === 'path' && one.name === route.pathNames.at(-1));
    if (!parameter) return values;
    const random = createRandom(seed + toSeed(route.operationId));
    const key = this.#toKey(parameter.schema, this.#generateValue(parameter.schema, random, true));
    // Generated texts have few different words.
    const unique = typeof key === 'string' ? `${key}-${random.integer(1_000, MAX_KEY_NUMBER)}` : key;
    const value = this.contract.isValid(parameter.schema, unique) ? unique : key;
    return withParameter(values, parameter, value) ?? values;
  }

  /**
   * Generates requests until one is valid.
   * Returns the valid request; undefined if no attempt succeeds.
   * The first `fullAttempts` requests have all optional parts.
   */
  #findValid(route: Route, seed: number, fullAttempts: number, bodyType?: string): RequestValues | undefined {
    const { contract } = this;
    const format = getBodyFormat(contract, route, bodyType);
    const random = createRandom(seed + toSeed(route.operationId));
    try {
      for (let attemptIndex = 0; attemptIndex < MAX_ATTEMPTS; attemptIndex++) {
        const values = this.#generateRequest(route, random, getStyle(attemptIndex, fullAttempts), format);
        if (isSendable(values) && validateValues(contract, route, values).kind === 'call')
          return preferKnownHeaders(contract, route, values);
      }
      return findValidExample(contract, route, this.#generateRequest(route, random, BARE, format));
    } catch (error) {
      if (!isEndlessError(error)) throw error;
    }
    return undefined;
  }

  #generateRequest(route: Route, random: Random, style: RequestStyle, format?: BodyFormat): RequestValues {
    const { pool } = this;
    const ids = style.usesIds ? pickIds(route.path, pool, random) : {};
    let values = NO_VALUES;
    for (const parameter of route.parameters) {
      // Only the server knows which cursors are valid.
      if (!parameter.isRequired && (style.isBare || isCursor(parameter))) continue;
      const isId = parameter.in === 'path' && Object.hasOwn(ids, parameter.name);
      const value = isId ? ids[parameter.name] : this.#createParameterValue(route, parameter, random, style);
      values = withParameter(values, parameter, value) ?? values;
    }
    values = setUndocumentedNames(route, values, { pool, ids });
    const schema = format?.schema;
    const { parameters, body: ownBody } = this.getSettings(route);
    const own = { parameters, body: ownBody };
    const stream = format && schema === undefined ? this.#generateStream(route, format, random) : undefined;
    if (stream !== undefined) return withOwnValues(route, { ...values, body: stream, format }, own);
    if (schema === undefined) return withOwnValues(route, values, own);
    const body = setOwnId(route, this.#generateValue(schema, random, style.isBare), pool, random);
    return withOwnValues(route, { ...values, body: replaceIds(body, route.path, pool, random), format }, own);
  }

  /** Generates the text of a body with a few items (`itemSchema`); undefined for another body. */
  #generateStream({ bodyMedia }: Route, { type }: BodyFormat, random: Random): string | undefined {
    const { itemSchema, items } = bodyMedia[type] ?? {};
    const format = createStreamFormat(type, items);
    if (itemSchema === undefined || !items || !format) return undefined;
    return formatStream(
      format,
      Array.from({ length: STREAM_ITEMS }, () => this.#generateItem(itemSchema, items, random)),
    );
  }

  /** Generates an item. The data of an event can be a text with JSON (`contentSchema`). */
  #generateItem(schema: string, { data, isEncoded }: DocumentedItems, random: Random): unknown {
    const item = this.#generateValue(schema, random, false);
    if (!isEncoded || data === undefined || !isNode(item)) return item;
    return { ...item, data: JSON.stringify(this.#generateValue(data, random, false)) };
  }

  #createParameterValue({ path }: Route, parameter: Parameter, random: Random, style: RequestStyle): unknown {
    const known = style.usesPool ? this.pool.getValues(getPoolName(parameter.name, path), path) : [];
    const usable = parameter.in === 'path' ? known.filter(isPathValue) : known;
    if (usable.length > 0) return random.pick(usable);
    const schema = parameter.schema;
    const example = parameter.examples.find(({ value }) => this.contract.isValid(schema, value));
    if (example) return example.value;
    const value = this.#generateValue(schema, random, style.isBare);
    return parameter.in === 'path' ? this.#toKey(schema, value) : value;
  }

  /** Returns a text with hyphens instead of spaces, which few servers accept in the key of a new resource. */
  #toKey(schema: string, value: unknown): unknown {
    const key = typeof value === 'string' ? value.replaceAll(' ', '-') : value;
    return this.contract.isValid(schema, key) ? key : value;
  }

  #generateValue(schema: string, random: Random, isBare: boolean): unknown {
    return this.#generate(getNode(this.contract.normalized, schema), {
      seed: random.integer(0, MAX_SEED),
      usesExamples: false,
      omitsOptional: isBare,
      includesOptional: !isBare,
      query: {},
    });
  }
}

/**
 * Replaces the idempotency key of a valid request with a UUID, and the version in a header such as `If-Match` with a
 * placeholder for the current version.
 * Leaves a header unchanged if the request does not have it, or if the contract does not allow the new value.
 */
function preferKnownHeaders(contract: Contract, route: Route, values: RequestValues): RequestValues {
  let { headers } = values;
  for (const change of [withUuidKey, withVersionPlaceholders]) {
    const changed = change(headers);
    if (changed !== headers && validateValues(contract, route, { ...values, headers: changed }).kind === 'call')
      headers = changed;
  }
  return { ...values, headers };
}

/** Sets the path parameters that are only in the path template, and not in `parameters` of the contract. */
function setUndocumentedNames(
  { path, pathNames }: Route,
  values: RequestValues,
  { pool, ids }: { readonly pool: Pool; readonly ids: PathIds },
): RequestValues {
  const missing = pathNames.filter((name) => values.path[name] === undefined);
  if (missing.length === 0) return values;
  const known = missing.map((name) => {
    const [value = 'unknown'] = pool.getValues(getPoolName(name, path), path);
    return [name, String(ids[name] ?? value)];
  });
  return { ...values, path: { ...values.path, ...Object.fromEntries(known) } };
}

/** Replaces the value of each path parameter with the result of `create`. */
function replacePathValues(route: Route, values: RequestValues, create: (parameter: Parameter) => unknown) {
  return route.parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce((changed, parameter) => withParameter(changed, parameter, create(parameter)) ?? changed, values);
}

/** Returns a copy of a body with ids of known resources in place of generated ids. `path`: that of the request. */
function replaceIds(body: unknown, path: string, pool: Pool, random: Random): unknown {
  if (Array.isArray(body)) return body.map((entry) => replaceIds(entry, path, pool, random));
  if (!isNode(body)) return body;
  const entries = Object.entries(body).map(([name, value]) => {
    const known = /id$/i.test(name) ? pool.getValues(name, path) : pool.getKeys(name, path);
    const isId = known.length > 0 && typeof value !== 'object';
    return [name, isId ? random.pick(known) : replaceIds(value, path, pool, random)];
  });
  return Object.fromEntries(entries);
}

/** Sets the id in the body of an operation such as `PUT /things`, which changes the resource with this id. */
function setOwnId({ method, path }: Route, body: unknown, pool: Pool, random: Random): unknown {
  const known = getPathParameters(`${path}/{id}`)
    .slice(-1)
    .flatMap((place) => pool.getResources(place).map(({ id }) => id));
  const isChange = (method === 'PUT' || method === 'PATCH') && !path.endsWith('}') && known.length > 0;
  return isChange && isNode(body) && 'id' in body ? { ...body, id: random.pick(known) } : body;
}

/** Returns a copy of a request with the first valid body example of the contract; undefined if no example is valid. */
function findValidExample(contract: Contract, route: Route, values: RequestValues): RequestValues | undefined {
  const examples = route.bodyMedia[values.format?.type ?? getBodyType(route) ?? '']?.examples ?? [];
  return examples
    .map(({ value }) => ({ ...values, body: value }))
    .find((candidate) => validateValues(contract, route, candidate).kind === 'call');
}

/** Ids of resources, by path parameter: `{ ownerId: 7 }`. */
type PathIds = Readonly<Record<string, unknown>>;

/**
 * Picks ids of known resources for the parameters of a path such as `/owners/{ownerId}/pets/{petId}`.
 * Picks the last parameter first, because a pet determines its owner.
 * Omits parameters for which no resource is known.
 */
export function pickIds(path: string, pool: Pool, random: Pick<Random, 'pick'>): PathIds {
  const places = getPathParameters(path);
  let ids: PathIds = {};
  for (const place of places.toReversed()) {
    if (Object.hasOwn(ids, place.parameter)) continue;
    const known = pool.getResources(place).map(({ id, parents }) => ({ id, outer: getParentIds(places, parents) }));
    const usable = known.filter(({ id, outer }) => isPathValue(id) && hasSameIds(ids, outer));
    if (usable.length === 0) continue;
    const { id, outer } = random.pick(usable);
    ids = { ...outer, ...ids, [place.parameter]: id };
  }
  return ids;
}

function getParentIds(places: readonly PathParameter[], parents: KnownResource['parents']): PathIds {
  const ids = places.flatMap(({ parameter, poolName }) => {
    const key = normalizeName(poolName);
    return Object.hasOwn(parents, key) ? [[parameter, parents[key]]] : [];
  });
  return Object.fromEntries(ids);
}

/** Returns whether both objects have the same id for each parameter that occurs in both. */
function hasSameIds(ids: PathIds, others: PathIds): boolean {
  return Object.entries(others).every(([name, id]) => !Object.hasOwn(ids, name) || String(ids[name]) === String(id));
}
