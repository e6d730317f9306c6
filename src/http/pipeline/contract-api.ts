import type { Route } from '../../openapi/routes.ts';
import { createUnknownPath } from '../problem.ts';
import { type HandleParts, handleOrMock } from './handle.ts';
import type { Api } from './values.ts';

/** The parts of the contract's API. */
export interface ContractApiParts extends HandleParts {
  /** Whether the application implements an operation: its responses may have only the properties that the contract has. */
  readonly isImplemented: (route: Route) => boolean;
}

/** Returns the API of the contract: its operations are handled or mocked, with preferences, faults and a journal. */
export function createContractApi(parts: ContractApiParts): Api {
  return {
    contract: parts.contract,
    isSimulated: true,
    isClosed: parts.isImplemented,
    describeUnknownPath: createUnknownPath,
    schedule: (_request, steps) => steps(),
    getBodyOptions: () => undefined,
    handle: (call) => handleOrMock(parts, call),
  };
}
