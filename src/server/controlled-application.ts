import { dirname, relative } from 'node:path';
import type { Application, EntrySchema } from '../application.ts';
import type { ExampleRequest, Table } from '../application-views.ts';
import type { ControlledApplication } from '../control/handler.ts';
import type { Server } from '../control/operation.ts';
import type { Contract } from '../openapi/contract.ts';
import { getNode, toNode } from '../openapi/document.ts';
import { extractSchema } from '../openapi/extract-schema.ts';
import { findViolatedRule } from '../openapi/find-violated-rule.ts';
import type { Route } from '../openapi/routes.ts';
import type { Violation } from '../openapi/violations.ts';
import type { State } from '../store/state.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import { getPathname } from '../util/request-target.ts';
import { createDefaultTable } from './default-table.ts';
import type { ContractSetup } from './served-contract.ts';

/** The maximum number of example requests. */
const MAX_EXAMPLES = 3;

/**
 * Creates a function that returns what the control API shows about the application and its contract. The function computes its result only once for each
 * `ContractSetup`.
 */
export function createApplicationView(application: Application): (setup: ContractSetup) => ControlledApplication {
  return memoizeByObject((setup: ContractSetup) => {
    const { contract, collections } = setup;
    const { info } = contract.document;
    const { explainSearch = {} } = application;
    const schemas = Object.keys(collections).map((name) => [name, setup.getEntrySchema(name)] as const);
    const tables = new Map(schemas.map(([name, schema]) => [name, createTable(application, setup, name, schema)]));
    return {
      contract: {
        title: String(info.title),
        version: String(info.version),
        basePath: contract.basePaths[0] ?? '',
        operations: contract.routes.length,
      },
      operations: contract.routes.map((route) => describeOperation(setup, route)),
      collections: schemas.map(([name, { schema, key }]) => ({
        name,
        ...(key === undefined ? {} : { key }),
        isSearched: Object.hasOwn(explainSearch, name),
        schema: schema === '' ? { type: 'object' } : extractSchema(contract.normalized, schema),
      })),
      getTable: (collection) => tables.get(collection),
      explainSearch,
      findSource: (operationId, violation) => findSource(contract, operationId, violation as Violation),
      getExamples: (state) => getExamples(application, setup, state),
    };
  });
}

function createTable(
  { tables = {} }: Application,
  { contract }: ContractSetup,
  name: string,
  schema: EntrySchema,
): Table {
  const own = Object.hasOwn(tables, name) ? tables[name] : undefined;
  return own ?? createDefaultTable(contract.normalized, schema);
}

function describeOperation({ contract, getImplementation, explain }: ContractSetup, route: Route) {
  const { operationId, method, path, bodyMedia, responses } = route;
  const summary = getSummary(contract, route);
  const examples = responses.flatMap(({ media }) => Object.values(media).flatMap((one) => one.examples));
  return {
    operationId,
    method,
    path,
    ...(summary === undefined ? {} : { summary }),
    hasHandler: getImplementation(route) !== undefined,
    explanation: explain(route),
    hasBody: Object.keys(bodyMedia).length > 0,
    statuses: responses.map(({ name }) => name),
    examples: [...new Set(examples.flatMap(({ name }) => name ?? []))],
  };
}

/** Finds the rule that a request violates, and returns its file, line number and text in the contract. Returns undefined if the rule can't be found. */
function findSource(
  { path, routes, normalized, locate }: Contract,
  operationId: string | undefined,
  violation: Violation,
) {
  const route = routes.find((one) => one.operationId === operationId);
  const pointer = route && findViolatedRule(normalized, route, violation);
  if (pointer === undefined) return undefined;
  const { path: file, line, text } = locate.find(pointer);
  return { file: relative(dirname(path), file), line, text };
}

/**
 * Returns at most three example requests with the credentials that they need. The examples of the application come first. The others are GET requests
 * without required parameters.
 */
function getExamples(application: Application, { contract }: ContractSetup, state: State): Server['examples'] {
  const own = application.getExamples?.(state, contract) ?? [];
  const isKnown = ({ method, path }: Route) => own.some((one) => one.method === method && one.path === path);
  const isSimple = (route: Route) =>
    route.method === 'GET' && route.pathNames.length === 0 && !route.parameters.some(({ isRequired }) => isRequired);
  const others = contract.routes
    .filter((route) => isSimple(route) && !isKnown(route))
    .map((route) => ({
      title: getSummary(contract, route) ?? route.operationId,
      method: route.method,
      path: route.path,
    }));
  return [...own, ...others].slice(0, MAX_EXAMPLES).map((example) => addCredentials(contract, example));
}

/**
 * Adds the base path of the server to an example request. Also adds example credentials for the first security requirement of the operation. By default, the
 * server accepts any credentials.
 */
function addCredentials({ basePaths, route: find }: Contract, example: ExampleRequest): Server['examples'][number] {
  const { method, path } = example;
  const routed = find(method, getPathname(path));
  const [credentials = []] = routed.kind === 'operation' ? routed.route.security : [];
  const headers = credentials.flatMap(({ in: location, name, scheme }) =>
    location === 'header' ? [[name, getCredential(scheme)]] : [],
  );
  const query = credentials.flatMap(({ in: location, name }) =>
    location === 'query' ? `${encodeURIComponent(name)}=example` : [],
  );
  const full = (basePaths[0] ?? '') + [path, query.join('&')].filter(Boolean).join(path.includes('?') ? '&' : '?');
  return { ...example, path: full, ...(headers.length > 0 ? { headers: Object.fromEntries(headers) } : {}) };
}

function getCredential(scheme: string | undefined): string {
  if (scheme === 'basic') return `Basic ${btoa('example:example')}`;
  return scheme === undefined ? 'example' : `${scheme[0]?.toUpperCase()}${scheme.slice(1)} example`;
}

function getSummary({ document }: Contract, { pointer }: Route): string | undefined {
  const { summary } = toNode(getNode(document, pointer));
  return typeof summary === 'string' ? summary : undefined;
}
