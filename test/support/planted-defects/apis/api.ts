import type { IncomingHttpHeaders } from 'node:http';

export type Entry = Readonly<Record<string, unknown>>;
export type Schema = Readonly<Record<string, unknown>>;

/** The defects that an API can have, one at a time. Most of them affect only its target resource. */
export type ApiDefect =
  | 'pages overlap'
  | 'a page has one entry too many'
  | 'the total is that of the page'
  | 'a filter is ignored'
  | 'a filter compares prefixes'
  | 'a filter finds nothing'
  | 'a filter is lost on the next page'
  | 'PUT does not check the unique property'
  | 'concurrent requests create the unique value twice'
  | 'a new resource overwrites one with the same unique value'
  | 'a conflict is a 500'
  | 'PUT keeps what was left out'
  | 'PATCH resets what it does not have'
  | 'null is ignored'
  | 'texts are cut at 100 characters'
  | 'texts are stored as Latin-1'
  | 'texts are stored with HTML escapes'
  | 'a date is a day early'
  | 'lists inside are lost'
  | 'a property is not stored'
  | 'an updated property is not stored'
  | 'the list is stale after a change'
  | 'the list lacks new resources'
  | 'If-Match is ignored'
  | 'the ETag never changes'
  | 'If-Match is not required'
  | 'missing credentials are accepted'
  | 'a changed token is accepted'
  | 'the 401 has another media type'
  | 'an action stores nothing'
  | 'an action ignores the status'
  | 'Location points nowhere'
  | 'an unknown id gets 200'
  | 'ids are compared by prefix'
  | '30 February is accepted'
  | 'fractions of a cent are accepted'
  | 'nothing is created'
  | 'nothing is deleted'
  | 'deleted resources stay in the list'
  | 'connections are unusable after a 400'
  | 'the charset lies';

/** Habits that correct servers differ in. */
export type ApiHabit =
  | 'refuses rules with 400'
  | 'trims texts'
  | 'folds the case'
  | 'deletes softly'
  | 'lists 200 ms late'
  | 'lists 4 s late, as documented'
  | 'responds after 20 ms'
  | 'limits the rate'
  | 'compresses with gzip'
  | 'closes each connection'
  | 'sets defaults that are not documented'
  | 'finds parts of texts'
  | 'creates with PUT'
  | 'has a quota'
  | 'has weak ETags'
  | 'updates partially with PUT, as documented';

/** A resource of an API. */
export interface ApiResource {
  /** The path of the collection, such as `/projects/{projectId}/tasks`. */
  readonly path: string;
  readonly newId: (count: number) => string | number;
  /** The property that must be unique. */
  readonly unique?: string;
  /** The names of the query parameters that filter by the property of the same name. */
  readonly filters: readonly string[];
  /** The actions: the status that each sets, and those in which it is allowed. */
  readonly actions: Readonly<Record<string, { readonly to: string; readonly from: readonly string[] }>>;
  /** Whether updates need `If-Match`. */
  readonly needsVersion: (method: string) => boolean;
  /** Properties that the server sets. */
  readonly created: Entry;
}

/** The entries of a page, and what the response says about the other pages. */
export interface Page {
  readonly entries: readonly Entry[];
  readonly total: number;
  /** The position of the next page; undefined on the last page. */
  readonly next: number | undefined;
}

export interface Body {
  readonly type: string;
  readonly json: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An API: its document, its resources, and how it writes requests and responses. */
export interface Api {
  readonly document: Schema;
  readonly resources: readonly ApiResource[];
  /** The path of the resource with the defects. */
  readonly target: string;
  /** The credentials of a client with all rights. */
  readonly headers: Readonly<Record<string, string>>;
  readonly isAuthorized: (headers: IncomingHttpHeaders, isExact: boolean) => boolean;
  readonly readPage: (query: URLSearchParams) => { readonly start: number; readonly size: number };
  readonly writeEntry: (entry: Entry) => Body;
  readonly writePage: (page: Page) => Body;
  readonly writeError: (status: number, message: string) => Body;
}
