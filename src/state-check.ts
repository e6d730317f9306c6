import type { Contract } from './contract/contract.ts';
import { type DataCheck, dataCheckOfBoth } from './contract/data-check.ts';
import { ContractFault } from './contract/document.ts';
import { keepsAsWritten, shopContract } from './contract/shop.ts';
import { FaultError } from './http/problem.ts';
import type { Casting } from './operations/casting.ts';
import { type Flaw, flawsOf } from './store/check-state.ts';
import type { State } from './store/state.ts';
import type { Store } from './store/store.ts';

/** How the state is checked under a contract: by what the shop is written for, and by the contract where it has operations of the shop. */
export function checkUnder(contract: Contract, casting: Casting): DataCheck {
  const shopCheck = shopContract.checkData;
  const isServed = contract.routes.some((route) => casting.isOurs(route));
  if (!isServed || keepsAsWritten(shopContract, contract.plain)) return shopCheck;
  const schemas = Object.keys(contract.plain.components?.schemas ?? {});
  const servedCheck: DataCheck = (schema, value) => (schemas.includes(schema) ? contract.checkData(schema, value) : []);
  return dataCheckOfBoth(shopCheck, servedCheck);
}

/** Makes of a store one that takes no change by which the state would not hold by the contract any more, where that asks for other than the shop is written for. */
export function guardUnder(check: DataCheck): (store: Store) => Store {
  if (check === shopContract.checkData) return (store) => store;
  return (store) => ({
    ...store,
    update: (change) =>
      store.update((state, nowMs) => {
        const changed = change(state, nowMs);
        const flaws = changed.next ? flawsIn(changed.next, check) : [];
        if (flaws.length === 0) return changed;
        const detail = `nothing was changed, since the data would contradict the contract: ${told(flaws)}`;
        throw new FaultError({ code: 'internal-error', detail });
      }),
  });
}

/** How many flaws a sentence names; the rest are counted. */
const FLAWS_TOLD = 3;

function told(flaws: readonly Flaw[]): string {
  const named = flaws.slice(0, FLAWS_TOLD).map(({ pointer, trouble }) => `${pointer} ${trouble}`);
  return [...named, ...(flaws.length > FLAWS_TOLD ? [`and ${flaws.length - FLAWS_TOLD} more`] : [])].join('; ');
}

/** Throws a `ContractFault` where a state does not hold by the check of a contract. */
export function refuseContradictions({ path }: Contract, state: State, check: DataCheck): void {
  const flaws = flawsIn(state, check);
  if (flaws.length > 0) throw new ContractFault(`${path} contradicts the data: ${told(flaws)}`);
}

/** The flaws of a state, which stays as it is: a check puts defaults into what it looks at. */
function flawsIn(state: State, check: DataCheck): readonly Flaw[] {
  return flawsOf(structuredClone(state), check);
}
