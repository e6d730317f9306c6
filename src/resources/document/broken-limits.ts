import type { HandlerResponse } from '../../application.ts';
import type { Contract } from '../../openapi/contract.ts';
import { describeError } from '../../openapi/describe-error.ts';
import { getNode, omitKeys, pickKeys } from '../../openapi/document.ts';
import { allowsJson } from '../../openapi/media-types.ts';
import { ALL_PARTS, getPartItems, getPartProperties, getSchemaParts } from '../../openapi/schema-parts.ts';
import type { Entry } from '../../store/state.ts';
import { createIssue, type Issue } from '../../util/issue.ts';
import { formatPointer, parsePointer } from '../../util/json-pointer.ts';
import { memoizeByObject } from '../../util/memoize-by-object.ts';
import { normalizeName } from '../../util/names.ts';
import { isOwnError } from '../entries/entry-validator.ts';
import type { Plan } from '../resource.ts';
import type { ResourceModel } from '../resource-model.ts';
import { isOwnIdName } from './document-paths.ts';
import type { SchemaReader } from './schema-reader.ts';

/** JSON Schema keywords of limits, and the keywords of a request that say something else about the same values. */
const LIMITS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    minimum: ['minimum', 'exclusiveMinimum'],
    exclusiveMinimum: ['minimum', 'exclusiveMinimum'],
    maximum: ['maximum', 'exclusiveMaximum'],
    exclusiveMaximum: ['maximum', 'exclusiveMaximum'],
    multipleOf: ['multipleOf'],
    minLength: ['minLength', 'enum', 'const'],
    maxLength: ['maxLength', 'enum', 'const'],
    pattern: ['pattern', 'format', 'enum', 'const'],
    enum: ['enum', 'const'],
    const: ['enum', 'const'],
    minItems: ['minItems'],
    maxItems: ['maxItems'],
    uniqueItems: ['uniqueItems'],
    // A request that says nothing about a value has no other form of it.
    type: ['type', 'properties', 'items', 'format', 'pattern', 'enum', 'const', 'oneOf', 'anyOf'],
  }),
);

type ValidationError = ReturnType<Contract['getErrors']>[number];

/**
 * Returns the first value of a request that a limit in the schema of stored entries does not allow.
 * A limit is a rule such as `minimum` for which the request has no rule of its own.
 * Ignores values of another form: the id of an embedded object, null, and an alternative that entries lack.
 * Ignores ids and times, which the server sets.
 * `sent`: the properties of the request body.
 */
export function findBrokenLimit(model: ResourceModel, plan: Plan, sent: Entry): Issue | undefined {
  const { contract, reader, validator } = model;
  const { resource, mount } = plan;
  if (resource.schema === '') return undefined;
  const properties = reader.getCommonProperties(resource.schema);
  const parents = mount.parents.flatMap(({ property }) => property ?? []);
  const ignored = [...parents, ...model.getTimeNames({ ...plan, action: 'create' })];
  const values = Object.entries(validator.convertForms(resource, omitKeys(sent, ignored)));
  for (const [name, value] of values) {
    const pointer = properties.get(name);
    if (pointer === undefined || value === null || isOwnIdName(name, resource.singular)) continue;
    const errors = contract.getErrors(pointer, value).filter(isOwnError);
    const isLimit = (error: ValidationError) => {
      const steps = parsePointer(error.instancePath);
      const isReached = getCommonPlace(reader, pointer, steps) !== undefined;
      return (
        isReached &&
        isSameKind(error, getNode(value, error.instancePath)) &&
        !hasOwnRule(reader, plan, [name, ...steps], error)
      );
    };
    const [error] = errors;
    const isForm = error?.keyword === 'type' && !hasJsonBody(plan);
    if (error && errors.every(isLimit) && !isForm)
      return createIssue(formatPointer(name) + error.instancePath, describeError(error));
  }
  return undefined;
}

/** Returns whether the body of an operation can be JSON. The values of a form are texts. */
function hasJsonBody({ route }: Plan): boolean {
  return Object.keys(route.bodyMedia).some(allowsJson);
}

/**
 * Adds a note to a response for each value of the request that is not stored, because entries can't have it: a text for
 * a boolean.
 */
export function addNotes(
  model: ResourceModel,
  plan: Plan,
  response: HandlerResponse,
  bodies: readonly Entry[],
): HandlerResponse {
  const notes = bodies.flatMap((sent) => describeIgnored(model, plan, sent));
  return notes.length === 0 ? response : { ...response, notes };
}

/**
 * Returns the properties of the entries that an operation changes, without those that its request has with the same
 * schema: the values of these are already known to be valid.
 */
const listOtherProperties = memoizeByObject((model: ResourceModel) =>
  memoizeByObject(({ resource, route, requestPath, entryPath }: Plan): ReadonlyMap<string, string> => {
    const { reader } = model;
    const properties = reader.getCommonProperties(resource.schema);
    // Bodies of another media type can have another schema.
    const hasOneType = Object.keys(route.bodyMedia).length === 1;
    const inner = hasOneType ? reader.getRequestInner(route, [...requestPath, ...entryPath]) : undefined;
    const sent = inner === undefined ? undefined : reader.getCommonProperties(reader.getItems(inner) ?? inner);
    const isKnown = ([name, pointer]: readonly [string, string]) => {
      const own = sent?.get(name);
      return own !== undefined && reader.isSame(own, pointer);
    };
    return new Map([...properties].filter((one) => !isKnown(one)));
  }),
);

function describeIgnored(model: ResourceModel, plan: Plan, sent: Entry): readonly string[] {
  const { resource } = plan;
  if (resource.schema === '') return [];
  const { contract, validator } = model;
  const properties = listOtherProperties(model)(plan);
  const invalid = Object.keys(sent).filter((name) => {
    const pointer = properties.get(name);
    return pointer !== undefined && sent[name] !== null && !contract.isValid(pointer, sent[name]);
  });
  const converted = validator.convertForms(resource, pickKeys(sent, invalid));
  return invalid.flatMap((name) => {
    const [error] = contract.getErrors(properties.get(name) ?? '', converted[name]).filter(isOwnError);
    if (!error) return [];
    const { pointer: place, message } = createIssue(formatPointer(name) + error.instancePath, describeError(error));
    return [`${place} was not stored, because it ${message}`];
  });
}

/**
 * Returns the JSON Pointer of the schema of a nested value.
 * Returns undefined if only an alternative of a `oneOf` or `anyOf` describes the value.
 */
function getCommonPlace({ document }: SchemaReader, schema: string, steps: readonly string[]): string | undefined {
  return steps.reduce<string | undefined>((pointer, step) => {
    const parts = pointer === undefined ? [] : getSchemaParts(document, pointer);
    return getPartProperties(parts).get(step) ?? (/^\d+$/.test(step) ? getPartItems(parts) : undefined);
  }, schema);
}

/** Returns whether an error is about a limit, and whether the values in its `enum` have the type of the value. */
function isSameKind({ keyword, parentSchema }: ValidationError, value: unknown): boolean {
  if (value === null) return false;
  const { enum: choices, const: only } = parentSchema ?? {};
  const allowed: readonly unknown[] = keyword === 'const' ? [only] : (choices ?? []);
  const isChoice = keyword === 'enum' || keyword === 'const';
  return LIMITS.has(keyword) && (!isChoice || allowed.some((one) => typeof one === typeof value));
}

/** Returns whether the schema of a request has a rule of its own for the values that a limit of entries excludes. */
function hasOwnRule(
  reader: SchemaReader,
  { route, requestPath, entryPath }: Plan,
  [name = '', ...steps]: readonly string[],
  { keyword }: ValidationError,
): boolean {
  const inner = reader.getRequestInner(route, [...requestPath, ...entryPath]);
  const body = inner === undefined ? undefined : (reader.getItems(inner) ?? inner);
  if (body === undefined) return false;
  const own = [...reader.getProperties(body).keys()].find((one) => normalizeName(one) === normalizeName(name)) ?? name;
  let schemas = reader.listPropertySchemas(body, own);
  for (const step of steps)
    schemas = schemas.flatMap((schema) => [
      ...reader.listPropertySchemas(schema, step),
      ...(/^\d+$/.test(step) ? reader.listItems(schema) : []),
    ]);
  const rules = LIMITS.get(keyword) ?? [];
  const parts = schemas.flatMap((schema) => getSchemaParts(reader.document, schema, ALL_PARTS));
  return parts.some(({ node }) => rules.some((rule) => rule in node));
}
