import type { CheckedReply, DocumentClient } from './client.ts';
import type { Operation } from './document.ts';
import { findIds, hasProperty, rankId } from './entity.ts';
import { type MarkedBody, type Marker, markBody } from './marker.ts';
import { findEntry } from './parents.ts';
import { generateParameter } from './request.ts';
import { findLeaves, generateBody, type Leaf, type RequestBody, replaceAt } from './request-body.ts';
import { createsByPut, type Resource } from './resources.ts';

/** Values of path parameters by name. */
export type PathValues = Readonly<Record<string, string>>;

/** The result of an attempt to create an entity. */
export interface Creation {
  readonly operation: Operation;
  readonly reply?: CheckedReply;
  /** The values that may be the id, the most likely first. */
  readonly ids: readonly string[];
  readonly marker?: Marker | undefined;
  /** The body that was sent. */
  readonly sent?: unknown;
  /** The reason why no request could be sent. */
  readonly failure?: string;
}

/** Returns the operation that creates entities of a resource: POST, or a PUT that documents status 201. */
export function creatingOperation({ create, replace }: Resource): Operation | undefined {
  return create ?? createsByPut(replace);
}

/** Creates an entity of a resource with a body that no other entity has. */
export async function createEntity(client: DocumentClient, resource: Resource, values: PathValues): Promise<Creation> {
  const operation = creatingOperation(resource);
  if (operation === undefined) throw new TypeError(`${resource.collectionPath} has no operation that creates`);
  const number = client.nextNumber();
  const id = operation === resource.replace ? newId(client, operation, resource, number) : undefined;
  const path = { ...values, ...(id === undefined ? {} : { [resource.idName]: id }) };
  const made = createBody(client, operation, { resource, number, id });
  const marked = made && nameParents(client, made, values);
  if (marked === null) return { operation, ids: [], failure: 'no valid body could be generated' };
  const reply = await sendUnique(client, { operation, path }, marked);
  const location = reply.headers.get('location');
  const entity = newEntity(reply, resource.idName, marked?.marker);
  const ids = findIds(resource.idName, location, entity, marked?.body.value);
  return { operation, reply, ids: id === undefined ? ids : [id], marker: marked?.marker, sent: marked?.body.value };
}

/** Sets the properties of a body that have the names of path parameters: the parents in the path and in the body are the same. */
function nameParents({ validate }: DocumentClient, { body, marker }: MarkedBody, values: PathValues): MarkedBody {
  const parents = findLeaves(body.value).filter(
    ({ name, path, isInList }) => name !== marker?.name && Object.hasOwn(values, name) && path.length <= 2 && !isInList,
  );
  let named = body;
  for (const { name, path, value } of parents) {
    const own = typeof value === 'number' ? Number(values[name]) : values[name];
    const changed = { ...named, value: replaceAt(named.value, path, own) };
    if (validateBody(validate)(changed)) named = changed;
  }
  return marker ? { body: named, marker } : { body: named };
}

/** Sends a body; if there is a conflict with an entity of the same values, other texts. */
async function sendUnique(
  client: DocumentClient,
  request: { operation: Operation; path: PathValues },
  marked: MarkedBody | undefined,
): Promise<CheckedReply> {
  const reply = await client.send({ ...request, body: marked?.body });
  if (reply.status !== 409 || !marked) return reply;
  const { marker } = marked;
  const number = client.nextNumber();
  let { body } = marked;
  for (const { path, name, value } of findLeaves(marked.body.value)) {
    if (typeof value !== 'string' || (marker?.name === name && marker.value === value)) continue;
    const changed = { ...body, value: replaceAt(body.value, path, `${value}${number}`) };
    if (client.validate(body.schema, changed.value, 'request').length === 0) body = changed;
  }
  return client.send({ ...request, body });
}

/** Returns the created entity of a response: the body, or the entry with the marker if the only ids are in a list. */
function newEntity({ body }: CheckedReply, idName: string, marker: Marker | undefined): unknown {
  if (!Array.isArray(body) && findIds(idName, null, body).length > 0) return body;
  const marked = marker && findEntry(body, (entry) => hasProperty(entry, marker.name, marker.value));
  return marked ?? findEntry(body) ?? body;
}

function newId({ document }: DocumentClient, operation: Operation, { idName }: Resource, number: number): string {
  const parameter = operation.parameters.find(({ name, in: place }) => place === 'path' && name === idName) ?? {};
  const { type, format } = document.resolve(parameter.schema);
  if (type === 'integer') return String(1_000 + number);
  if (format === 'uuid') return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
  const { enum: values, pattern } = document.resolve(parameter.schema);
  return values || pattern ? generateParameter(document, { ...parameter, example: undefined }) : `new-${number}`;
}

/** Generates the body of a change with a marker; the id in it is the entity's. Returns undefined if there is no body, and null if no valid one was found. */
export function createBody(
  client: DocumentClient,
  operation: Operation,
  { resource, number, id }: { resource: Resource; number: number; id: string | undefined },
): MarkedBody | null | undefined {
  const { document, validate } = client;
  const body = generateBody(operation, { document, validate, number });
  if (!body) return body;
  const fixed = id ?? getNewId(client, resource, body, number);
  const aligned = fixed === undefined ? body : alignId(validateBody(validate), body, resource, fixed);
  const read = resource.read ?? resource.list;
  return read ? markBody(document, validate, { body: aligned, read, number, fixed: fixed ?? '' }) : { body: aligned };
}

/** Returns an id for a body that has one, if the path does not accept every text. */
function getNewId(client: DocumentClient, resource: Resource, { value }: RequestBody, number: number) {
  const operation = resource.read ?? resource.replace ?? resource.update ?? resource.remove;
  const own = findLeaves(value).find((leaf) => isOwnId(leaf, resource) && rankId(leaf, resource.idName) === 0);
  if (!own || !operation || canBeId(client, resource, operation, 'Any text')) return undefined;
  const id = String(own.value);
  return canBeId(client, resource, operation, id) ? id : newId(client, operation, resource, number);
}

/** Returns whether a property of a body can be the id of the entity. */
function isOwnId(leaf: Leaf, { idName }: Resource): boolean {
  return (rankId(leaf, idName) ?? 2) < 2 && !leaf.isInList && leaf.path.length <= 2;
}

function validateBody(validate: DocumentClient['validate']): (body: RequestBody) => boolean {
  return ({ schema, value }) => validate(schema, value, 'request').length === 0;
}

/** Sets the properties of a body that are the entity's id. */
function alignId(
  isValid: (body: RequestBody) => boolean,
  body: RequestBody,
  resource: Resource,
  id: string,
): RequestBody {
  let aligned = body;
  for (const leaf of findLeaves(body.value).filter((one) => isOwnId(one, resource))) {
    const value = typeof leaf.value === 'number' ? Number(id) : id;
    const changed = { ...aligned, value: replaceAt(aligned.value, leaf.path, value) };
    if (isValid(changed)) aligned = changed;
  }
  return aligned;
}

/** Returns values for the required query parameters of a list, from the properties of an entity that have their names. */
export function listQuery({ list }: Resource, bodies: readonly unknown[]): Readonly<Record<string, string>> {
  const required = (list?.parameters ?? []).filter((one) => one.in === 'query' && one.required === true);
  const leaves = bodies.flatMap((body) => findLeaves(body));
  const pairs = required.flatMap(({ name }) => {
    // A reference is either the id itself or an object with an id.
    const leaf = leaves.find((one) => one.name === name || one.path.at(-2) === name);
    return leaf ? [[String(name), String(leaf.value)]] : [];
  });
  return Object.fromEntries(pairs);
}

/** Returns whether a text can be the value of a resource's path parameter. */
export function canBeId({ validate }: DocumentClient, { idName }: Resource, operation: Operation, id: string): boolean {
  const parameter = operation.parameters.find(({ name, in: place }) => place === 'path' && name === idName);
  if (parameter?.schema === undefined) return true;
  const values = [id, ...(id.trim() === '' ? [] : [Number(id)])];
  return values.some((value) => validate(parameter.schema, value, 'request').length === 0);
}
