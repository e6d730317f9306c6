import type { CheckedReply, DocumentClient } from './client.ts';
import type { Operation } from './document.ts';
import { canBeId, createBody, createEntity, creatingOperation, listQuery, type PathValues } from './entities.ts';
import { findIds, hasProperty, isListed, isListedWithoutId } from './entity.ts';
import type { Marker } from './marker.ts';
import { findInPages } from './pages.ts';
import { findEntry, type ParentEntities } from './parents.ts';
import type { Resource } from './resources.ts';

/** The steps of a life cycle in their order. `look up`: a resource that nobody can create is listed, and its first entry read. */
export type Step =
  | 'create'
  | 'read'
  | 'list'
  | 'replace'
  | 'patch'
  | 'read the change'
  | 'delete'
  | 'read the deleted'
  | 'list the rest'
  | 'look up';

/** A step that failed. */
export interface Failure {
  readonly step: Step;
  readonly operation: string;
  readonly text: string;
}

/** The life cycle of an entity of a resource. It is complete if there are no failures. */
export interface LifeCycle {
  readonly resource: Resource;
  readonly kind: 'created' | 'looked up';
  readonly steps: readonly Step[];
  readonly failures: readonly Failure[];
}

/** Runs the life cycle of a resource. Returns undefined if the resource can neither be created nor looked up. */
export async function runLifeCycle(
  client: DocumentClient,
  parents: ParentEntities,
  resource: Resource,
): Promise<LifeCycle | undefined> {
  const { read, list } = resource;
  const canBeCreated = creatingOperation(resource) !== undefined && (read ?? list) !== undefined;
  const first = creatingOperation(resource) ?? list;
  if (!first || !(canBeCreated || (list && read))) return undefined;
  const values = await parents.values(resource.collectionPath, first);
  const run = new LifeCycleRun(client, resource, values);
  if (canBeCreated) await run.create();
  else await run.lookUp();
  return { resource, kind: canBeCreated ? 'created' : 'looked up', steps: run.steps, failures: run.failures };
}

/** The values that identify an entity in a list. */
interface ListedEntity {
  readonly id: string;
  readonly marker?: Marker | undefined;
}

class LifeCycleRun {
  readonly steps: Step[] = [];
  readonly failures: Failure[] = [];
  readonly #client: DocumentClient;
  readonly #resource: Resource;
  readonly #values: PathValues;
  #query: Readonly<Record<string, string>> = {};
  /** The response that shows the new entity. */
  #shown: unknown;

  constructor(client: DocumentClient, resource: Resource, values: PathValues) {
    this.#client = client;
    this.#resource = resource;
    this.#values = values;
  }

  async create(): Promise<void> {
    const creation = await createEntity(this.#client, this.#resource, this.#values);
    const { operation, reply, marker, failure } = creation;
    if (!reply) return this.#fail('create', operation, failure ?? 'no response');
    this.#check('create', operation, reply, isSuccess(reply) ? undefined : describe(reply));
    if (!isSuccess(reply)) return;
    this.#query = listQuery(this.#resource, [reply.body, creation.sent]);
    const ids = creation.ids.filter((one) =>
      canBeId(this.#client, this.#resource, this.#resource.read ?? operation, one),
    );
    const found = (await this.#tryIds(ids, marker)) ?? (await this.#tryIds(await this.#findListed(marker), marker));
    const id = found ?? (await this.#failToRead(ids, marker));
    if (id === undefined) return this.#fail('read', operation, `no id in ${reply.text.slice(0, 200)}`);
    await this.#list('list', { id, marker }, true);
    await this.#change('replace', id);
    await this.#change('patch', id);
    await this.#remove(id);
  }

  async lookUp(): Promise<void> {
    const { list, read, idName } = this.#resource;
    if (!list || !read) return;
    const reply = await this.#client.send({ operation: list, path: this.#values, query: this.#query });
    this.#check('look up', list, reply, isSuccess(reply) ? undefined : describe(reply));
    const ids = findIds(idName, null, findEntry(reply.body)).filter((id) =>
      canBeId(this.#client, this.#resource, read, id),
    );
    let found: CheckedReply | undefined;
    for (const id of ids) {
      found = await this.#client.send({ operation: read, path: this.#itemPath(id) });
      if (isSuccess(found)) break;
    }
    // Without an entry, or without an id in it, nothing can be read.
    if (found)
      this.#check('look up', read, found, isSuccess(found) ? undefined : `${ids} was listed: ${describe(found)}`);
  }

  /** Reads the new entity by what may be its id. Returns its id; undefined if it is none of these. Without an operation for that, the first is taken. */
  async #tryIds(ids: readonly string[], marker: Marker | undefined): Promise<string | undefined> {
    const { read } = this.#resource;
    if (!read) return (await this.#findListed(marker))[0] ?? ids[0];
    for (const id of ids) {
      const reply = await this.#client.send({ operation: read, path: this.#itemPath(id) });
      if (!isSuccess(reply) || !hasMarker(reply, marker)) continue;
      this.#check('read', read, reply);
      this.#shown = reply.body;
      return id;
    }
    return undefined;
  }

  /** Records that the new entity can't be read by its most likely id. Returns this id. */
  async #failToRead([id]: readonly string[], marker: Marker | undefined): Promise<string | undefined> {
    const { read } = this.#resource;
    if (!read || id === undefined) return id;
    const reply = await this.#client.send({ operation: read, path: this.#itemPath(id) });
    this.#fail('read', read, `${readText(marker, id)} ${describe(reply)}`);
    return id;
  }

  /** Returns the ids of the listed entry with a marker, for a resource whose creation returns no id. */
  async #findListed(marker: Marker | undefined): Promise<readonly string[]> {
    const { list, idName } = this.#resource;
    if (!list || !marker) return [];
    const { body } = await this.#client.send({ operation: list, path: this.#values, query: this.#query });
    return findIds(
      idName,
      null,
      findEntry(body, (entry) => hasProperty(entry, marker.name, marker.value)),
    );
  }

  async #list(step: Step, entity: ListedEntity, isExpected: boolean): Promise<void> {
    const { list } = this.#resource;
    if (!list) return;
    const query = this.#query;
    const send = (more: Readonly<Record<string, string>>) =>
      this.#client.send({ operation: list, path: this.#values, query: { ...query, ...more } });
    const { reply, isFound } = await findInPages({ list, send }, ({ body }) => this.#isListed(body, entity));
    const isRight = isSuccess(reply) && isFound === isExpected;
    this.#check(
      step,
      list,
      reply,
      isRight ? undefined : `${entity.id} ${isExpected ? 'is missing in' : 'is in'} ${describe(reply)}`,
    );
  }

  #isListed(body: unknown, { id, marker }: ListedEntity): boolean {
    // The entries of some lists have no ids.
    const isMarked = marker !== undefined && hasProperty(body, marker.name, marker.value);
    return isMarked || isListed(body, id, this.#resource.idName) || isListedWithoutId(body, this.#shown, id);
  }

  async #change(step: 'replace' | 'patch', id: string): Promise<void> {
    const operation = step === 'replace' ? this.#resource.replace : this.#resource.update;
    if (!operation) return;
    const marked = createBody(this.#client, operation, {
      resource: this.#resource,
      number: this.#client.nextNumber(),
      id,
    });
    if (marked === null) return this.#fail(step, operation, 'no valid body could be generated');
    const reply = await this.#client.send({ operation, path: this.#itemPath(id), body: marked?.body });
    this.#check(step, operation, reply, isSuccess(reply) ? undefined : describe(reply));
    const { read } = this.#resource;
    if (!isSuccess(reply) || !read) return;
    const found = await this.#client.send({ operation: read, path: this.#itemPath(id) });
    const isRight = isSuccess(found) && hasMarker(found, marked?.marker);
    this.#check(
      'read the change',
      read,
      found,
      isRight ? undefined : `${readText(marked?.marker, id)} ${describe(found)}`,
    );
  }

  async #remove(id: string): Promise<void> {
    const { remove, read } = this.#resource;
    if (!remove) return;
    const marked = createBody(this.#client, remove, {
      resource: this.#resource,
      number: this.#client.nextNumber(),
      id,
    });
    const reply = await this.#client.send({ operation: remove, path: this.#itemPath(id), body: marked?.body });
    this.#check('delete', remove, reply, isSuccess(reply) ? undefined : describe(reply));
    if (!isSuccess(reply)) return;
    if (read) {
      const gone = await this.#client.send({ operation: read, path: this.#itemPath(id) });
      this.#check('read the deleted', read, gone, [404, 410].includes(gone.status) ? undefined : describe(gone));
    }
    await this.#list('list the rest', { id }, false);
  }

  #itemPath(id: string): PathValues {
    return { ...this.#values, [this.#resource.idName]: id };
  }

  #check(step: Step, operation: Operation, { status, issues }: CheckedReply, problem?: string): void {
    this.steps.push(step);
    if (problem !== undefined) this.#fail(step, operation, problem);
    else if (issues.length > 0) this.#fail(step, operation, `${status} is invalid: ${issues.join('; ').slice(0, 300)}`);
  }

  #fail(step: Step, { method, path }: Operation, text: string): void {
    this.failures.push({ step, operation: `${method} ${path}`, text });
  }
}

function isSuccess({ status }: CheckedReply): boolean {
  return status >= 200 && status < 300;
}

function hasMarker({ body }: CheckedReply, marker: Marker | undefined): boolean {
  return marker === undefined || hasProperty(body, marker.name, marker.value);
}

function readText(marker: Marker | undefined, id: string): string {
  return marker === undefined ? `${id}:` : `${id} with ${marker.name} ${JSON.stringify(marker.value)}:`;
}

function describe({ status, text }: CheckedReply): string {
  return `${status} ${text.slice(0, 300)}`;
}
