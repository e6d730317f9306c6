import { resolve } from 'node:path';
import type { Application } from '../application.ts';
import type { Contract } from '../openapi/contract.ts';
import type { DefaultDataSource } from '../store/default-data.ts';
import type { State } from '../store/state.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import type { ServerOptions } from './options.ts';

/**
 * Returns the source of the default data: a path, or a function that creates the default data for the current contract.
 * `getContract` returns the current contract.
 */
export function getDefaultData(
  { defaultData: own }: Application,
  { defaultData }: Pick<ServerOptions, 'defaultData'>,
  getContract: () => Contract,
): DefaultDataSource {
  if (typeof own === 'string') return { defaultData: resolve(defaultData ?? own) };
  const create = memoizeByObject((contract: Contract) => memoizeByObject((lists: State) => own(contract, lists)));
  const complete = (lists: State) => create(getContract())(lists);
  return defaultData === undefined
    ? { defaultData: () => complete(NO_LISTS) }
    : { defaultData: resolve(defaultData), complete };
}

const NO_LISTS: State = {};
