import type { DocumentClient } from './client.ts';
import type { Operation } from './document.ts';
import { createEntity, creatingOperation, type PathValues } from './entities.ts';
import { findIds } from './entity.ts';
import { generateParameter } from './request.ts';
import type { Resource } from './resources.ts';

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
      const id = resource ? await this.#idOf(resource, operation, { name, values }) : this.#generate(name, operation);
      values = { ...values, [name]: id };
    }
    return values;
  }

  async #idOf(
    resource: Resource,
    operation: Operation,
    { name, values }: { name: string; values: PathValues },
  ): Promise<string> {
    const key = template(resource.itemPath);
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    const own = rename(values, resource);
    const id =
      (await this.#create(resource, own)) ??
      (await this.#firstListed(resource, own)) ??
      this.#generate(name, operation);
    this.#ids.set(key, id);
    return id;
  }

  async #create(resource: Resource, values: PathValues): Promise<string | undefined> {
    if (!creatingOperation(resource)) return undefined;
    const { reply, ids } = await createEntity(this.#client, resource, values);
    return reply && reply.status >= 200 && reply.status < 300 ? ids[0] : undefined;
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
