import type { Application } from '../application.ts';
import type { Contract } from '../openapi/contract.ts';
import { createStateValidator, type StateValidator, type ValidateEntry } from '../store/validate-state.ts';
import { createStoreGuard } from './guarded-store.ts';
import {
  createHandlerRegistry,
  type MockedOperations,
  refuseUnknownOperations,
  type UserHandlers,
} from './handler-registry.ts';

/** Binds a contract and handlers. Throws a `ContractError` or a `HandlersError` if they do not fit. */
export type Bind = ReturnType<typeof createBinder>;

/** An application bound to a contract, with the handlers of the user. */
export type Binding = ReturnType<Bind>;

/** Creates the function that binds an application to contracts; `mock`: the operations to mock. */
export function createBinder(application: Application, mock: MockedOperations) {
  /** What is valid by the same schemas has the same validator, so that what was validated once stays valid. */
  const validators = new WeakMap<ValidateEntry, StateValidator>();
  return (contract: Contract, handlers: UserHandlers) => {
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
