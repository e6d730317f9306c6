import { dirname, relative } from 'node:path';
import type { Application, Column, EntrySchema, ExampleRequest, Reference, Table } from '../application.ts';
import type { ControlledApplication } from '../control/handler.ts';
import type { Server } from '../control/operation.ts';
import type { ServedContract } from '../http/served.ts';
import type { Contract } from '../openapi/contract.ts';
import { type Document, getNode, toNode } from '../openapi/document.ts';
import { extractSchema, findViolatedRule } from '../openapi/find-violated-rule.ts';
import type { Route } from '../openapi/routes.ts';
import { ALL_PARTS, getPartProperties, getPartTypes, getSchemaParts } from '../openapi/schema-parts.ts';
import type { Entry, State } from '../store/state.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import { isIdName } from '../util/names.ts';
import type { Violation } from '../util/problem.ts';
import { getPathname } from '../util/request-target.ts';

/** The maximum number of example requests. */
const MAX_EXAMPLES = 3;

/**
 * Creates a function that returns what the control API shows about the application and its contract.
 * The function computes its result only once for each `ServedContract`.
 */
export function createApplicationView(application: Application): (served: ServedContract) => ControlledApplication {
  return memoizeByObject((served: ServedContract) => {
    const { contract, collections } = served;
    const { info } = contract.document;
    const { explainSearch = {} } = application;
    const schemas = Object.keys(collections).map((name) => [name, served.getEntrySchema(name)] as const);
    const toForm = (name: string) => {
      const { properties, defaults = {}, references = [] } = served.implementation.getEntryForm?.(name) ?? {};
      return { ...(properties ? { properties: [...properties] } : {}), defaults, references: [...references] };
    };
    const tables = new Map(schemas.map(([name, schema]) => [name, createTable(application, served, name, schema)]));
    return {
      contract: {
        title: String(info.title),
        version: String(info.version),
        basePath: contract.basePaths[0] ?? '',
        operations: contract.routes.length,
      },
      operations: contract.routes.map((route) => describeOperation(served, route)),
      collections: schemas.map(([name, { schema, key }]) => ({
        name,
        ...(key === undefined ? {} : { key }),
        isSearched: Object.hasOwn(explainSearch, name),
        form: toForm(name),
        schema: schema === '' ? { type: 'object' } : extractSchema(contract.normalized, schema),
      })),
      getTable: (collection) => tables.get(collection),
      completeNewEntry: (collection, entry, context) =>
        served.implementation.completeNewEntry?.(collection, entry, context) ?? entry,
      showEntry: (collection, entry, at) => served.implementation.showEntry?.(collection, entry, at) ?? entry,
      *acceptState(next, before) {
        const { acceptState } = served.implementation;
        return acceptState ? yield* acceptState(next, before) : { state: next, issues: [] };
      },
      explainSearch,
      findSource: (operationId, violation) => findSource(contract, operationId, violation as Violation),
      getExamples: (state) => getExamples(application, served, state),
    };
  });
}

function createTable(
  { tables = {} }: Application,
  { contract, implementation }: ServedContract,
  name: string,
  schema: EntrySchema,
): Table {
  const own = Object.hasOwn(tables, name) ? tables[name] : undefined;
  return own ?? createDefaultTable(contract.normalized, schema, implementation.getEntryForm?.(name)?.references ?? []);
}

function describeOperation({ contract, implementations, explain }: ServedContract, route: Route) {
  const { operationId, method, path, bodyMedia, responses } = route;
  const summary = getSummary(contract, route);
  const examples = responses.flatMap(({ media }) => Object.values(media).flatMap((one) => one.examples));
  return {
    operationId,
    method,
    path,
    ...(summary === undefined ? {} : { summary }),
    hasHandler: implementations.has(route),
    explanation: explain(route),
    hasBody: Object.keys(bodyMedia).length > 0,
    statuses: responses.map(({ name }) => name),
    examples: [...new Set(examples.flatMap(({ name }) => name ?? []))],
  };
}

/**
 * Finds the rule that a request violates, and returns its file, line number and text in the contract.
 * Returns undefined if the rule can't be found.
 */
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
 * Returns at most three example requests with the credentials that they need.
 * The examples of the application come first.
 * The others are GET requests without required parameters.
 */
function getExamples(application: Application, { contract }: ServedContract, state: State): Server['examples'] {
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
 * Adds the base path of the server to an example request.
 * Also adds example credentials for the first security requirement of the operation.
 * By default, the server accepts any credentials.
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

/** The maximum number of columns in a table, without the columns of ids, of which there are as many at most. */
const MAX_COLUMNS = 7;

/**
 * A column that shows a property of an entry.
 * `path`: the names of the nested properties, such as `['price', 'amount']`.
 */
interface PropertyColumn extends Column {
  readonly path: readonly string[];
}

/**
 * Creates the table of a collection from the schema of its entries.
 * A key that people read, such as `slug`, comes first, and ids come last.
 * The other columns contain the properties with simple values, in the order of the schema.
 * If the schema has only properties with objects and lists, the columns contain these properties.
 */
function createDefaultTable(document: Document, { schema, key }: EntrySchema, references: readonly Reference[]): Table {
  const properties = schema === '' ? [] : [...getPartProperties(getSchemaParts(document, schema, ALL_PARTS))];
  const all = properties.map(([name, pointer]) => toColumn([name], getFormat(document, pointer)));
  const scalar = all.filter(({ format }) => format !== 'json');
  const linked = references.map(({ property, collection }) => ({ ...toColumn(property.split('.'), 'id'), collection }));
  const isLinked = (title: string) => linked.some((one) => one.title === title);
  const unlinked = scalar.filter(({ title }) => title !== key && isIdName(title) && !isLinked(title));
  const ids = [...linked, ...unlinked.map(({ path }) => toColumn(path, 'id'))];
  const isId = key !== undefined && isIdName(key);
  const keyColumn = key === undefined ? [] : [toColumn(key.split('.'), isId ? 'id' : getKeyFormat(all, key))];
  const special = [...keyColumn, ...ids].map(({ title }) => title);
  const others = (scalar.length > 0 ? scalar : all).filter(({ title }) => !special.includes(title));
  const shown = [
    ...(isId ? [] : keyColumn),
    ...others.slice(0, MAX_COLUMNS),
    ...ids.slice(0, MAX_COLUMNS).filter(({ title }) => title !== keyColumn[0]?.title),
    ...(isId ? keyColumn : []),
  ];
  const columns = shown.length > 0 ? shown : [toColumn([], 'json')];
  return {
    columns: columns.map(({ path: _, ...column }) => column),
    getCells: (entry) => columns.map(({ path }) => getValue(entry, path)),
  };
}

function getKeyFormat(all: readonly PropertyColumn[], key: string): Column['format'] {
  return all.find(({ title }) => title === key)?.format ?? 'text';
}

/** Creates the column of a property. With an empty path, creates a column that contains the whole entry. */
function toColumn(path: readonly string[], format: Column['format']): PropertyColumn {
  return { title: path.at(-1) ?? 'Entry', format, path };
}

/** Returns the format of a column for values of a schema. `schema`: the JSON Pointer of the schema in the document. */
function getFormat(document: Document, schema: string): Column['format'] {
  const parts = getSchemaParts(document, schema, ALL_PARTS);
  const types = new Set(getPartTypes(parts).filter((type) => type !== 'null'));
  const isConstant = parts.some(({ node }) => node.enum !== undefined || node.const !== undefined);
  if (types.size === 0) return isConstant ? 'text' : 'json';
  if (types.has('object') || types.has('array')) return 'json';
  const [type] = types;
  if (types.size > 1) return 'text';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'boolean') return 'boolean';
  return parts.some(({ node }) => node.format === 'date-time') ? 'time' : 'text';
}

function getValue(entry: Entry, path: readonly string[]): unknown {
  let value: unknown = entry;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return null;
    value = (value as Entry)[name];
  }
  return value ?? null;
}
