import type { Contract } from '../openapi/contract.ts';
import { isNode } from '../openapi/document.ts';
import type { Parameter } from '../openapi/parameters.ts';
import type { Route } from '../openapi/routes.ts';
import { ALL_PARTS, getPartItems, getPartProperties, getSchemaParts } from '../openapi/schema-parts.ts';
import { getBodySchema, getOtherCookies, type RequestValues, withParameter } from './requests.ts';

/**
 * An editable part of a request: a parameter, or a value in the body.
 * `path`: the property names and array indexes that lead to the value.
 */
export type RequestPart =
  | { readonly kind: 'parameter'; readonly parameter: Parameter; readonly schema: string }
  | { readonly kind: 'body'; readonly path: readonly string[]; readonly schema: string | undefined };

/**
 * A change of one part of a request.
 * `repeat` sends a query parameter twice.
 * `add property` adds an undocumented property to an object.
 */
export type Edit =
  | { readonly kind: 'remove' }
  | { readonly kind: 'set'; readonly value: unknown }
  | { readonly kind: 'repeat' }
  | { readonly kind: 'add property'; readonly value: unknown };

/** The maximum nesting of edited values in a body. */
const MAX_DEPTH = 5;

/** The maximum number of edited entries of an array. */
const MAX_ENTRIES = 2;

/** Returns all parts of a request that can be edited. */
export function findRequestParts(
  contract: Contract,
  route: Route,
  { body, format }: RequestValues,
): readonly RequestPart[] {
  const parameters = route.parameters.map((parameter) => ({
    kind: 'parameter' as const,
    parameter,
    schema: parameter.schema,
  }));
  const schema = format ? format.schema : getBodySchema(route);
  return schema === undefined ? parameters : [...parameters, ...findBodyParts(contract, body, [], schema)];
}

function findBodyParts(
  contract: Contract,
  value: unknown,
  path: readonly string[],
  schema: string | undefined,
): readonly RequestPart[] {
  const own: RequestPart = { kind: 'body', path, schema };
  if (path.length >= MAX_DEPTH || typeof value !== 'object' || value === null) return [own];
  const isList = Array.isArray(value);
  const inner = Object.entries(value)
    .slice(0, isList ? MAX_ENTRIES : undefined)
    .flatMap(([key, one]) => {
      const subschema = getSubschema(contract, schema, key, isList);
      return findBodyParts(contract, one, [...path, key], subschema);
    });
  return [own, ...inner];
}

/** Returns the JSON Pointer of the schema of an entry or a property. Returns undefined if no schema describes it. */
function getSubschema({ normalized }: Contract, schema: string | undefined, key: string, isList: boolean) {
  if (schema === undefined) return undefined;
  const parts = getSchemaParts(normalized, schema, ALL_PARTS);
  if (isList) return getPartItems(parts);
  const open = parts.find(({ node }) => isNode(node.additionalProperties));
  return getPartProperties(parts).get(key) ?? (open && `${open.pointer}/additionalProperties`);
}

/** Returns a request with one part edited; undefined if the edit is not possible for this part. */
export function applyEdit(values: RequestValues, part: RequestPart, edit: Edit): RequestValues | undefined {
  return part.kind === 'body' ? editBody(values, part.path, edit) : editParameter(values, part.parameter, edit);
}

function editParameter(values: RequestValues, parameter: Parameter, edit: Edit): RequestValues | undefined {
  const { name, in: where, shape, prefix, isQueryString } = parameter;
  if (edit.kind === 'set') {
    const edited = withParameter(values, parameter, edit.value);
    // If a path parameter is missing, empty, `.` or `..`, the request has another path.
    return where === 'path' && /^\.{0,2}$/.test(prefix + (edited?.path[name] ?? '')) ? undefined : edited;
  }
  if (where === 'path') return undefined;
  if (edit.kind === 'remove') return withoutParameter(values, parameter);
  if (edit.kind !== 'repeat' || where !== 'query' || shape !== undefined || isQueryString) return undefined;
  const [value = 'twice'] = [values.query[name]].flat();
  return { ...values, query: { ...omit(values.query, name), [name]: [value, value] } };
}

function withoutParameter(values: RequestValues, parameter: Parameter): RequestValues {
  const { name, in: where, fields } = parameter;
  if (where === 'query') return { ...values, query: [name, ...fields].reduce(omit, values.query) };
  if (where === 'header') return { ...values, headers: omit(values.headers, name.toLowerCase()) };
  const headers = omit(values.headers, 'cookie');
  const left = getOtherCookies(values, parameter);
  return { ...values, headers: left.length > 0 ? { ...headers, cookie: left.join('; ') } : headers };
}

function omit<Value>(values: Readonly<Record<string, Value>>, name: string): Readonly<Record<string, Value>> {
  const { [name]: _, ...others } = values;
  return others;
}

function editBody(values: RequestValues, path: readonly string[], edit: Edit): RequestValues | undefined {
  if (edit.kind === 'repeat') return undefined;
  if (path.length === 0 && edit.kind === 'remove') {
    const { body: _, ...rest } = values;
    return rest;
  }
  const body = editValue(values.body, path, edit);
  return body === undefined ? undefined : { ...values, body };
}

function editValue(value: unknown, [key, ...rest]: readonly string[], edit: Edit): unknown {
  if (key === undefined) {
    if (edit.kind === 'set') return edit.value;
    return edit.kind === 'add property' && isNode(value) ? { ...value, [UNKNOWN_PROPERTY]: edit.value } : undefined;
  }
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  const entries = Object.entries(value).flatMap(([name, one]) => {
    if (name !== key) return [[name, one] as const];
    if (rest.length === 0 && edit.kind === 'remove') return [];
    return [[name, editValue(one, rest, edit)] as const];
  });
  if (entries.some(([, one]) => one === undefined)) return undefined;
  return Array.isArray(value) ? entries.map(([, one]) => one) : Object.fromEntries(entries);
}

/** The name of a property that no contract documents. */
const UNKNOWN_PROPERTY = 'unknownProperty';
