import type { Application, Operation } from '../application.ts';
import { createMock } from '../mock/mock.ts';
import type { Contract } from '../openapi/contract.ts';
import { ContractError, formatIssues } from '../openapi/document.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import { findOverrideIssues } from './document-paths.ts';
import { explainPlan } from './explain.ts';
import { createHandler, respondToMocked } from './handlers.ts';
import { problems } from './problems.ts';
import { getRouteKey } from './resource.ts';
import { ResourceModel } from './resource-model.ts';
import { createSeeds } from './seeds.ts';
import { createStateRules } from './state-rules.ts';
import { completeUserResponse } from './user-responses.ts';

/** Returns the resources of a contract. */
const serve = memoizeByObject((contract: Contract) => {
  const issues = findOverrideIssues(contract.normalized, contract.routes);
  if (issues.length > 0) throw new ContractError(formatIssues(contract.locate, issues));
  return new ResourceModel(contract, createMock(contract));
});

/** Creates the application for a contract of any API: its resources are inferred from the document. `contractFile`: the path of the document. */
export function createResourceApplication(contractFile: string): Application {
  return {
    contractFile,
    defaultData: (contract, lists) => createSeeds(serve(contract), lists),
    problems,
    snapshots: {},
    implementContract(contract) {
      const model = serve(contract);
      const { plans, mockedPlans, reasons } = model.inference;
      const getPlan = (operation: Operation) => plans.get(getRouteKey(operation));
      return {
        getImplementation(operation) {
          const plan = getPlan(operation);
          return plan && { handle: createHandler(model, plan) };
        },
        getStoredResponse(route, input, state) {
          const plan = mockedPlans.get(getRouteKey(route));
          return plan && respondToMocked(model, plan, input, state);
        },
        stateRules: createStateRules(model),
        validatesChanges: false,
        completeResponse: (route, response) => completeUserResponse(model, route, response),
        explain(route) {
          const plan = getPlan(route);
          return plan ? explainPlan(model, plan) : (reasons.get(getRouteKey(route)) ?? 'no resource');
        },
      };
    },
  };
}
