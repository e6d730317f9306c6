import type { Application, Operation } from '../application.ts';
import { createMock } from '../mock/mock.ts';
import type { Contract } from '../openapi/contract.ts';
import { ContractError, formatIssues } from '../openapi/document.ts';
import type { Issue } from '../util/issue.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import { findIdIssues, findOverrideIssues, findResourceIssues } from './document-paths.ts';
import { createExamples } from './examples.ts';
import { explainPlan } from './explain.ts';
import { createHandler, respondToMocked } from './handlers.ts';
import { problems } from './problems.ts';
import { getRouteKey, PATH_VALUES, type Resource } from './resource.ts';
import { ResourceModel } from './resource-model.ts';
import { createSeeds } from './seeds.ts';
import { createStateRules } from './state-rules.ts';
import { createStateView } from './state-view.ts';
import { completeUserResponse } from './user-responses.ts';

/**
 * Creates the `ResourceModel` of a contract at the first call, and returns it at later calls. Throws `ContractError` if an `x-storefront` extension in the
 * document is invalid.
 */
const getModel = memoizeByObject((contract: Contract) => {
  const throwIfIssues = (issues: readonly Issue[]) => {
    if (issues.length > 0) throw new ContractError(formatIssues(contract.locate, issues));
  };
  throwIfIssues(findOverrideIssues(contract.normalized, contract.routes));
  const model = new ResourceModel(contract, createMock(contract));
  const { inference, reader } = model;
  throwIfIssues(findResourceIssues(contract.normalized, contract.routes, inference.plans.values()));
  throwIfIssues(findIdIssues(contract.normalized, inference.plans.values(), (schema) => reader.isObject(schema)));
  return model;
});

/**
 * Creates an application that serves any OpenAPI document. It infers resources such as `/pets` from the document, and stores their entries. `contractFile`: the
 * path of the OpenAPI document.
 */
export function createResourceApplication(contractFile: string): Application {
  return {
    contractFile,
    defaultData: (contract, lists) => createSeeds(getModel(contract), lists),
    problems,
    snapshots: {},
    getExamples: (state, contract) => createExamples(getModel(contract), state),
    implementContract(contract) {
      const model = getModel(contract);
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
        getEntrySchema(collection) {
          const resource = model.inference.resources.find(({ name }) => name === collection);
          return resource && { schema: resource.schema, key: getKey(resource) };
        },
        validatesChanges: false,
        completeResponse: (route, response) => completeUserResponse(model, route, response),
        stateView: createStateView(model),
        explain(route) {
          const plan = getPlan(route);
          return plan ? explainPlan(model, plan) : (reasons.get(getRouteKey(route)) ?? 'no resource');
        },
      };
    },
  };
}

/**
 * Returns the name of the property that identifies an entry of a collection, such as `id`. Returns undefined for a singleton such as `/settings`, which has no
 * ids.
 */
function getKey({ kind, id }: Resource): string | undefined {
  return kind === 'singleton' ? undefined : (id.property ?? `${PATH_VALUES}.${id.name}`);
}
