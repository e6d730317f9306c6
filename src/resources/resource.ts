import type { Route } from '../openapi/routes.ts';

/** A path parameter that identifies an entry or its parent, such as `petId`, and the property of the entry that has its value. */
export interface PathKey {
  /** The name of the path parameter. */
  readonly parameter: string;
  /**
   * The property of an entry that has the value of the path parameter, such as `id` or the nested property `metadata.name`. Undefined if the schema has no such
   * property. Then the value is stored in the entry's property `PATH_VALUES`, by `name`.
   */
  readonly property: string | undefined;
  /** A second property that identifies an entry, such as `name` for `{id_or_name}`. */
  readonly alias?: string | undefined;
  /** The name of the value in `PATH_VALUES`. */
  readonly name: string;
  /** The JSON Pointer of the schema of the property. If there is no property, that of the path parameter. */
  readonly schema: string;
  /** The JSON Pointer of the schema of the path parameter. Absent if `schema` already is the schema of the path parameter. */
  readonly pathSchema?: string;
}

/** The id of a resource that has no path parameter for an id, such as a singleton. */
export const NO_ID: PathKey = { parameter: '', property: undefined, name: '', schema: '' };

/** The property of a stored entry that has the path parameters for which its schema has no properties. This property is never sent to clients. */
export const PATH_VALUES = '$path';

/** A parent in the path of a resource: the owner in `/owners/{ownerId}/pets`. `path`: the path template of the parent, such as `/owners/{ownerId}`. */
export interface Parent extends PathKey {
  readonly path: string;
}

/**
 * A pair of paths at which a resource is served, such as `/pets` and `/pets/{petId}`. A resource has several mounts if its entries are served at several pairs,
 * such as also at `/owners/{ownerId}/pets`.
 */
export interface Mount {
  /** The path template of the list, such as `/owners/{ownerId}/pets`. */
  readonly collection: string;
  /** The path template of an entry, such as `/owners/{ownerId}/pets/{petId}`; undefined if there is no such path. */
  readonly item: string | undefined;
  /** The parents, from the outermost to the innermost. */
  readonly parents: readonly Parent[];
  /** The path parameter with the id of an entry. Without `item`, the id of the resource. */
  readonly id: PathKey;
}

/**
 * A REST resource: a list of entries that operations create, read, change and delete. A singleton, such as `/users/{userId}/settings`, has one entry for each
 * parent.
 */
export interface Resource {
  /** The name of the resource and of its list in the state, such as `pets`. */
  readonly name: string;
  /** The singular of the name, such as `pet`. */
  readonly singular: string;
  readonly kind: 'collection' | 'singleton';
  /** The JSON Pointer of the schema of an entry; empty if the document has none. */
  readonly schema: string;
  /** The path parameter and the property that identify an entry. */
  readonly id: PathKey;
  readonly mounts: readonly Mount[];
  /**
   * The name of the resource whose entries are listed here as members of a parent. An example is `users` for `/teams/{teamId}/members/{username}`, where PUT
   * without a body adds a user to a team.
   */
  readonly memberOf?: string | undefined;
  /** Whether an operation creates entries. If no operation creates entries, the default data has generated entries. */
  readonly canCreate: boolean;
  /** Whether POST on the collection creates entries. */
  readonly canPost: boolean;
  /** Whether an operation deletes entries. */
  readonly canDelete: boolean;
}

/**
 * What an operation does with a resource. `update`: changes only the properties in the body. `replaceById`: replaces the entry whose id is in the body.
 * `clear`: deletes all entries of a list.
 */
export type Action = 'list' | 'create' | 'read' | 'replace' | 'replaceById' | 'update' | 'delete' | 'clear';

/** What an operation does: its action, the resource, and where the entry is in its bodies. */
export interface Plan {
  readonly route: Route;
  readonly action: Action;
  readonly resource: Resource;
  readonly mount: Mount;
  /** The property names that lead to the entry in the request body; empty if the body is the entry. */
  readonly requestPath: readonly string[];
  /**
   * The property names that lead to the part of the entry that the request body describes, such as `['attributes']` for JSON:API; empty for the whole entry.
   */
  readonly entryPath: readonly string[];
  /** The property names that lead to the entry or the list in the success response, such as `['data', 'items']`; empty if the body is the entry or the list. */
  readonly responsePath: readonly string[];
}

/** The plan of a mocked operation. Its path can name entries that must exist: `POST /pets/{petId}/feed` requires the pet. */
export interface MockedPlan extends Pick<Plan, 'route' | 'mount'> {
  /** The plan that reads the entry, if the response of the operation is the entry itself; otherwise undefined. */
  readonly entry: Plan | undefined;
}

/** The inferred resources of a document, and what each operation does with them. */
export interface Inference {
  readonly resources: readonly Resource[];
  /** The plans of the operations that use stored entries, by method and path (see `getRouteKey`). */
  readonly plans: ReadonlyMap<string, Plan>;
  /** The plans of the mocked operations, by method and path (see `getRouteKey`). */
  readonly mockedPlans: ReadonlyMap<string, MockedPlan>;
  /** The reasons why operations are mocked, by method and path (see `getRouteKey`). */
  readonly reasons: ReadonlyMap<string, string>;
}

/** Returns the key of an operation in the maps of an `Inference`, such as `GET /pets`. */
export function getRouteKey({ method, path }: Pick<Route, 'method' | 'path'>): string {
  return `${method} ${path}`;
}
