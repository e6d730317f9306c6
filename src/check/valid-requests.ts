import { createGenerator } from '../mock/generate.ts';
import type { Contract } from '../openapi/contract.ts';
import { getNode, isNode } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import { createRandom, type Random, toSeed } from '../util/random.ts';
import { knownAs, type Pool } from './pool.ts';
import { bodyTypeOf, judged, NOTHING, schemaOf, type Values, withParameter } from './requests.ts';

/** With how many chances a request is made before there is said to be none that holds. */
const TRIES = 20;

/** A maker of requests. */
export interface Bases {
  /** A request to an operation that holds by the contract, with all that may be given, as the seed has it; of values that the server has given as far as there are such. Undefined where none was found. */
  base(route: Route, seed: number): Values | undefined;
  /** Values for the path of an operation alone. */
  path(route: Route, seed: number): Values;
}

/** Makes requests of a contract that hold. */
export function createBases(contract: Contract, pool: Pool): Bases {
  const generate = createGenerator(contract.plain, 'readOnly');
  const made = (schema: string, random: Random, isBare: boolean) =>
    generate(getNode(contract.plain, schema), { random, usesExamples: false, isBare, isFull: !isBare, query: {} });

  function attempt(route: Route, random: Random, isBare: boolean): Values {
    let values = NOTHING;
    for (const parameter of route.parameters) {
      const isRequired = getNode(contract.plain, `${parameter.pointer}/required`) === true;
      if (isBare && !isRequired) continue;
      const known = pool.known(knownAs(parameter.name, route.path));
      const [example] = parameter.examples;
      const schema = schemaOf(contract, parameter);
      const value = known.length > 0 ? random.pick(known) : example ? example.value : made(schema, random, isBare);
      values = withParameter(values, parameter, value) ?? values;
    }
    const schema = route.bodyMedia[bodyTypeOf(route) ?? '']?.schema;
    return schema === undefined ? values : { ...values, body: withKnown(made(schema, random, isBare), pool, random) };
  }

  return {
    base(route, seed) {
      const random = createRandom(seed + toSeed(route.operationId));
      for (let time = 0; time < TRIES; time++) {
        const values = attempt(route, random, time > TRIES / 2);
        if (judged(contract, route, values).kind === 'call') return values;
      }
      return undefined;
    },
    path: (route, seed) => ({
      ...NOTHING,
      path: attempt(route, createRandom(seed + toSeed(route.operationId)), true).path,
    }),
  };
}

/** A body with values that the server has given, wherever it has properties of their names. */
function withKnown(body: unknown, pool: Pool, random: Random): unknown {
  if (Array.isArray(body)) return body.map((entry) => withKnown(entry, pool, random));
  if (!isNode(body)) return body;
  const entries = Object.entries(body).map(([name, value]) => {
    const known = pool.known(name);
    const isId = /id$/i.test(name) && known.length > 0 && typeof value !== 'object';
    return [name, isId ? random.pick(known) : withKnown(value, pool, random)];
  });
  return Object.fromEntries(entries);
}
