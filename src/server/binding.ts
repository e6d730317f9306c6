import type { Application } from '../application.ts';
import type { Contract } from '../openapi/contract.ts';
import { createStateValidator, type StateValidator, type ValidateEntry } from '../store/validate-state.ts';
import { createStoreGuard, type StoreGuard } from './guarded-store.ts';
import {
  createHandlerRegistry,
  type HandlerRegistry,
  type MockedOperations,
  refuseUnknownOperations,
  type UserHandlers,
} from './handler-registry.ts';

/** An application bound to a contract, with the handlers of the user. */
export interface Binding {
  readonly contract: Contract;
  readonly handlers: UserHandlers;
  readonly registry: HandlerRegistry;
  readonly validator: StateValidator;
  readonly guard: StoreGuard;
}

/** Binds a contract and handlers. Throws a `ContractError` or a `HandlersError` if they do not fit. */
export type Bind = (contract: Contract, handlers: UserHandlers) => Binding;

/** Creates the function that binds an application to contracts; `mock`: the operations to mock. */
export function createBinder(application: Application, mock: MockedOperations): Bind {
  /** What is valid by the same schemas has the same validator, so that what was validated once stays valid. */
  const validators = new WeakMap<ValidateEntry, StateValidator>();
  return (contract, handlers) => {
    refuseUnknownOperations(contract, mock, handlers);
    const bound = application.bind(contract);
    const { validateEntry } = bound.stateRules;
    const validator = validators.get(validateEntry) ?? createStateValidator(bound.stateRules);
    validators.set(validateEntry, validator);
    return {
      contract,
      handlers,
      registry: createHandlerRegistry(bound, mock, handlers),
      validator,
      guard: createStoreGuard(validator, bound.validatesChanges),
    };
  };
}
