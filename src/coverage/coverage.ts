import { isDeepStrictEqual } from 'node:util';
import type { Contract } from '../openapi/contract.ts';
import { findMediaType } from '../openapi/media-types.ts';
import { findCookie, type Parameter } from '../openapi/parameters.ts';
import { findResponse } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import {
  type ExamplePoint,
  getContractPoints,
  type MediaPoints,
  type OperationPoints,
  type ParameterPoints,
  type Point,
  type ValuePoints,
} from './points.ts';

type Values = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A request to an operation and its response. */
export interface CountedExchange {
  readonly request: {
    readonly path: Values;
    readonly query: Values;
    readonly headers: Values;
    readonly body: unknown;
  };
  /** Whether the server refused the request, for example because it is invalid. Then only its response counts. */
  readonly isRefused: boolean;
  /** Undefined if no response was sent. */
  readonly response:
    | {
        readonly status: number;
        readonly contentType: string | undefined;
        /** The name of the example that is the body, if it is known. */
        readonly example: string | undefined;
        readonly body: unknown;
        /** The length of the body as JSON, if it is known. */
        readonly length: number | undefined;
      }
    | undefined;
}

/** How often the points of an operation were used. Their size depends only on the contract. */
export interface Counters {
  readonly points: OperationPoints;
  /** By index of the point. The first point is the operation, which counts its requests. */
  readonly real: Float64Array;
  /** Like `real`, for exchanges whose response was forced by a preference, a fault or `mock`. */
  readonly forced: Float64Array;
  /** The number of requests that the server refused, for example because they were invalid. */
  refused: number;
}

/** How often an operation, or a point of it, was used. `key`: the kind and the name of the point. */
export interface CountRow {
  readonly operation: string;
  readonly key: string;
  readonly real: number;
  readonly forced: number;
  readonly refused: number;
}

/** The exchange of a cached response, which is sent again to other requests. */
export interface RepeatedExchange {
  /** Counts the exchange once more, with the headers of another request. */
  count(headers: CountedExchange['request']['headers']): void;
  /** Must be called when the response is no longer cached. */
  end(): void;
}

/** A repeated exchange that always uses the same points. Its number is added to the counters before they are read. */
interface Repeated {
  readonly used: readonly number[];
  readonly counters: Counters;
  times: number;
}

/**
 * Counts which points of the contract the requests and responses of all sandboxes use.
 * The counters do not depend on the journal and on the life of the sandboxes.
 */
export class Coverage {
  #contract: Contract;
  /** By operationId. Created at the first request of an operation. */
  #counters = new Map<string, Counters>();
  readonly #repeated = new Set<Repeated>();
  /** Is called after each counted exchange, except those of cached responses. */
  onCount = (): void => {};

  constructor(contract: Contract) {
    this.#contract = contract;
  }

  get contract(): Contract {
    return this.#contract;
  }

  /**
   * Counts with another contract from now on, and keeps the counts of the points that both contracts have.
   * The responses in the cache must not be sent again.
   */
  use(contract: Contract): void {
    if (contract === this.#contract) return;
    const rows = this.list();
    this.#contract = contract;
    this.#counters = new Map();
    this.#repeated.clear();
    this.add(rows);
  }

  /**
   * Counts an exchange.
   * `contract`: the contract to which the route belongs.
   * `isForced`: whether a preference, a fault or `mock` determined the response.
   */
  count(contract: Contract, route: Route, exchange: CountedExchange, isForced: boolean): void {
    const points = getContractPoints(contract)(route);
    const used = listUsedPoints(points, exchange);
    const refused = exchange.isRefused ? 1 : 0;
    // The contract was reloaded while the request was handled.
    if (contract !== this.#contract) this.add(toRows(points, used, { refused, isForced }));
    else addUsed(this.#getCounters(points), used, { isForced, times: 1, refused });
    this.onCount();
  }

  /** Returns an object that counts the requests that get the same response as an exchange. */
  repeat(contract: Contract, route: Route, exchange: CountedExchange): RepeatedExchange {
    const points = getContractPoints(contract)(route);
    if (contract !== this.#contract || dependsOnHeaders(points))
      return this.#repeatWithHeaders(contract, route, exchange);
    const repeated = { used: listUsedPoints(points, exchange), counters: this.#getCounters(points), times: 0 };
    this.#repeated.add(repeated);
    return {
      count: () => {
        repeated.times++;
      },
      end: () => {
        collect(repeated);
        this.#repeated.delete(repeated);
      },
    };
  }

  #repeatWithHeaders(contract: Contract, route: Route, exchange: CountedExchange): RepeatedExchange {
    return {
      count: (headers) =>
        this.count(contract, route, { ...exchange, request: { ...exchange.request, headers } }, false),
      end: () => {},
    };
  }

  #getCounters(points: OperationPoints): Counters {
    const { operationId } = points.route;
    const known = this.#counters.get(operationId);
    if (known) return known;
    const { length } = points.points;
    const counters = { points, real: new Float64Array(length), forced: new Float64Array(length), refused: 0 };
    this.#counters.set(operationId, counters);
    return counters;
  }

  /** Returns the counters of an operation. Undefined if it got no requests. */
  get({ operationId }: Route): Counters | undefined {
    for (const repeated of this.#repeated) collect(repeated);
    return this.#counters.get(operationId);
  }

  /** Returns the counts that are not 0. */
  list(): readonly CountRow[] {
    for (const repeated of this.#repeated) collect(repeated);
    return [...this.#counters.values()].flatMap(({ points: { route, points }, real, forced, refused }) =>
      points.flatMap((point, index) => {
        const counts = { real: real[index] ?? 0, forced: forced[index] ?? 0, refused: index === 0 ? refused : 0 };
        return counts.real + counts.forced === 0
          ? []
          : [{ operation: route.operationId, key: toKey(point), ...counts }];
      }),
    );
  }

  /** Adds counts. Ignores the points that the contract does not have. */
  add(rows: readonly CountRow[]): void {
    const byOperation = groupBy(rows);
    for (const route of this.#contract.routes) {
      const own = byOperation.get(route.operationId);
      if (!own) continue;
      const counters = this.#getCounters(getContractPoints(this.#contract)(route));
      for (const [index, point] of counters.points.points.entries()) {
        const row = own.get(toKey(point));
        if (!row) continue;
        counters.real[index] = (counters.real[index] ?? 0) + row.real;
        counters.forced[index] = (counters.forced[index] ?? 0) + row.forced;
        counters.refused += row.refused;
      }
    }
  }

  /** Sets all counts to 0. */
  clear(): void {
    for (const repeated of this.#repeated) repeated.times = 0;
    for (const counters of this.#counters.values()) {
      counters.real.fill(0);
      counters.forced.fill(0);
      counters.refused = 0;
    }
  }
}

function toKey({ kind, name }: Point): string {
  return `${kind} ${name}`;
}

function groupBy(rows: readonly CountRow[]): ReadonlyMap<string, ReadonlyMap<string, CountRow>> {
  const groups = new Map<string, Map<string, CountRow>>();
  for (const row of rows) {
    const group = groups.get(row.operation) ?? new Map<string, CountRow>();
    groups.set(row.operation, group.set(row.key, row));
  }
  return groups;
}

function toRows(
  { route, points }: OperationPoints,
  used: readonly number[],
  { refused, isForced }: { readonly refused: number; readonly isForced: boolean },
): readonly CountRow[] {
  return used.map((index) => ({
    operation: route.operationId,
    key: toKey(points[index] as Point),
    real: isForced ? 0 : 1,
    forced: isForced ? 1 : 0,
    refused: index === 0 ? refused : 0,
  }));
}

function addUsed(
  counters: Counters,
  used: readonly number[],
  { isForced, times, refused }: { readonly isForced: boolean; readonly times: number; readonly refused: number },
): void {
  const counts = isForced ? counters.forced : counters.real;
  for (const index of used) counts[index] = (counts[index] ?? 0) + times;
  counters.refused += refused;
}

function collect(repeated: Repeated): void {
  const { counters, used, times } = repeated;
  if (times > 0) addUsed(counters, used, { isForced: false, times, refused: 0 });
  repeated.times = 0;
}

/**
 * The maximum number of properties and entries of a body that are read.
 * The work for a request stays below a millisecond.
 */
const MAX_READ = 1_000;

/** Returns the indexes of the points that an exchange uses, without duplicates. */
function listUsedPoints(points: OperationPoints, exchange: CountedExchange): readonly number[] {
  const used = new Set([0]);
  if (!exchange.isRefused) {
    for (const parameter of points.parameters) addParameter(used, parameter, exchange.request);
    addRequestBody(used, points, exchange.request);
  }
  addResponse(used, points, exchange);
  return [...used];
}

/** Whether requests with the same target can use different points, because of their headers. */
function dependsOnHeaders({ parameters }: OperationPoints): boolean {
  return parameters.some(({ parameter }) => parameter.in === 'header' || parameter.in === 'cookie');
}

function addParameter(used: Set<number>, points: ParameterPoints, request: CountedExchange['request']): void {
  const { parameter, index, examples, values } = points;
  const sent = getSent(parameter, request);
  if (sent === undefined) return;
  if (index !== undefined) used.add(index);
  if (values.size === 0 && examples.length === 0) return;
  const texts = [sent]
    .flat()
    .flatMap((text) => splitTexts(parameter, text))
    .slice(0, MAX_READ);
  for (const text of texts) addIndex(used, values.get(text) ?? values.get(toNumberText(text)));
  for (const example of examples)
    if (isDeepStrictEqual([example.value].flat().map(String), texts)) used.add(example.index);
}

function getSent(parameter: Parameter, { path, query, headers }: CountedExchange['request']) {
  const { name, shape, fields } = parameter;
  if (parameter.in === 'path') return path[name];
  if (parameter.in === 'header') return headers[name.toLowerCase()];
  if (parameter.in === 'cookie') return findCookie(headers.cookie, name);
  if (shape?.startsWith('deep')) return Object.keys(query).some((key) => key.startsWith(`${name}[`)) ? [] : undefined;
  if (shape === 'fields') return fields.some((field) => query[field] !== undefined) ? [] : undefined;
  return query[name] ?? query[`${name}[]`];
}

/** Returns the shortest text of a number, such as `10` for `10.0`. */
function toNumberText(text: string): string {
  return text === '' ? text : String(Number(text));
}

function splitTexts({ shape, separator }: Parameter, text: string): readonly string[] {
  return shape === 'list' ? text.split(separator) : [text];
}

function addRequestBody(
  used: Set<number>,
  { bodies }: OperationPoints,
  { headers, body }: CountedExchange['request'],
): void {
  if (bodies.size === 0 || body === undefined) return;
  const contentType = String(headers['content-type'] ?? '');
  const media = findMedia(bodies, contentType) ?? (bodies.size === 1 ? [...bodies.values()][0] : undefined);
  if (!media) return;
  used.add(media.index);
  const { examples, value } = media;
  for (const example of examples) if (isDeepStrictEqual(example.value, body)) used.add(example.index);
  if (value) addValue(used, value, body, { left: MAX_READ });
}

function findMedia(media: ReadonlyMap<string, MediaPoints>, contentType: string): MediaPoints | undefined {
  if (media.size === 0) return undefined;
  const exact = media.get(contentType);
  return exact ?? media.get(findMediaType([...media.keys()], contentType) ?? '');
}

function addResponse(used: Set<number>, { route, statuses }: OperationPoints, { response }: CountedExchange): void {
  if (!response) return;
  const documented = findResponse(route.responses, response.status);
  const status = documented && statuses.get(documented);
  if (!status) return;
  used.add(status.index);
  const media = response.contentType === undefined ? undefined : findMedia(status.media, response.contentType);
  if (!media) return;
  used.add(media.index);
  for (const example of media.examples) if (isSent(example, response)) used.add(example.index);
  if (media.value) addValue(used, media.value, response.body, { left: MAX_READ });
}

function isSent({ name, value, length }: ExamplePoint, response: NonNullable<CountedExchange['response']>): boolean {
  if (response.example !== undefined) return name === response.example;
  // The length is that of JSON, and a text can be sent as it is.
  const mayBeEqual = typeof value === 'string' || response.length === length;
  return mayBeEqual && isDeepStrictEqual(value, response.body);
}

/** Adds the points of a value. `budget`: the number of properties and entries that are still read. */
function addValue(used: Set<number>, points: ValuePoints, value: unknown, budget: { left: number }): void {
  if (budget.left-- <= 0) return;
  addIndex(used, points.own);
  if (Array.isArray(value)) {
    if (points.entries) for (const entry of value.slice(0, budget.left)) addValue(used, points.entries, entry, budget);
    return;
  }
  if (typeof value !== 'object' || value === null) {
    if (points.values.size > 0) addIndex(used, points.values.get(JSON.stringify(value)));
    return;
  }
  for (const [name, inner] of points.properties)
    if (Object.hasOwn(value, name)) addValue(used, inner, (value as Record<string, unknown>)[name], budget);
}

function addIndex(used: Set<number>, index: number | undefined): void {
  if (index !== undefined) used.add(index);
}
