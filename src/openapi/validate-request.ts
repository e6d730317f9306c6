import type { ErrorObject, ValidateFunction } from 'ajv';
import { findJsonIssues } from '../util/json-limits.ts';
import { pointerTo } from '../util/json-pointer.ts';
import { type Document, getNode, isNode, resolveNode, resolvePointer } from './document.ts';
import { deepName, type Parameter, shaped } from './parameters.ts';
import { suggestName } from './remedies.ts';
import { isRead, mediaTypeFor } from './responses.ts';
import type { Route } from './routes.ts';
import type { SchemaValidator } from './schema-validator.ts';
import { type Findings, limitList, shorten } from './violations.ts';

/** What of a request the contract judges, beside its method. */
export interface PlainRequest {
  readonly path: string;
  /** A parameter that was sent more than once has a list. */
  readonly query: Readonly<Record<string, string | string[]>>;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Undefined where none was sent, or one of a media type that isn't read. */
  readonly body: unknown;
  /** The media type of the body, where one was sent. */
  readonly contentType?: string | undefined;
  /** Whether the body is so large that only the first error in it is looked for: an error takes more memory than what is wrong. */
  readonly isLarge?: boolean | undefined;
}

/** What the contract makes of a request: what to hand to the operation's handler, or what is wrong with it. */
export type Received =
  | { readonly kind: 'call'; readonly input: RawInput; readonly notes: readonly string[] }
  | ({ readonly kind: 'violations' } & Findings);

/** An `Input` of whichever operation it is. */
export interface RawInput {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | string[]>>;
  readonly body: unknown;
}

/** A request taken apart as openapi-backend's checks expect it. They coerce parameters in place: what the handler gets is the contract's own. */
export function toValidatorInput({ parameters, pathNames }: Route, request: PlainRequest, { path, query }: RawInput) {
  const values: Record<Parameter['in'], Record<string, unknown>> = {
    // Some documents have a name in a path and say nothing else of it.
    path: Object.fromEntries(pathNames.map((name) => [name, path[name]])),
    query: { ...query },
    header: {},
    cookie: {},
  };
  for (const { name, in: place, shape, fields, mayBeEmpty } of parameters) {
    if (mayBeEmpty && values.query[name] === '') delete values.query[name];
    if (shape === 'fields') gather(values.query, name, fields);
    if (shape === 'fields' || (shape === undefined && (place === 'path' || place === 'query'))) continue;
    const value = valueSent(place, name, shape, request, values);
    if (value !== undefined) values[place][place === 'header' ? name.toLowerCase() : name] = value;
  }
  return values;
}

function valueSent(
  place: Parameter['in'],
  name: string,
  shape: Parameter['shape'],
  { headers }: PlainRequest,
  { path, query }: Readonly<Record<'path' | 'query', Record<string, unknown>>>,
): unknown {
  if (isDeep(shape)) {
    const taken = takenFrom(query, name);
    return taken === undefined || shape === 'deep' ? taken : [taken].flat();
  }
  const value =
    place === 'header'
      ? headers[name.toLowerCase()]
      : place === 'cookie'
        ? cookieIn(headers.cookie, name)
        : { path, query }[place][name];
  return value === undefined || shape === undefined ? value : shaped(shape, value as string | string[]);
}

/** Puts the properties of an object that stand in a query by themselves into one. */
function gather(query: Record<string, unknown>, name: string, fields: readonly string[]): void {
  const sent = fields.filter((field) => query[field] !== undefined).map((field) => [field, query[field]] as const);
  for (const [field] of sent) delete query[field];
  if (sent.length > 0) query[name] = Object.fromEntries(sent);
}

/** Whether a parameter is written as `name[…]`. */
function isDeep(shape: Parameter['shape']): boolean {
  return shape === 'deep' || shape === 'deep list';
}

/** What the parameters `name[…]` of a query make, which are taken out of it: an object, or a list where they have no names but places. */
function takenFrom(query: Record<string, unknown>, name: string): unknown {
  let made: unknown = query[name];
  delete query[name];
  for (const [key, value] of Object.entries(query)) {
    const deep = deepName(key);
    if (deep?.parameter !== name) continue;
    delete query[key];
    made = put(made, deep.keys, value);
  }
  return made;
}

/** A value with another one put into it, by the keys that lead there. */
function put(into: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return into === undefined ? value : [into, value].flat();
  if (/^\d*$/.test(key)) {
    const list = into === undefined ? [] : [into].flat();
    return [...list, ...[put(undefined, rest, value)].flat()];
  }
  const own = isNode(into) ? into : {};
  return { ...own, [key]: put(own[key], rest, value) };
}

function cookieIn(cookies: string | readonly string[] | undefined, name: string): string | undefined {
  const pairs = String(cookies ?? '')
    .split(';')
    .map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** What the checks that openapi-backend has compiled for an operation find. They are called without its own way of taking requests apart, which costs a fifth of a POST and parses bodies a second time. */
export function runValidators(validators: readonly ValidateFunction[], parts: object): readonly ErrorObject[] {
  return validators.flatMap((validate) => (validate(parts) ? [] : (validate.errors ?? [])));
}

/** Returns the errors of values that the server can't process, whatever the schemas say. */
export function limitErrors(parts: object, body: unknown): readonly ErrorObject[] {
  return findJsonIssues({ ...parts, requestBody: body }, 1).map(({ rule, path, value }) => ({
    keyword: rule,
    instancePath: pointerTo(...path),
    schemaPath: '',
    params: {},
    data: value,
    parentSchema: {},
  }));
}

/** What is wrong with the body: one that lacks, and one that doesn't hold by the schema of its media type. */
export function validateBody(
  document: Document,
  judge: SchemaValidator,
  route: Route,
  request: PlainRequest,
): readonly ErrorObject[] {
  const { pointer, bodyMedia } = route;
  const { body, contentType } = request;
  const [first] = Object.values(bodyMedia);
  if (!first) return [];
  const isSent = body !== undefined || (contentType !== undefined && !isRead(contentType));
  if (!isSent) {
    const isRequired = getNode(document, `${resolvePointer(document, `${pointer}/requestBody`)}/required`) === true;
    const schema = getNode(document, resolvePointer(document, first.schema ?? ''));
    return isRequired ? [lacking('requestBody', schema)] : [];
  }
  const documented = mediaTypeFor(Object.keys(bodyMedia), contentType ?? 'application/json');
  const schema = documented === undefined ? undefined : bodyMedia[documented]?.schema;
  if (schema === undefined || body === undefined) return [];
  return judge(schema, body).map((error) => ({
    ...error,
    parentSchema: withProperties(document, error.parentSchema),
    instancePath: `/requestBody${error.instancePath}`,
  }));
}

/** A schema whose properties are no references: a remedy tells what they have to be. */
function withProperties(document: Document, schema: unknown): Record<string, unknown> {
  if (!isNode(schema) || !isNode(schema.properties)) return (schema ?? {}) as Record<string, unknown>;
  const properties = Object.entries(schema.properties).map(([name, property]) => [
    name,
    resolveNode(document, property),
  ]);
  return { ...schema, properties: Object.fromEntries(properties) };
}

function lacking(property: string, schema: unknown): ErrorObject {
  return {
    keyword: 'required',
    instancePath: '',
    schemaPath: '#/required',
    params: { missingProperty: property },
    parentSchema: { properties: { [property]: schema } },
  };
}

/** Ours: what isn't known is ignored, since front ends send some. The query without it, and a note for all that it doesn't know in query and body. */
export function ignoreUnknown({ known, parameters }: Route, { query, body }: PlainRequest) {
  const isKnown = (name: string) =>
    parameters.some((one) => isDeep(one.shape) && one.name === deepName(name)?.parameter);
  const strangers = Object.keys(query).filter((name) => !known.query.includes(name) && !isKnown(name));
  const properties = typeof body === 'object' && body !== null && !Array.isArray(body) ? Object.keys(body) : [];
  const strange = properties.filter((name) => !known.body.includes(name));
  return {
    query:
      strangers.length === 0
        ? query
        : Object.fromEntries(Object.entries(query).filter(([name]) => !strangers.includes(name))),
    notes: limitList([
      ...strangers.map((name) => ignored(`query parameter ${shorten(name)}`, suggestName(name, known.query))),
      ...strange.map((name) => ignored(`${shorten(name)}`, suggestName(name, known.body))),
    ]),
  };
}

function ignored(what: string, remedy: string): string {
  return `${what} is unknown and was ignored: ${remedy}`;
}
