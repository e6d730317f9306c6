import { createGenerator, EndlessSchemaError } from '../mock/generate.ts';
import type { Contract } from '../openapi/contract.ts';
import { getNode, isNode } from '../openapi/document.ts';
import type { Parameter } from '../openapi/parameters.ts';
import type { Route } from '../openapi/routes.ts';
import { createRandom, type Random, toSeed } from '../util/random.ts';
import { isPathValue } from './ids.ts';
import { getPoolName, isItemPath, type Pool } from './pool.ts';
import {
  getBodySchema,
  getSchemaPointer,
  isCursor,
  NO_VALUES,
  type RequestValues,
  validateValues,
  withParameter,
} from './requests.ts';

/** The maximum number of attempts to generate a valid request. */
const MAX_ATTEMPTS = 20;

/** One of this many attempts uses no values from the pool. They can be invalid, because another parameter can have the same name. */
const POOL_STEP = 5;

/** How a request is generated. */
interface RequestStyle {
  /** Whether it has its required parts only. */
  readonly isBare: boolean;
  /** Whether its parameters have values from the pool. */
  readonly usesPool: boolean;
}

const BARE: RequestStyle = { isBare: true, usesPool: true };

/** The maximum seed of a generated value. */
const MAX_SEED = 2 ** 32 - 1;

/** Generates requests to the operations of a contract. */
export interface RequestGenerator {
  /** Returns a valid request with all optional parts, and with ids from the pool; undefined if no generated request is valid. */
  createValid(route: Route, seed: number): RequestValues | undefined;
  /** Returns a valid request with the required parts only; undefined if no generated request is valid. */
  createMinimal(route: Route, seed: number): RequestValues | undefined;
  /** Returns a request that has values only for its path parameters. */
  createPath(route: Route, seed: number): RequestValues;
  /**
   * Returns a copy of a valid request with generated path parameters. They are unlikely to be ids of existing resources. Returns undefined if the
   * operation has no path parameters.
   */
  withUnknownIds(route: Route, values: RequestValues, seed: number): RequestValues | undefined;
}

/** Creates a generator of requests. The same seed and the same pool result in the same request. */
export function createRequestGenerator(contract: Contract, pool: Pool): RequestGenerator {
  const generate = createGenerator(contract.normalized, 'readOnly');
  const generateValue = (schema: string, random: Random, isBare: boolean) =>
    generate(getNode(contract.normalized, schema), {
      seed: random.integer(0, MAX_SEED),
      usesExamples: false,
      isBare,
      isFull: !isBare,
      query: {},
    });

  function generateRequest(route: Route, random: Random, { isBare, usesPool }: RequestStyle): RequestValues {
    const createValue = (parameter: Parameter): unknown => {
      const known = usesPool ? pool.getValues(getPoolName(parameter.name, route.path)) : [];
      const usable = parameter.in === 'path' ? known.filter(isPathValue) : known;
      if (usable.length > 0) return random.pick(usable);
      const [example] = parameter.examples;
      return example ? example.value : generateValue(getSchemaPointer(contract, parameter), random, isBare);
    };
    let values = NO_VALUES;
    for (const parameter of route.parameters) {
      // Only the server knows which cursors are valid.
      if (!parameter.isRequired && (isBare || isCursor(parameter))) continue;
      values = withParameter(values, parameter, createValue(parameter)) ?? values;
    }
    values = setParentIds(contract, pool, route, setUndocumentedNames(route, values, pool));
    const schema = getBodySchema(route);
    return schema === undefined
      ? values
      : {
          ...values,
          body: replaceIds(setOwnId(route, generateValue(schema, random, isBare), pool, random), pool, random),
        };
  }

  /** Returns the first valid request. The first `fullAttempts` requests have all optional parts. */
  function findValid(route: Route, seed: number, fullAttempts: number): RequestValues | undefined {
    const random = createRandom(seed + toSeed(route.operationId));
    try {
      for (let attemptIndex = 0; attemptIndex < MAX_ATTEMPTS; attemptIndex++) {
        const style = { isBare: attemptIndex >= fullAttempts, usesPool: attemptIndex % POOL_STEP !== POOL_STEP - 1 };
        const values = generateRequest(route, random, style);
        if (validateValues(contract, route, values).kind === 'call') return values;
      }
    } catch (error) {
      if (!(error instanceof EndlessSchemaError)) throw error;
    }
    return undefined;
  }

  return {
    createValid: (route, seed) => findValid(route, seed, MAX_ATTEMPTS / 2 + 1),
    createMinimal: (route, seed) => findValid(route, seed, 0),
    createPath(route, seed) {
      const { path } = generateRequest(route, createRandom(seed + toSeed(route.operationId)), BARE);
      return { ...NO_VALUES, path };
    },
    withUnknownIds(route, values, seed) {
      const random = createRandom(seed);
      const generateId = (parameter: Parameter) => generateValue(getSchemaPointer(contract, parameter), random, true);
      return route.pathNames.length === 0 ? undefined : replacePathValues(route, values, generateId);
    },
  };
}

/** Sets the path parameters that the contract does not describe. */
function setUndocumentedNames({ path, pathNames }: Route, values: RequestValues, pool: Pool): RequestValues {
  const missing = pathNames.filter((name) => values.path[name] === undefined);
  if (missing.length === 0) return values;
  const known = missing.map((name) => [name, String(pool.getValues(getPoolName(name, path))[0] ?? 'unknown')]);
  return { ...values, path: { ...values.path, ...Object.fromEntries(known) } };
}

/** Replaces the values of the path parameters. */
function replacePathValues(route: Route, values: RequestValues, create: (parameter: Parameter) => unknown) {
  return route.parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce((changed, parameter) => withParameter(changed, parameter, create(parameter)) ?? changed, values);
}

/**
 * Sets the path parameters that identify the outer resources of a nested resource or collection. The pool stores these parameters for each nested
 * resource that the check created.
 */
function setParentIds({ routes }: Contract, pool: Pool, route: Route, values: RequestValues): RequestValues {
  const last = route.pathNames.at(-1);
  if (last === undefined) return values;
  const isItem = route.path.endsWith(`{${last}}`);
  const item = isItem ? route : routes.find(({ path }) => isItemPath(path, route.path));
  const name = getPoolName(item?.pathNames.at(-1) ?? '', item?.path ?? '');
  const [inner] = isItem ? [values.path[last]] : pool.getValues(name);
  return route.parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce((changed, parameter) => {
      const parent = pool.getParent(name, inner, getPoolName(parameter.name, route.path));
      return (parent === undefined ? undefined : withParameter(changed, parameter, parent)) ?? changed;
    }, values);
}

/** Returns a body in which ids from the pool replace generated ids. */
function replaceIds(body: unknown, pool: Pool, random: Random): unknown {
  if (Array.isArray(body)) return body.map((entry) => replaceIds(entry, pool, random));
  if (!isNode(body)) return body;
  const entries = Object.entries(body).map(([name, value]) => {
    const known = pool.getValues(name);
    const isId = /id$/i.test(name) && known.length > 0 && typeof value !== 'object';
    return [name, isId ? random.pick(known) : replaceIds(value, pool, random)];
  });
  return Object.fromEntries(entries);
}

/** Sets the id in the body of an operation such as `PUT /things`, which changes the resource with this id. */
function setOwnId({ method, path }: Route, body: unknown, pool: Pool, random: Random): unknown {
  const known = pool.getValues(getPoolName('id', `${path}/{id}`));
  const isChange = (method === 'PUT' || method === 'PATCH') && !path.endsWith('}') && known.length > 0;
  return isChange && isNode(body) && 'id' in body ? { ...body, id: random.pick(known) } : body;
}
