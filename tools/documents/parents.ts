import type { DocumentClient } from './client.ts';
import type { Operation } from './document.ts';
import { createEntity, creatingOperation, type PathValues } from './entities.ts';
import { findIds } from './entity.ts';
import { generateParameter } from './request.ts';
import { generateBody } from './request-body.ts';
import { getSuccessSchema, type Resource } from './resources.ts';

/** The ways to find a parent: the resource at its path, and the same entities with the POST of another path. */
interface Parent {
  readonly resource: Resource | undefined;
  readonly elsewhere: Resource | undefined;
}

/** Finds values for path parameters: entities that exist, where the document has resources for them. Creates one entity of each resource. */
export class ParentEntities {
  readonly #client: DocumentClient;
  readonly #resources: readonly Resource[];
  readonly #ids = new Map<string, string>();

  constructor(client: DocumentClient, resources: readonly Resource[]) {
    this.#client = client;
    this.#resources = resources;
  }

  /** Returns values for all parameters in the path of an operation, which may be longer than `path`. */
  async values(path: string, operation: Operation): Promise<PathValues> {
    let values: PathValues = {};
    for (const { 0: text, 1: name = '', index } of path.matchAll(/\{([^{}]+)\}/g)) {
      const prefix = path.slice(0, index + text.length);
      const resource = this.#resources.find(({ itemPath }) => template(itemPath) === template(prefix));
      const elsewhere = this.#findElsewhere(prefix, name);
      const id = resource || elsewhere ? await this.#idOf({ resource, elsewhere }, prefix, values) : undefined;
      values = { ...values, [name]: id ?? this.#generate(name, operation) };
      if (!resource && !elsewhere && path.startsWith(`${prefix}/`)) await this.#put(prefix, values);
    }
    return values;
  }

  /** Returns the id of a parent that is created, listed, or created at another path. */
  async #idOf({ resource, elsewhere }: Parent, itemPath: string, values: PathValues): Promise<string | undefined> {
    const key = template(itemPath);
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    const id =
      (resource && (await this.#findOwn(resource, values))) ?? (elsewhere && (await this.#createAt(elsewhere, values)));
    if (id !== undefined) this.#ids.set(key, id);
    return id;
  }

  async #findOwn(resource: Resource, values: PathValues): Promise<string | undefined> {
    const own = rename(values, resource);
    return (await this.#create(resource, own)) ?? (await this.#firstListed(resource, own));
  }

  async #create(resource: Resource, values: PathValues): Promise<string | undefined> {
    if (!creatingOperation(resource)) return undefined;
    const { reply, ids } = await createEntity(this.#client, resource, values);
    if (!reply || reply.status >= 300) return undefined;
    const { read, idName } = resource;
    for (const id of read && ids.length > 1 ? ids : []) {
      const found = await this.#client.send({ operation: read as Operation, path: { ...values, [idName]: id } });
      if (found.status < 300) return id;
    }
    return ids[0];
  }

  async #createAt(resource: Resource, values: PathValues): Promise<string | undefined> {
    const { collectionPath, create } = resource;
    return this.#create(resource, { ...values, ...(await this.values(collectionPath, create as Operation)) });
  }

  /** Finds a POST at another path whose response is the parent: `/posts/{post_id}/comments` for `/comments/{comment_id}`, or `/terms` for `/terms/{language}/{term}`. */
  #findElsewhere(itemPath: string, idName: string): Resource | undefined {
    const collectionPath = itemPath.slice(0, itemPath.lastIndexOf('/'));
    const { operations } = this.#client.document;
    const own = operations.filter(({ path }) => template(path) === template(itemPath));
    const create = operations.find((one) => {
      const isOther = one.method === 'POST' && one.path !== collectionPath && !one.path.startsWith(`${itemPath}/`);
      return (
        isOther &&
        (lastSegment(one.path) === lastSegment(collectionPath) || collectionPath.startsWith(`${one.path}/{`)) &&
        own.some((other) => this.#isSame(one, other))
      );
    });
    return create && { collectionPath: create.path, itemPath, idName, create };
  }

  #isSame(one: Operation, other: Operation): boolean {
    const { document } = this.#client;
    const [shown, known] = [one, other].map((operation) => document.resolve(getSuccessSchema(document, operation)));
    return shown === known && Object.keys(shown ?? {}).length > 0;
  }

  /** Creates the parent at a path that no operation lists, if a PUT can. */
  async #put(path: string, values: PathValues): Promise<void> {
    const { document, validate } = this.#client;
    const operation = document.operations.find((one) => one.method === 'PUT' && template(one.path) === template(path));
    const body = operation && generateBody(operation, { document, validate, number: this.#client.nextNumber() });
    if (operation && body) await this.#client.send({ operation, path: values, body });
  }

  async #firstListed({ list, idName }: Resource, values: PathValues): Promise<string | undefined> {
    if (!list) return undefined;
    const { body } = await this.#client.send({ operation: list, path: values });
    return findIds(idName, null, findEntry(body))[0];
  }

  #generate(name: string, { parameters }: Operation): string {
    const parameter = parameters.find((one) => one.in === 'path' && one.name === name);
    return parameter ? generateParameter(this.#client.document, parameter) : 'unknown';
  }
}

/** Returns the first entry of a list, bare or wrapped, for which a condition holds. */
export function findEntry(body: unknown, holds: (entry: unknown) => boolean = () => true): unknown {
  if (Array.isArray(body)) return body.find(holds);
  if (typeof body !== 'object' || body === null) return undefined;
  const inner = Object.values(body);
  const entries = inner.filter(Array.isArray).map((one) => findEntry(one, holds));
  const deeper = inner.filter((value) => !Array.isArray(value)).map((value) => findEntry(value, holds));
  return [...entries, ...deeper].find((entry) => entry !== undefined);
}

function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Returns a path without the names of its parameters. */
function template(path: string): string {
  return path.replace(/\{[^{}]+\}/g, '{}').replace(/(\.[a-z]+)?\/?$/, '');
}

/** The same parameters can have other names in the paths of a resource. */
function rename(values: PathValues, { itemPath }: Resource): PathValues {
  const given = Object.values(values);
  const names = [...itemPath.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name);
  return Object.fromEntries(names.slice(0, given.length).map((name, index) => [name, given[index] ?? 'unknown']));
}
