import type { ControlParts } from '../control/handler.ts';
import { findFaultWarnings } from '../mock/fault-warnings.ts';
import { findMismatchedCodes } from '../mock/mismatched-codes.ts';
import { findUnknownOperationIssues, validateInjectedResponse } from '../mock/validate-fault.ts';
import type { ContractSetup } from './served-contract.ts';

/** Creates the functions that compare a fault with the current contract. */
export function createFaultChecks(current: {
  readonly setup: ContractSetup;
}): Pick<ControlParts, 'findFaultWarnings' | 'findUnknownOperationIssues' | 'findUndocumentedResponses'> {
  return {
    findFaultWarnings: (fault) => [
      ...findFaultWarnings(current.setup.contract.routes, fault),
      ...findMismatchedCodes(current.setup, fault),
    ],
    findUnknownOperationIssues: (operation) => findUnknownOperationIssues(current.setup.contract, operation),
    findUndocumentedResponses: (fault) => validateInjectedResponse(current.setup.contract, fault),
  };
}
