import type { Contract } from '../openapi/contract.ts';
import { getNode, isNode, resolvePointer } from '../openapi/document.ts';
import type { Parameter } from '../openapi/parameters.ts';
import type { Route } from '../openapi/routes.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { getBodyType, getSchemaPointer, type RequestValues, withParameter } from './requests.ts';

/** A part of a request that can be edited: a parameter, or a place in the body. */
export type EditPlace =
  | { readonly kind: 'parameter'; readonly parameter: Parameter; readonly schema: string }
  | { readonly kind: 'body'; readonly path: readonly string[]; readonly schema: string | undefined };

/** One edit of a request. */
export type Edit =
  | { readonly kind: 'leave out' }
  | { readonly kind: 'give'; readonly value: unknown }
  | { readonly kind: 'give twice' }
  | { readonly kind: 'add a property'; readonly value: unknown };

/** The maximum depth of edited places in a body, and the number of edited entries of a list. */
const MAX_DEPTH = 5;
const MAX_ENTRIES = 2;

/** Returns all parts of a request that can be edited. */
export function findEditPlaces(contract: Contract, route: Route, { body }: RequestValues): readonly EditPlace[] {
  const parameters = route.parameters.map((parameter) => ({
    kind: 'parameter' as const,
    parameter,
    schema: getSchemaPointer(contract, parameter),
  }));
  const schema = route.bodyMedia[getBodyType(route) ?? '']?.schema;
  return schema === undefined ? parameters : [...parameters, ...findBodyPlaces(contract, body, [], schema)];
}

function findBodyPlaces(
  contract: Contract,
  value: unknown,
  path: readonly string[],
  schema: string | undefined,
): readonly EditPlace[] {
  const own: EditPlace = { kind: 'body', path, schema };
  if (path.length >= MAX_DEPTH || typeof value !== 'object' || value === null) return [own];
  const entries = Array.isArray(value) ? Object.entries(value).slice(0, MAX_ENTRIES) : Object.entries(value);
  const below = entries.flatMap(([key, one]) =>
    findBodyPlaces(
      contract,
      one,
      [...path, key],
      getSubschema(contract, schema, Array.isArray(value) ? '/items' : formatPointer('properties', key)),
    ),
  );
  return [own, ...below];
}

/** Returns the pointer of a subschema; undefined if the schema does not have it in one place. */
function getSubschema({ normalized: plain }: Contract, schema: string | undefined, step: string): string | undefined {
  if (schema === undefined) return undefined;
  const pointer = `${resolvePointer(plain, schema)}${step}`;
  return getNode(plain, pointer) === undefined ? undefined : pointer;
}

/** Returns a request with one part edited; undefined if the edit is not possible there. */
export function applyEdit(values: RequestValues, place: EditPlace, edit: Edit): RequestValues | undefined {
  return place.kind === 'body' ? editBody(values, place.path, edit) : editParameter(values, place.parameter, edit);
}

function editParameter(values: RequestValues, parameter: Parameter, edit: Edit): RequestValues | undefined {
  const { name, in: where } = parameter;
  // Without a parameter, or with an empty part or dots, it is a different path.
  if (where === 'path') {
    if (edit.kind !== 'give' || /^\.{0,2}$/.test(String(edit.value))) return undefined;
    return withParameter(values, parameter, edit.value);
  }
  const { [name]: own, ...others } = values.query;
  if (edit.kind === 'leave out' && where === 'query') return { ...values, query: others };
  if (edit.kind === 'leave out' && where === 'header') {
    const { [name.toLowerCase()]: _, ...headers } = values.headers;
    return { ...values, headers };
  }
  if (edit.kind === 'give twice' && where === 'query' && parameter.shape === undefined) {
    const [value = 'twice'] = [own].flat();
    return { ...values, query: { ...others, [name]: [value, value] } };
  }
  if (edit.kind === 'leave out' && where === 'cookie') {
    const { cookie, ...headers } = values.headers;
    const left = (cookie ?? '').split('; ').filter((pair) => !pair.startsWith(`${name}=`));
    return { ...values, headers: left.length > 0 ? { ...headers, cookie: left.join('; ') } : headers };
  }
  return edit.kind === 'give' ? withParameter(values, parameter, edit.value) : undefined;
}

function editBody(values: RequestValues, path: readonly string[], edit: Edit): RequestValues | undefined {
  if (edit.kind === 'give twice') return undefined;
  if (path.length === 0 && edit.kind === 'leave out') {
    const { body: _, ...rest } = values;
    return rest;
  }
  const body = editValue(values.body, path, edit);
  return body === undefined ? undefined : { ...values, body };
}

function editValue(value: unknown, [key, ...rest]: readonly string[], edit: Edit): unknown {
  if (key === undefined) {
    if (edit.kind === 'give') return edit.value;
    return edit.kind === 'add a property' && isNode(value) ? { ...value, [UNKNOWN_PROPERTY]: edit.value } : undefined;
  }
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  const entries = Object.entries(value).flatMap(([name, one]) => {
    if (name !== key) return [[name, one] as const];
    if (rest.length === 0 && edit.kind === 'leave out') return [];
    return [[name, editValue(one, rest, edit)] as const];
  });
  if (entries.some(([, one]) => one === undefined)) return undefined;
  return Array.isArray(value) ? entries.map(([, one]) => one) : Object.fromEntries(entries);
}

/** A property name that no contract has. */
const UNKNOWN_PROPERTY = 'unknownProperty';
