import { resolve } from 'node:path';
import type { Application } from '../application.ts';
import type { Contract } from '../openapi/contract.ts';
import type { DefaultData } from '../store/default-data.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import type { ServerOptions } from './options.ts';

/** Returns the path of the default data, or a function that creates it for the current contract. */
export function getDefaultData(
  { defaultData: own }: Application,
  { defaultData }: Pick<ServerOptions, 'defaultData'>,
  getContract: () => Contract,
): DefaultData {
  if (defaultData !== undefined) return resolve(defaultData);
  if (typeof own === 'string') return resolve(own);
  const create = memoizeByObject(own);
  return () => create(getContract());
}
