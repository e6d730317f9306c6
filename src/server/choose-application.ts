import { resolve } from 'node:path';
import type { Application } from '../application.ts';
import { type Contract, loadContract } from '../openapi/contract.ts';
import { createResourceApplication } from '../resources/application.ts';
import { shop } from '../shop/application.ts';
import type { ServerOptions } from './options.ts';

/**
 * Returns the application for the contract in the options. The shop serves a contract that has an operation of the shop, with the same id, method and path.
 * The resources of any other contract are inferred from its document. Rejects with a `ContractError` if the contract can't be loaded.
 */
export async function chooseApplication({
  contract: file,
  strict = false,
}: Pick<ServerOptions, 'contract' | 'strict'>): Promise<Application> {
  const path = file === undefined ? undefined : resolve(file);
  const isShop = path === undefined || hasShopOperation(await loadContract({ path, strict }));
  // The cast is safe: the engine validates each state by the rules of the application before it passes the state to the application.
  return isShop ? (shop as unknown as Application) : createResourceApplication(path);
}

function hasShopOperation(contract: Contract): boolean {
  const { getImplementation } = shop.implementContract(contract);
  return contract.routes.some((route) => getImplementation(route) !== undefined);
}
