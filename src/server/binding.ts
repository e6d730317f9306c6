import type { Application } from '../application.ts';
import type { Contract } from '../openapi/contract.ts';
import type { Store } from '../store/store.ts';
import { createStateValidator, type StateValidator, type ValidateEntry } from '../store/validate-state.ts';
import {
  createHandlerRegistry,
  type HandlerRegistry,
  refuseUnknownOperations,
  type UserHandlers,
} from './handler-registry.ts';
import { createStoreGuard } from './state-validation.ts';

/** An application bound to a contract, with the handlers of the user. */
export interface Binding {
  readonly contract: Contract;
  readonly handlers: UserHandlers;
  readonly registry: HandlerRegistry;
  readonly validator: StateValidator;
  /** Returns a store that refuses changes to a state that is invalid under the contract; `userOperationId`: the operation of the user's handler that gets it. */
  readonly guard: (store: Store, userOperationId?: string) => Store;
}

/** Binds a contract and handlers. Throws a `ContractError` or a `HandlersError` if they do not fit. */
export type Bind = (contract: Contract, handlers: UserHandlers) => Binding;

/** Creates the function that binds an application to contracts; `mock`: the operations to mock. */
export function createBinder(application: Application, mock: boolean | readonly string[]): Bind {
  /** What is valid by the same schemas has the same validator, so that what was validated once stays valid. */
  const validators = new WeakMap<ValidateEntry, StateValidator>();
  return (contract, handlers) => {
    refuseUnknownOperations(contract, { mock, handlers });
    const bound = application.bind(contract);
    const { validateEntry } = bound.stateRules;
    const validator = validators.get(validateEntry) ?? createStateValidator(bound.stateRules);
    validators.set(validateEntry, validator);
    return {
      contract,
      handlers,
      registry: createHandlerRegistry({ bound, mock, handlers }),
      validator,
      guard: createStoreGuard(validator, bound.validatesChanges),
    };
  };
}
