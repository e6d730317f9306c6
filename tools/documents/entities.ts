import type { CheckedReply, DocumentClient } from './client.ts';
import type { Node, Operation } from './document.ts';
import { findIds } from './entity.ts';
import { type MarkedBody, type Marker, markBody } from './marker.ts';
import { generateParameter } from './request.ts';
import { findLeaves, generateBody, type RequestBody, replaceAt } from './request-body.ts';
import type { Resource } from './resources.ts';

/** Values of path parameters by name. */
export type PathValues = Readonly<Record<string, string>>;

/** The result of an attempt to create an entity. */
export interface Creation {
  readonly operation: Operation;
  readonly reply?: CheckedReply;
  /** What may be the id, the most likely first. */
  readonly ids: readonly string[];
  readonly marker?: Marker | undefined;
  /** Why no request could be sent. */
  readonly obstacle?: string;
}

/** Returns the operation that creates entities of a resource: POST, or a PUT that documents status 201. */
export function creatingOperation({ create, replace }: Resource): Operation | undefined {
  const isCreating = (replace?.node.responses as Node | undefined)?.['201'] !== undefined;
  return create ?? (isCreating ? replace : undefined);
}

/** Creates an entity of a resource with a body that no other entity has. */
export async function createEntity(client: DocumentClient, resource: Resource, values: PathValues): Promise<Creation> {
  const operation = creatingOperation(resource);
  if (operation === undefined) throw new TypeError(`${resource.collectionPath} has no operation that creates`);
  const number = client.nextNumber();
  const id = operation === resource.replace ? newId(client, operation, resource, number) : undefined;
  const path = { ...values, ...(id === undefined ? {} : { [resource.idName]: id }) };
  const marked = createBody(client, operation, { resource, number, id });
  if (marked === null) return { operation, ids: [], obstacle: 'no valid body could be generated' };
  const reply = await sendUnique(client, { operation, path }, marked);
  const location = reply.headers.get('location');
  const ids = findIds(resource.idName, location, reply.body, marked?.body.value);
  return { operation, reply, ids: id === undefined ? ids : [id], marker: marked?.marker };
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
  { document, validate }: DocumentClient,
  operation: Operation,
  { resource, number, id }: { resource: Resource; number: number; id: string | undefined },
): MarkedBody | null | undefined {
  const body = generateBody(operation, { document, validate, number });
  if (!body) return body;
  const aligned = id === undefined ? body : alignId(validateBody(validate), body, resource, id);
  const read = resource.read ?? resource.list;
  return read ? markBody(document, validate, { body: aligned, read, number, fixed: id ?? '' }) : { body: aligned };
}

function validateBody(validate: DocumentClient['validate']): (body: RequestBody) => boolean {
  return ({ schema, value }) => validate(schema, value, 'request').length === 0;
}

/** Sets the property of a body that is the entity's id. */
function alignId(
  isValid: (body: RequestBody) => boolean,
  body: RequestBody,
  { idName }: Resource,
  id: string,
): RequestBody {
  const names = [idName, 'id'];
  const leaf = findLeaves(body.value).find(
    ({ name, path, isInList }) => !isInList && path.length <= 2 && names.includes(name),
  );
  if (!leaf) return body;
  const value = typeof leaf.value === 'number' ? Number(id) : id;
  const aligned = { ...body, value: replaceAt(body.value, leaf.path, value) };
  return isValid(aligned) ? aligned : body;
}
