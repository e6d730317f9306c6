import { createGenerator, EndlessSchemaError } from '../mock/generate.ts';
import type { Contract } from '../openapi/contract.ts';
import { getNode, isNode } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import { createRandom, type Random, toSeed } from '../util/random.ts';
import { getPoolName, type Pool } from './pool.ts';
import {
  getBodySchema,
  getSchemaPointer,
  NO_VALUES,
  type RequestValues,
  validateValues,
  withParameter,
} from './requests.ts';

/** The number of attempts to generate a valid request. */
const MAX_ATTEMPTS = 20;

/** Generates requests. */
export interface RequestGenerator {
  /** Returns a valid request with all optional parts, of values from the pool if it has any; undefined if no attempt is valid, or no value can be. */
  createValid(route: Route, seed: number): RequestValues | undefined;
  /** Returns values for only the path of an operation. */
  createPath(route: Route, seed: number): RequestValues;
}

/** Creates a generator of valid requests of a contract. */
export function createRequestGenerator(contract: Contract, pool: Pool): RequestGenerator {
  const generate = createGenerator(contract.normalized, 'readOnly');
  const generateValue = (schema: string, random: Random, isBare: boolean) =>
    generate(getNode(contract.normalized, schema), { random, usesExamples: false, isBare, isFull: !isBare, query: {} });

  function generateRequest(route: Route, random: Random, isBare: boolean): RequestValues {
    let values = NO_VALUES;
    for (const parameter of route.parameters) {
      const isRequired = getNode(contract.normalized, `${parameter.pointer}/required`) === true;
      if (isBare && !isRequired) continue;
      const known = pool.getValues(getPoolName(parameter.name, route.path));
      const [example] = parameter.examples;
      const schema = getSchemaPointer(contract, parameter);
      const value =
        known.length > 0 ? random.pick(known) : example ? example.value : generateValue(schema, random, isBare);
      values = withParameter(values, parameter, value) ?? values;
    }
    values = placeInParents(contract, pool, route, values);
    const schema = getBodySchema(route);
    return schema === undefined
      ? values
      : { ...values, body: replaceIds(generateValue(schema, random, isBare), pool, random) };
  }

  return {
    createValid(route, seed) {
      const random = createRandom(seed + toSeed(route.operationId));
      try {
        for (let attemptIndex = 0; attemptIndex < MAX_ATTEMPTS; attemptIndex++) {
          const values = generateRequest(route, random, attemptIndex > MAX_ATTEMPTS / 2);
          if (validateValues(contract, route, values).kind === 'call') return values;
        }
      } catch (error) {
        if (!(error instanceof EndlessSchemaError)) throw error;
      }
      return undefined;
    },
    createPath: (route, seed) => ({
      ...NO_VALUES,
      path: generateRequest(route, createRandom(seed + toSeed(route.operationId)), true).path,
    }),
  };
}

/** Returns the request for a nested resource, or for its collection, with the path of a resource that contains it. */
function placeInParents({ routes }: Contract, pool: Pool, route: Route, values: RequestValues): RequestValues {
  const last = route.pathNames.at(-1);
  if (last === undefined) return values;
  const isItem = route.path.endsWith(`{${last}}`);
  const item = isItem ? route : routes.find(({ path }) => path.startsWith(`${route.path}/{`) && path.endsWith('}'));
  const name = getPoolName(item?.pathNames.at(-1) ?? '', item?.path ?? '');
  const [inner] = isItem ? [values.path[last]] : pool.getValues(name);
  const parents = pool.getParents(name, inner) ?? {};
  return route.parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce((placed, parameter) => {
      const parent = parents[getPoolName(parameter.name, route.path)];
      return (parent === undefined ? undefined : withParameter(placed, parameter, parent)) ?? placed;
    }, values);
}

/** Returns a body with values of the pool in place of ids. */
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
