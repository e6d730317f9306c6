import { HttpProblemError } from '../http/problem.ts';
import type { Contract } from '../openapi/contract.ts';
import { combineDataValidators, type DataValidator } from '../openapi/data-validator.ts';
import { ContractError } from '../openapi/document.ts';
import { hasSameStateSchemas, shopContract } from '../shop/contract.ts';
import type { State } from '../store/state.ts';
import type { Store } from '../store/store.ts';
import { type StateIssue, validateState } from '../store/validate-state.ts';
import { guardStore } from './guarded-store.ts';
import type { HandlerRegistry } from './handler-registry.ts';

/** How the state is checked under a contract: by what the shop is written for, and by the contract where it has operations of the shop. */
export function createStateValidator(contract: Contract, casting: HandlerRegistry): DataValidator {
  const shopCheck = shopContract.checkData;
  const isServed = contract.routes.some((route) => casting.isOurs(route));
  if (!isServed || hasSameStateSchemas(shopContract, contract.plain)) return shopCheck;
  const schemas = Object.keys(contract.plain.components?.schemas ?? {});
  const servedCheck: DataValidator = (schema, value) =>
    schemas.includes(schema) ? contract.checkData(schema, value) : [];
  return combineDataValidators(shopCheck, servedCheck);
}

/** Guards the store for a handler: for one of the shop, or for that of a user, which implements the operation that is given. */
export function createStoreGuard(check: DataValidator): (store: Store, ownOperationId?: string) => Store {
  const guardForShop = createShopGuard(check);
  return (store, ownOperationId) =>
    ownOperationId === undefined ? guardForShop(store) : guardStore(store, ownOperationId, check);
}

/** Makes of a store one that takes no change by which the state would not hold by the contract any more, where that asks for other than the shop is written for. */
function createShopGuard(check: DataValidator): (store: Store) => Store {
  if (check === shopContract.checkData) return (store) => store;
  return (store) => ({
    ...store,
    update: (change) =>
      store.update((state, nowMs) => {
        const changed = change(state, nowMs);
        const flaws = changed.next ? flawsIn(changed.next, check) : [];
        if (flaws.length === 0) return changed;
        const detail = `nothing was changed, since the data would contradict the contract: ${told(flaws)}`;
        throw new HttpProblemError({ code: 'internal-error', detail });
      }),
  });
}

/** How many flaws a sentence names; the rest are counted. */
const FLAWS_TOLD = 3;

function told(flaws: readonly StateIssue[]): string {
  const named = flaws.slice(0, FLAWS_TOLD).map(({ pointer, trouble }) => `${pointer} ${trouble}`);
  return [...named, ...(flaws.length > FLAWS_TOLD ? [`and ${flaws.length - FLAWS_TOLD} more`] : [])].join('; ');
}

/** Throws a `ContractError` where a state does not hold by the check of a contract. */
export function refuseContradictions({ path }: Contract, state: State, check: DataValidator): void {
  const flaws = flawsIn(state, check);
  if (flaws.length > 0) throw new ContractError(`${path} contradicts the data: ${told(flaws)}`);
}

/** The flaws of a state, which stays as it is: a check puts defaults into what it looks at. */
function flawsIn(state: State, check: DataValidator): readonly StateIssue[] {
  return validateState(structuredClone(state), check);
}
