import type { Route } from '../openapi/routes.ts';

/** A path parameter that identifies an entry or its parent, and the place of its value in an entry. */
export interface PathKey {
  /** The name of the path parameter. */
  readonly parameter: string;
  /**
   * The property of the entry that has the value, with the names of nested properties separated by dots: `metadata.name`. Undefined if the schema has none. Then
   * the value is stored in `PATH_VALUES`, by `name`.
   */
  readonly property: string | undefined;
  /** The name of the value in `PATH_VALUES`. */
  readonly name: string;
  /** The JSON Pointer of the schema of the value. */
  readonly schema: string;
}

/** The id of a resource without a path parameter for it, such as a singleton. */
export const NO_ID: PathKey = { parameter: '', property: undefined, name: '', schema: '' };

/** The property of an entry in the state with the path values that its schema has no properties for. It is never sent. */
export const PATH_VALUES = '$path';

/** The parent of an entry: `/owners/{ownerId}` in `/owners/{ownerId}/pets`. `path`: the path template of the parent. */
export interface Parent extends PathKey {
  readonly path: string;
}

/** The paths at which a resource is served. A resource has several mounts if it is served as part of a parent and without it. */
export interface Mount {
  /** The path template of the list: `/owners/{ownerId}/pets`. */
  readonly collection: string;
  /** The path template of an entry; undefined if this mount has none. */
  readonly item: string | undefined;
  /** The parents, from the outermost to the innermost. */
  readonly parents: readonly Parent[];
  /** The path parameter of the id. For a mount without `item`, the id of the resource. */
  readonly id: PathKey;
}

/** A resource: a list of entries that operations create, read, change and delete. A singleton has one entry for each parent. */
export interface Resource {
  /** The name of the list in the state. */
  readonly name: string;
  /** The name of an entry in sentences: `pet` for `pets`. */
  readonly singular: string;
  readonly kind: 'collection' | 'singleton';
  /** The JSON Pointer of the schema of an entry. */
  readonly schema: string;
  /** The property with the id; undefined if the id is only in the path. */
  readonly id: PathKey;
  readonly mounts: readonly Mount[];
  /** The name of the resource whose entries are the members of this resource: `users` for `PUT /teams/{teamId}/members/{username}` without a body. */
  readonly memberOf?: string | undefined;
  /** Whether an operation creates entries. If none does, seeds are generated. */
  readonly canCreate: boolean;
  /** Whether POST on the collection creates entries. */
  readonly canPost: boolean;
  /** Whether an operation deletes entries. */
  readonly canDelete: boolean;
}

/** What an operation does with a resource. `update`: changes the properties in the body. `replaceById`: the id is in the body. */
export type Action = 'list' | 'create' | 'read' | 'replace' | 'replaceById' | 'update' | 'delete' | 'clear';

/** The implementation of an operation: an action on a resource. */
export interface Plan {
  readonly route: Route;
  readonly action: Action;
  readonly resource: Resource;
  readonly mount: Mount;
  /** The property names that lead to the entry in the request body. */
  readonly requestPath: readonly string[];
  /** The property names that lead to the part of the entry that the request body describes: `attributes` of a JSON:API resource. */
  readonly entryPath: readonly string[];
  /** The property names that lead to the entry, or to the list, in the body of the success response. */
  readonly responsePath: readonly string[];
}

/** A mocked operation below an entry: `POST /pets/{petId}/feed`. */
export interface MockedPlan extends Pick<Plan, 'route' | 'mount'> {
  /** The plan that reads the entry, if the response of the operation is the entry. */
  readonly entry: Plan | undefined;
}

/** The resources of a document, and what each operation does. */
export interface Inference {
  readonly resources: readonly Resource[];
  /** The plans of the operations that are real. */
  readonly plans: ReadonlyMap<string, Plan>;
  /** The plans of the mocked operations that need an entry. */
  readonly mockedPlans: ReadonlyMap<string, MockedPlan>;
  /** The reasons why the other operations are mocked. All maps have the keys of `getRouteKey`. */
  readonly reasons: ReadonlyMap<string, string>;
}

/** Returns the key of an operation in an `Inference`. */
export function getRouteKey({ method, path }: Pick<Route, 'method' | 'path'>): string {
  return `${method} ${path}`;
}
