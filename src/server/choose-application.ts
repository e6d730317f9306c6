import { resolve } from 'node:path';
import type { Application } from '../application.ts';
import { loadContract } from '../openapi/contract.ts';
import type { ServerOptions } from '../options.ts';
import { contractFile, isShopOperation } from '../shop/own-document.ts';
import { UserError } from '../util/issue.ts';
import { isUrl } from '../util/source-path.ts';
import type { Options } from './options.ts';

/**
 * Returns the application that serves the contract: the built-in shop, or an application that stores the resources of
 * the contract.
 * It is the shop if the contract contains an operation of the shop with the same operationId, method and path.
 * Other operations of this contract are served as those of any contract, on the same state.
 * Rejects with a `UserError` if the contract can't be loaded, and with a `UserError` if the option `synonyms` has
 * no effect.
 */
export async function chooseApplication({
  contract: file,
  strict = false,
  synonyms,
  allowRefs,
}: Pick<ServerOptions, 'contract' | 'strict' | 'synonyms' | 'allowRefs'>): Promise<Application> {
  const path = file === undefined ? undefined : resolveContract(file);
  const isShop = path === undefined || (await loadContract({ path, strict, allowRefs })).routes.some(isShopOperation);
  if (isShop) {
    // Loads only the applications that are used: loading them takes time and memory.
    const { createShop } = await import('../shop/application.ts');
    // The cast is safe: the server validates a state by the rules of the application before it passes the state to the
    // application.
    const shop = createShop(synonyms === undefined ? undefined : resolve(synonyms)) as unknown as Application;
    if (path === undefined) return shop;
    // A reload can add operations to the contract.
    const { extendApplication } = await import('../resources/extend-application.ts');
    return extendApplication(shop);
  }
  if (synonyms !== undefined)
    throw new UserError(
      `The contract ${file} has no search operation, so the option synonyms has no effect: omit the option.`,
    );
  const { createResourceApplication } = await import('../resources/application.ts');
  return createResourceApplication(path);
}

/**
 * Returns the URL or the absolute path of the contract in the options.
 * Default: the contract of the shop, which ships with this package.
 */
export function getContractPath({ contract }: Pick<Options, 'contract'>): string {
  return resolveContract(contract ?? contractFile);
}

/** Returns the absolute path of a contract. A URL stays as it is. */
export function resolveContract(path: string): string {
  return isUrl(path) ? path : resolve(path);
}
