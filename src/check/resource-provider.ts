import type { Route } from '../openapi/routes.ts';
import { normalizeName } from '../util/names.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { sendAccepted } from './accepted-requests.ts';
import type { CheckContext } from './check-context.ts';
import { sendIfAvailable } from './confirm-findings.ts';
import { type Exchange, isMocked, isSuccess, type ReceivedResponse } from './exchange.ts';
import { findListedIds, findListedValues } from './ids.ts';
import { getCreatedId } from './life-cycles.ts';
import type { KnownResource, Pool } from './pool.ts';
import {
  getItemParameter,
  getPathParameters,
  getPoolName,
  isCollectionElsewhere,
  isItemPath,
  type PathParameter,
} from './pool.ts';
import { type RequestValues, toRequest } from './requests.ts';
import { pickIds } from './valid-requests.ts';

/** The number of attempts to create a resource: with the ids of known parents, and with other ids. */
const MAX_ATTEMPTS = 2;

/** The maximum number of listed resources whose ids are stored. */
const MAX_LISTED = 20;

/** The maximum number of parent resources whose nested resources are listed. */
const MAX_PARENTS = 5;

/** Matches the end of the path of a list of some resources of a collection: `/bookings/my`. */
const LIST_SEGMENT = /\/(?:my|mine|own|all|list)$/i;

/**
 * The operations that provide ids for a path such as `/things/{id}`.
 * For example, `GET /things` lists ids, and `POST /things` creates a thing with a new id.
 */
export interface IdSource {
  /** The parameter `id` of the path. */
  readonly place: PathParameter;
  /**
   * Parameters with another name at the same position: `reference` if there is also a path `/things/{reference}/notes`.
   */
  readonly aliases: readonly PathParameter[];
  /** The path parameters before `id`, or those of the collection, which identify the parent resources. */
  readonly parents: readonly PathParameter[];
  /** An operation of the path, or of a path below it if there is none. */
  readonly item: Route;
  readonly list: Route | undefined;
  readonly create: Route | undefined;
  /** `PUT /things/{id}`, or `POST /things/{id}`. */
  readonly put: Route | undefined;
}

/**
 * Returns the operations that provide ids, for each path such as `/things/{id}`.
 * A path such as `/things/{id}/read` also needs ids of things if there is no operation of `/things/{id}`.
 * Outer resources come before nested resources.
 */
export function findIdSources(routes: readonly Route[]): readonly IdSource[] {
  const paths = [...new Set(routes.map(({ path }) => path))];
  const places = paths.flatMap(getPathParameters);
  const itemPaths = new Set(paths.map((path) => (getItemParameter(path) ? path : getParentPath(path))));
  const sources = [...itemPaths].flatMap((path) => {
    const items = routes.filter((route) => route.path === path);
    const item = items[0] ?? routes.find((route) => getParentPath(route.path) === path);
    const place = getItemParameter(path);
    if (!item || !place) return [];
    const find = (isCollection: (collectionPath: string) => boolean) =>
      ['GET', 'POST'].map((method) => routes.find((one) => one.method === method && isCollection(one.path)));
    const own = find((collectionPath) => isItemPath(path, collectionPath));
    const hasOwn = own.some((route) => route !== undefined);
    const [whole, create] = hasOwn ? own : find((collectionPath) => isCollectionElsewhere(collectionPath, path));
    const list = whole ?? find((listPath) => isItemPath(path, listPath.replace(LIST_SEGMENT, '')))[0];
    if (items.length === 0 && !list && !create) return [];
    const put = items.find(({ method }) => method === 'PUT') ?? items.find(({ method }) => method === 'POST');
    const aliases = places.filter((other) => other.path === place.path && other.parameter !== place.parameter);
    const parents = hasOwn ? [] : getPathParameters((list ?? create)?.path ?? '');
    const outer = parents.length > 0 ? parents : getPathParameters(path).slice(0, -1);
    return [{ place, aliases, parents: outer, item, list, create, put }];
  });
  return sources.toSorted((one, other) => one.parents.length - other.parents.length);
}

/** Returns a path up to its last parameter: `/things/{id}` for `/things/{id}/read`; empty without a parameter. */
function getParentPath(path: string): string {
  return path.slice(0, path.lastIndexOf('}') + 1);
}

/**
 * Finds an id for each path parameter without a known id: lists the resources of the collection, or creates a resource.
 */
export class ResourceProvider {
  readonly #context: Pick<CheckContext, 'session' | 'requests' | 'seed'>;
  readonly #sources: readonly IdSource[];
  readonly #pool: Pool;
  readonly #failed = new Set<IdSource>();
  #attempts = 0;
  /** The version of the pool after the last call of `prepare`. */
  #preparedVersion = -1;

  constructor(context: Pick<CheckContext, 'session' | 'requests' | 'seed'>, sources: readonly IdSource[], pool: Pool) {
    this.#context = context;
    this.#sources = sources;
    this.#pool = pool;
  }

  /**
   * Finds an id for each path parameter without a known id.
   * Starts with the outer collections, because the path of a nested resource contains the id of its parent.
   * Does nothing if no ids were added or removed since the last call, because the check calls this method before each
   * request.
   */
  async prepare(): Promise<void> {
    const pool = this.#pool;
    if (pool.version === this.#preparedVersion) return;
    for (const source of this.#sources) {
      const { place, parents } = source;
      if (this.#failed.has(source) || pool.hasResource(place) || !hasParents(source, this.#sources, pool)) continue;
      await this.#findListed(source);
      for (let attempt = 0; attempt < MAX_ATTEMPTS && !pool.hasResource(place); attempt++)
        await this.#createResource(source, attempt);
      if (!pool.hasResource(place) && parents.length > 0) await this.#findBelowOthers(source);
      if (!pool.hasResource(place)) this.#failed.add(source);
    }
    this.#preparedVersion = pool.version;
  }

  /**
   * Lists the resources of a collection and adds their ids to the pool.
   * `index` selects one of the known parent resources.
   */
  async #findListed({ list, place, aliases }: IdSource, index = 0): Promise<void> {
    const { requests, seed } = this.#context;
    const found =
      list && (await this.#send(list, withParents(this.#pool, list, requests.createMinimal(list, seed), index)));
    const body = found?.response.body;
    const parents = toParents(list, found?.path);
    for (const id of findListedIds(place.parameter, body, MAX_LISTED)) this.#pool.addResource(place, { id, parents });
    for (const alias of aliases)
      for (const id of findListedValues(alias.parameter, body, MAX_LISTED))
        this.#pool.addResource(alias, { id, parents });
  }

  async #createResource({ create, put, place, aliases, item }: IdSource, attempt: number): Promise<void> {
    const { session, requests, seed } = this.#context;
    const pool = this.#pool;
    const route = create ?? put;
    if (!route) return;
    const made = await sendAccepted(
      { session, requests, seed: seed + this.#attempts++ },
      route,
      async (values) => (await this.#request(route, values))?.response,
      (values) => (attempt === 0 ? withParents(pool, route, values, 0, place) : values),
    );
    if (!made || isMocked(made.response)) return;
    const { values, response } = made;
    const id = create ? getCreatedId({ create, read: item }, values, response) : values.path[place.parameter];
    const parents = toParents(route, values.path, place);
    if (id !== undefined) pool.addResource(place, { id, parents });
    for (const alias of aliases)
      for (const value of findListedValues(alias.parameter, [response.body], 1))
        pool.addResource(alias, { id: value, parents });
  }

  /**
   * Lists the nested resources of one parent after another, until a nested resource is found.
   * First lists the parents again, because some may no longer be known: a deletion removes all resources with the same
   * id from the pool, even those of other paths.
   */
  async #findBelowOthers(source: IdSource): Promise<void> {
    const isParent = ({ place: { path } }: IdSource) => source.parents.some((parent) => parent.path === path);
    for (const parent of this.#sources.filter(isParent)) await this.#findListed(parent);
    for (let index = 0; index < MAX_PARENTS && !this.#pool.hasResource(source.place); index++)
      await this.#findListed(source, index);
  }

  /** Sends a request. Returns its path parameters and its response; undefined if the request fails. */
  async #send(route: Route, values: RequestValues | undefined) {
    const exchange = values && (await this.#request(route, values));
    return exchange && isFound(exchange.response) ? { path: values.path, response: exchange.response } : undefined;
  }

  async #request(route: Route, values: RequestValues): Promise<Exchange | undefined> {
    const exchange = await sendIfAvailable(this.#context.session, 'input', route, toRequest(route, values));
    if (exchange && isFound(exchange.response)) this.#pool.collectValues(route, exchange.response.body);
    return exchange;
  }
}

function isFound(response: ReceivedResponse): boolean {
  return isSuccess(response) && !isMocked(response);
}

/**
 * Returns whether an id is known for each parent in a path, such as `{ownerId}` in `/owners/{ownerId}/pets/{petId}`.
 * A parent counts as known if no operation returns its ids.
 */
function hasParents({ parents }: IdSource, sources: readonly IdSource[], pool: Pool): boolean {
  return parents.every(
    (parent) =>
      pool.getValues(parent.poolName).length > 0 ||
      // No operation returns the ids of some parents, so any value may be valid.
      !sources.some((other) => normalizeName(other.place.poolName) === normalizeName(parent.poolName)),
  );
}

/**
 * Returns a copy of a request with known ids of parent resources, such as `{ownerId}` in
 * `/owners/{ownerId}/pets/{petId}`.
 * `index` selects the parents, so that requests to different collections can use the same parents.
 * `own`: the parameter of the resource itself (`{petId}`), which does not change.
 */
function withParents(pool: Pool, route: Route, values: RequestValues | undefined, index: number, own?: PathParameter) {
  const atIndex: Parameters<typeof pickIds>[2] = { pick: (all) => all[index % all.length] as (typeof all)[number] };
  const ids = Object.entries(pickIds(route.path, pool, atIndex)).filter(([name]) => name !== own?.parameter);
  const parents = Object.fromEntries(ids.map(([name, id]) => [name, String(id)]));
  return values && { ...values, path: { ...values.path, ...parents } };
}

/** Removes the id of a resource from the pool after a successful DELETE request. */
export function removeDeletedId(pool: Pool, { path, pathNames, pathParameters }: Route, exchange: Exchange): void {
  const { request, response } = exchange;
  const name = pathNames.at(-1);
  if (request.method !== 'DELETE' || !isSuccess(response) || name === undefined) return;
  // `pathParameters` throws an error for invalid escapes.
  const id = tryOrUndefined(() => pathParameters(request.target.split('?')[0] ?? '')[name]);
  if (id !== undefined) pool.removeId(getPoolName(name, path), id);
}

/**
 * Returns the ids of the parent resources in the path of a request: `{ ownerid: 7 }` for `/owners/7/pets/2`.
 * `own`: the parameter of the resource itself, which is omitted.
 */
function toParents(
  route: Route | undefined,
  values: RequestValues['path'] = {},
  own?: PathParameter,
): KnownResource['parents'] {
  const places = getPathParameters(route?.path ?? '').filter((place) => place.path !== own?.path);
  return Object.fromEntries(places.map(({ parameter, poolName }) => [normalizeName(poolName), values[parameter]]));
}
