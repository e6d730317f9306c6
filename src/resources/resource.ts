import type { Route } from '../openapi/routes.ts';
import type { Passwords } from './users/passwords.ts';

/**
 * A path parameter that identifies an entry or its parent, such as `{petId}`, and the property of the entry with the
 * same value, such as `id`.
 */
export interface PathKey {
  /** The name of the path parameter. */
  readonly parameter: string;
  /**
   * The property with the value of the path parameter, such as `id` or the nested property `metadata.name`.
   * Undefined if the schema has no such property.
   * Then the entry stores the value in its hidden property `$path`.
   */
  readonly property: string | undefined;
  /** A second property that identifies an entry: `name` for `{id_or_name}`. */
  readonly alias?: string | undefined;
  /**
   * The key of the value in the hidden property `$path`.
   * It is used if the schema of the entry has no property for the path parameter.
   */
  readonly name: string;
  /**
   * The JSON Pointer of the property's schema.
   * If there is no property, the JSON Pointer of the path parameter's schema.
   */
  readonly schema: string;
  /**
   * The JSON Pointer of the schema of the path parameter.
   * Absent if `schema` already is the schema of the path parameter.
   */
  readonly pathSchema?: string;
}

/** The `PathKey` of a resource without ids, such as a singleton. */
export const NO_ID: PathKey = { parameter: '', property: undefined, name: '', schema: '' };

/**
 * A hidden property of stored entries, which is never sent to clients.
 * It contains the path parameters for which the schema of the entry has no properties.
 */
export const PATH_VALUES = '$path';

/**
 * A parent in the path of a resource: the owner in `/owners/{ownerId}/pets`.
 * `path`: the path template of the parent, such as `/owners/{ownerId}`.
 */
export interface Parent extends PathKey {
  readonly path: string;
  /** The type beside the id of the parent in a resource object of JSON:API, such as `members`. */
  readonly type?: string;
  /**
   * Whether the parent is the user who sends the request, as in `/me/tasks`.
   * Then the path has no parameter for it, and the name of its value is `SENDER`, or `OWNER` with `members`.
   */
  readonly isSender?: boolean;
  /**
   * Whether only the words of the document say that the list has the entries of this user, and not the path.
   * Then it has all entries if the credentials name no user, and a request can create an entry for another user.
   */
  readonly isDescribed?: boolean;
  /**
   * The members of the entries, to whom the entries also belong: the name of their resource, and where a member has the
   * id of the user and that of the entry.
   */
  readonly members?: { readonly resource: string; readonly user: PathKey; readonly entry: Parent };
}

/** The name under which the path parameters of a request below `/me` have the id of the user who sends it. */
export const SENDER = '$user';

/**
 * The name under which they have the id of the user to whom an entry with members belongs, if the sender is a member.
 * Otherwise, it has the id of the sender.
 */
export const OWNER = '$owner';

/** Returns whether a path has no parameters for parents. */
export function isTopLevel(mount: Mount | undefined): boolean {
  return mount?.parents.every(({ isSender }) => isSender) === true;
}

/**
 * The path of a list and the path of its entries, such as `/pets` and `/pets/{petId}`.
 * A resource can have several mounts: pets can also be at `/owners/{ownerId}/pets`.
 */
export interface Mount {
  /** The path template of the list, such as `/owners/{ownerId}/pets`. */
  readonly collection: string;
  /** The path template of an entry, such as `/owners/{ownerId}/pets/{petId}`; undefined if there is no such path. */
  readonly item: string | undefined;
  /** The parents in the path, from the outermost to the innermost. */
  readonly parents: readonly Parent[];
  /**
   * The path parameter with the id of an entry, and the property for it.
   * If `item` is undefined, the same as the id of the resource.
   */
  readonly id: PathKey;
  /**
   * The JSON Pointer of the schema in which a path such as `/profiles/{username}` shows an entry of the users.
   * Undefined if it is the schema of the resource.
   */
  readonly shown?: string;
  /**
   * Where entries say which user they are, if the path is that of the entry of the user who sends a request, such as
   * `/teams/{teamId}/members/me`.
   */
  readonly ownKeys?: readonly PathKey[];
  /** Whether only the path of an entry exists, and leads past the list of the entries. */
  readonly isItemOnly?: boolean;
  /** Which entries the path shows. Undefined if it shows all, or those of the parents. */
  readonly view?: View;
  /**
   * The property in which the path shows the entries below an entry, and the property with the id of the entry above:
   * `children` and `parentId` for `/categories/tree`.
   */
  readonly tree?: { readonly children: string; readonly parent: string };
}

/** Which entries a path such as `/tasks/overdue` shows, and in which order. */
export interface View {
  /** The values that properties must have, or must not have. */
  readonly values: readonly { readonly property: string; readonly value: unknown; readonly isEqual: boolean }[];
  /** The dates and times that must be before now (`below`), or not before now (`least`). */
  readonly times: readonly { readonly property: string; readonly comparison: 'below' | 'least' }[];
  readonly order: { readonly property: string; readonly isDescending: boolean } | undefined;
}

/**
 * A REST resource.
 * A collection, such as `/pets`, has a list of entries.
 * A singleton, such as `/users/{userId}/settings`, has one entry for each parent.
 */
export interface Resource {
  /** The name of the resource, such as `pets`. The state has its entries under this name. */
  readonly name: string;
  /** The singular of the name, such as `pet`. */
  readonly singular: string;
  readonly kind: 'collection' | 'singleton';
  /** The JSON Pointer of the schema of an entry; empty if the document has none. */
  readonly schema: string;
  /** The JSON Pointers of other schemas in which responses show an entry, such as that of a public profile. */
  readonly otherSchemas?: readonly string[];
  /** The path parameter and the property that contain the id of an entry. */
  readonly id: PathKey;
  /**
   * If the id is that of another entry, such as `participantId`: where entries have the other ids that belong to it,
   * such as the event of `POST /events/{eventId}/availability`.
   * Two entries can have the same id with different other ones.
   */
  readonly pairedIds?: readonly PathKey[];
  readonly mounts: readonly Mount[];
  /**
   * If the entries are members of a parent, the resource with the data of the members.
   * For `/teams/{teamId}/members/{username}`, this is `users`.
   */
  readonly memberOf?: string | undefined;
  /** If the entries say how two users are related, and have no id of their own: the property with the other user. */
  readonly relation?: { readonly object: string } | undefined;
  /** If the entries are objects in a list of other entries, such as the lines of an invoice: where they are. */
  readonly part?: { readonly of: Resource; readonly property: string } | undefined;
  /** Whether an operation creates entries. If not, the default data contains examples or generated entries. */
  readonly canCreate: boolean;
  /** The properties that the body of the POST of a new entry requires. */
  readonly requiredToCreate?: readonly string[];
  /** Whether POST on the collection creates entries. */
  readonly canPost: boolean;
  /** Whether an operation deletes entries. */
  readonly canDelete: boolean;
  /** If the entries are deleted ones of another resource: its name, and what the deletion of an entry changes in it. */
  readonly trashOf?: { readonly name: string; readonly marks: Effect } | undefined;
}

/**
 * The query parameter with which a list shows deleted entries.
 * `only`: its value for only these. `all`: its value for all entries.
 */
export interface TrashQuery {
  readonly name: string;
  readonly only?: string;
  readonly all?: string;
}

/**
 * What an operation does with a resource.
 * `update`: changes only the properties in the body.
 * `replaceById`, `updateById`: change the entry whose id is in the body.
 * `clear`: deletes all entries of a list.
 * `logIn`: returns a token of a user, and creates the user first if it is a registration.
 * `logOut`: ends the token of the request.
 * `setPassword`: changes the password of a user.
 * `count`: returns numbers of entries, for example `GET /statistics`.
 * `act`: changes an entry as the name of the action says, for example `POST /tasks/{taskId}/complete`.
 * `restore`: takes the deletion of an entry back.
 */
export type Action =
  | 'list'
  | 'create'
  | 'read'
  | 'replace'
  | 'replaceById'
  | 'update'
  | 'updateById'
  | 'delete'
  | 'clear'
  | 'act'
  | 'copy'
  | 'restore'
  | 'count'
  | 'logIn'
  | 'logOut'
  | 'setPassword';

/** How an operation logs a user in, registers one, or issues another token (RFC 6749). */
export interface Login {
  /** The property names that lead to the credentials in the request body. */
  readonly requestPath: readonly string[];
  /**
   * The names of the properties with the login, such as `email`, and the password. Undefined if it has none.
   * `others`: further properties with a login, such as `username`. A request can have any of them.
   */
  readonly credentials:
    | { readonly login: string; readonly password: string; readonly others: readonly string[] }
    | undefined;
  /** The name of the property with a refresh token. */
  readonly refreshToken: string | undefined;
  /** The name of the property with the id of an OAuth 2 client. */
  readonly clientId: string | undefined;
  /** The property names that lead to the token in the response. Undefined if it has none. */
  readonly token: readonly string[] | undefined;
  /** The property names that lead to the user in the response. Undefined if it has none. */
  readonly user: readonly string[] | undefined;
  readonly isRegistration: boolean;
  /** The word before the names of the credentials of the first user of a tenant: `admin` for `adminEmail`. */
  readonly prefix?: string;
  /** Whether the login and the password are in the header of HTTP Basic authentication (RFC 7617). */
  readonly isBasic?: boolean;
  /** Whether a request without a body gets another token for that in its header. */
  readonly isTokenRefresh?: boolean;
  /**
   * The users that a login with an unknown name creates: `any` if no operation registers or lists users, and `first` if
   * only users can create others.
   */
  readonly creates?: 'any' | 'first' | undefined;
}

/** The entries that an action on several entries of a list changes or deletes. */
export interface BulkAction {
  readonly verb: string;
  /**
   * The property names that lead to the ids in the request body, such as `['ids']`.
   * Empty if the body is the list of ids. Undefined if the action is for all entries.
   */
  readonly ids: readonly string[] | undefined;
}

/** What an action such as `complete` changes in an entry. */
export interface Effect {
  readonly values: readonly { readonly property: string; readonly value: unknown }[];
  /** The property that is set to the current time, or that the action removes. */
  readonly time: { readonly property: string; readonly isSet: boolean } | undefined;
  /** The number that the action changes by 1, or by the number of the same name in the body. */
  readonly counter: { readonly property: string; readonly step: 1 | -1; readonly isSent?: boolean } | undefined;
  /** Whether the action also sets the properties in the request body. */
  readonly setsBody: boolean;
  /** The properties in the request body that have no effect, such as `note`. */
  readonly ignored?: readonly string[];
  /** The properties in the request body that set one with another name: `cancellationReason` for `reason`. */
  readonly copies?: readonly { readonly from: string; readonly to: string }[];
  /** The boolean that the action changes to its other value. The time is set if it becomes true, and else removed. */
  readonly toggles?: string;
  /** Whether the action also takes the mark in `values` back, if the user (or without users the entry) has it. */
  readonly takesBack?: boolean;
  /** Whether the action leads back to an earlier state, as `reopen` does. */
  readonly isUndo?: boolean;
  /** The times of other actions that the action removes: `completedAt` for `reopen`. */
  readonly clears?: readonly string[];
  /** The states of an entry in which the action is refused: `cancelled` for `confirm`. */
  readonly refusedIn?: Effect['values'];
  readonly assigns?: Assignment;
  readonly members?: MemberChange;
  /** The properties that the action sets to the URL of the file in the request: `avatarUrl`. Empty if it removes it. */
  readonly files?: readonly string[];
}

/**
 * How an action changes the members in a list of an entry.
 * `key`: the property of a member with the id of the user. `schema`: the JSON Pointer of the schema of a member.
 * `from`: the property of the request body with the id of a new member.
 * `parameter`: the path parameter with the id of a member.
 */
export interface MemberChange {
  readonly list: string;
  readonly key: string;
  readonly schema: string;
  readonly action: 'add' | 'change' | 'remove';
  readonly from?: string;
  readonly parameter?: string;
  readonly target: Resource;
  /** The property names that lead to the member, or to the list of all members, in the response. */
  readonly responsePath?: readonly string[];
}

/**
 * How an action gives an entry to another one, or takes it away.
 * `from`: the property of the request body with the id or the login of the other entry; undefined to take it away.
 * `to`: the property of the entry: `assigneeId`, or the object `assignee`.
 */
export interface Assignment {
  readonly from: string | undefined;
  readonly to: string;
  readonly isObject: boolean;
  readonly target: Resource;
}

/** The list of an entry that gets the entries of another list, which is then empty: the lines of a new invoice. */
export interface Taken {
  /** The property of the new entry. */
  readonly property: string;
  /** The resource whose entries are taken. */
  readonly from: Resource;
  /** The properties of an entry that the list can have. */
  readonly names: readonly string[];
}

/** What an operation does: its action, its resource, and the place of the entry in the request and response bodies. */
export interface Plan {
  readonly route: Route;
  readonly action: Action;
  readonly resource: Resource;
  readonly mount: Mount;
  /** The property names that lead to the entry in the request body. Empty if the whole body is the entry. */
  readonly requestPath: readonly string[];
  /**
   * The property names that lead to the part of the entry that the request body contains: `['attributes']` for
   * JSON:API.
   * Empty if the body contains the whole entry.
   */
  readonly entryPath: readonly string[];
  /**
   * The property names that lead to the entry or the list in the success response, such as `['data', 'items']`.
   * Empty if it is the whole body.
   */
  readonly responsePath: readonly string[];
  /** What the action changes. Only for the action `act`. */
  readonly effect?: Effect;
  /** The verb of a `DELETE` that keeps the entry, such as `archive`. */
  readonly archives?: string;
  /**
   * The resource to which a `DELETE` moves an entry, from which a `POST` restores it, and from which a list shows
   * entries.
   */
  readonly trash?: Resource;
  /** The query parameter with which a list shows the entries of the trash. */
  readonly trashQuery?: TrashQuery;
  /** Whether a deletion can't be taken back, also that of an entry in the trash: `DELETE /notes/{id}/permanent`. */
  readonly isPermanent?: boolean;
  /** The query parameter with which a deletion can't be taken back: `?permanent=true`. */
  readonly permanentQuery?: string;
  /** Which entries of the list an action changes or deletes, as in `POST /notifications/read-all`. */
  readonly bulk?: BulkAction;
  /** The numbers of entries in the response. Only for the action `count`. */
  readonly counts?: readonly Derived[];
  /** The login or the registration. Only for the action `logIn`. */
  readonly login?: Login;
  /** How a registration also creates another entry: the tenant of `POST /register-tenant`. */
  readonly tenantPlan?: Plan;
  /** The names of the passwords in the request. Only for the action `setPassword`. */
  readonly passwords?: Passwords;
  /**
   * Which users a list has: those who follow a user, or those whom a user follows.
   * `items`: the JSON Pointer of the schema of an id, if the response has only the ids.
   */
  readonly follows?: { readonly list: 'followers' | 'following'; readonly items: string | undefined };
  /** The boolean that listed entries have for the user in the path, or for the one who sends the request. */
  readonly marked?: string;
  /** Whether the entry is the user who sends the request, as in `GET /me`. */
  readonly isSender?: boolean;
  /** Where the response shows the entry to which the entry of the request belongs: the basket for a new item of it. */
  readonly owner?: Plan;
  /** The list of the new entry that gets the entries of another list. */
  readonly takes?: Taken;
  /** The query parameter with the id of the entry, if the path does not have it: `DELETE /plans?planId=7`. */
  readonly idInQuery?: string;
  /** The property of the request body with the id of the entry that becomes a member, such as `bookId`. */
  readonly reference?: string | undefined;
  /** Whether the response has no property of the entry, such as `{ "success": true }`. */
  readonly hidesEntry?: boolean;
  /** The values of the entry that the path says: the type `blocked` for `PUT /relationships/blocks/{userId}`. */
  readonly sets?: Readonly<Record<string, unknown>>;
}

/** Entries of another resource that belong to an entry: the tasks of a project. */
export interface Children {
  readonly resource: Resource;
  /** Where a child has the id of its parent. Undefined for all entries of the resource. */
  readonly key: PathKey | undefined;
  /** Where a child has the id or the ids of other entries that it shows or names, if it has no parent. */
  readonly link?: Link;
  /** The property of a child with the id or the `name` of its parent, such as `room`. */
  readonly named?: { readonly property: string; readonly parent: Resource; readonly name: string | undefined };
}

/** How entries name another one: with ids such as `tagIds`, with objects such as `tags`, or with a hidden value. */
export interface Link {
  /** The property that shows the other entry or entries. */
  readonly property: string;
  /** The property with the id or the ids. */
  readonly ids: string | undefined;
  readonly target: Resource;
}

/**
 * A property whose value follows from other entries, such as `taskCount`.
 * `only`: the state of the entries that are counted.
 * `time`: the property whose latest value is shown; undefined if the entries are counted.
 */
export interface Derived {
  readonly property: string;
  readonly children: Children;
  readonly only: { readonly property: string; readonly value: unknown; readonly not?: readonly unknown[] } | undefined;
  readonly time: string | undefined;
  /** The property by which the entries are counted, and the name of the number of each value: `byStatus`. */
  readonly group?: { readonly property: string; readonly names: ReadonlyMap<string, unknown> } | undefined;
  /** The numbers in an object, such as `total` in `tasks`. */
  readonly inside?: readonly Derived[] | undefined;
  /** The property with a list of texts whose different values are shown, such as `tags`. */
  readonly texts?: string | undefined;
  /** Which entries are counted, if it depends on the time: `overdue`. */
  readonly view?: View | undefined;
  /** The value of all entries, if the property is the share of the entries in a state: 1, or 100 for a percentage. */
  readonly whole?: number | undefined;
  /** Whether a share or an average is rounded to an integer. */
  readonly isInteger?: boolean;
  /** The average of a number: `rating` for `averageRating`. `none`: that of no entries. `per`: those to divide by. */
  readonly average?: { readonly property: string; readonly none: 0 | null | undefined; readonly per?: Resource };
  /**
   * The JSON Pointer of the schema in which the entries themselves are shown. `isList`: whether all are shown.
   * `isMixed`: whether the list also has entries of other resources. Each of them has a `Derived` of its own.
   */
  readonly shown?: { readonly schema: string; readonly isList: boolean; readonly isMixed?: boolean } | undefined;
  readonly ranking?: Ranking;
  /** The JSON Pointer of the schema of an id, if the list shows the ids of the entries: the `plants` of a room. */
  readonly ids?: string;
  /** Whether only the entries are counted that lack `only.property`: the `unassigned` ones. */
  readonly isWithout?: boolean;
}

/** How a list such as `topAssignees` counts the entries that name each user, or that have each text. */
export interface Ranking {
  /** The property of the entries with an id, an object, or a list of texts. */
  readonly by: string;
  /** The property of an item with the number of entries. */
  readonly count: string;
  /** The JSON Pointer of the schema of an item. */
  readonly items: string;
  /** The resource of the entries that are named. */
  readonly target?: Resource;
  /** The property of an item with the text. */
  readonly label?: string;
}

/** How users follow each other. `flag`: the boolean that says whether the sender of a request follows a user. */
export type Follow = Readonly<{ flag: string }>;

/** The plan of a mocked operation. The entries in its path must exist: the pet for `POST /pets/{petId}/feed`. */
export interface MockedPlan extends Pick<Plan, 'route' | 'mount'> {
  /**
   * The plan for reading the stored entry with which the operation responds.
   * Undefined if the response is not a stored entry.
   */
  readonly entry: Plan | undefined;
  /** Where the entry is whose uploaded file the operation returns. Undefined if it returns no file. */
  readonly file?: Pick<Plan, 'resource' | 'mount'> | undefined;
}

/** The resources that were inferred from a document, and what each operation does with them. */
export interface Inference {
  readonly resources: readonly Resource[];
  /** The resources with the deleted entries of other resources. The others omit them. */
  readonly trashes: readonly Resource[];
  /** The resource with the users, which log in. Undefined if the document has none. */
  readonly users: Resource | undefined;
  /** Whether users log in with a password, which no response has. */
  readonly hasLogin: boolean;
  /** How users follow each other. Undefined if no operation makes a user follow another one. */
  readonly follow: Follow | undefined;
  /** The properties of users that no two users have in common, such as `email`. Empty if no user logs in. */
  readonly loginNames: readonly string[];
  /** The plans of the operations that use stored entries, by method and path, such as `GET /pets`. */
  readonly plans: ReadonlyMap<string, Plan>;
  /** The plans of the mocked operations, by method and path, such as `POST /pets/{petId}/feed`. */
  readonly mockedPlans: ReadonlyMap<string, MockedPlan>;
  /** The reasons why operations are mocked, by method and path, such as `POST /pets/{petId}/feed`. */
  readonly reasons: ReadonlyMap<string, string>;
}

/** Returns the name of the resource with the deleted entries of another one. */
export function getTrashName({ name }: Pick<Resource, 'name'>): string {
  return `${name}.trash`;
}

/** Returns the method and the path of an operation as a map key, such as `GET /pets`. */
export function getRouteKey({ method, path }: Pick<Route, 'method' | 'path'>): string {
  return `${method} ${path}`;
}

/**
 * The lists that another application has beside the resources of a document.
 * `names`: the names of the lists, which resources at `paths` get that differ from them only in case and separators.
 * `paths`: the paths of the operations of the application. Resources at other paths get other names.
 * `routes`: operations that the document lacks, which read an entry of these lists.
 */
export interface KnownLists {
  readonly names: readonly string[];
  readonly paths: ReadonlySet<string>;
  readonly routes: readonly Route[];
}
