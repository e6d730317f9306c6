import {
  type Context,
  DomainError,
  type HandlerResponse,
  type Implementation,
  type Input,
  type StateView,
} from '../application.ts';
import { isNode } from '../openapi/document.ts';
import type { OperationInput } from '../openapi/validate-request.ts';
import type { StateChange } from '../sandbox/journal/recorded-request.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Change } from '../store/backend.ts';
import type { ChangeSequence, Entry } from '../store/state.ts';
import type { Store } from '../store/store.ts';
import { internalError } from '../util/problem.ts';
import { FILES_PATH, isBelow } from '../util/request-target.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import type { App, Decision, OperationExchange, ResponseData } from './exchange.ts';
import { createFaultResponse, createPreferredResponse } from './mock-response.ts';
import { isSecure } from './named-sandbox.ts';
import { toHttpProblem } from './problem.ts';
import { complete, createResponse } from './response.ts';
import { checkReturned } from './returned-value.ts';

/**
 * The origins of responses that a handler of the application or of the user returned.
 * The journal stores the origin as `decision`.
 */
const HANDLER_DECISIONS = { application: { source: 'handler' }, user: { source: 'user-handler' } } as const;

/** The origin of a response that is a stored entry. */
const STORED_DECISION: Decision = { source: 'stored' };

/**
 * Handles a request for an operation of the contract.
 * Calls the handler, or creates a response from the contract if there is no handler.
 * A setting of the sandbox, an injected fault or a preference (RFC 7240) can replace the handler or its response.
 * `store`: the store of the sandbox, or a transaction.
 */
export async function handleOrMock(exchange: OperationExchange, store: Store): Promise<void> {
  const { app, route, effect } = exchange;
  const isReplaced = exchange.isMocked || effect?.response?.phase === 'before';
  const handler = isReplaced ? undefined : app.implementations.get(route);
  if (!effect?.response) return handler ? runHandler(exchange, handler, store) : respondWithMock(exchange, store);
  if (handler) await runReplacedHandler(exchange, handler, store);
  respondWithFault(exchange);
}

/**
 * Throws a `DomainError` if the token of a request has ended.
 * A user's handler checks tokens itself, or calls the built-in handler.
 */
export function checkToken(exchange: OperationExchange): void {
  const { app, route, sandbox } = exchange;
  if (app.implementations.get(route)?.source !== 'user') requireActiveToken(exchange, sandbox.store);
}

function requireActiveToken({ app, route, headers, user, sandbox }: OperationExchange, store: Store): void {
  const input = { headers: joinHeaders(headers), user };
  app.implementation.checkToken?.(route, input, store.read().state, sandbox.clock.nowMs());
}

/**
 * Runs a handler whose response a fault replaces, also the response to a `DomainError`.
 * The changes of the state remain.
 */
async function runReplacedHandler(exchange: OperationExchange, handler: Implementation, store: Store): Promise<void> {
  const { notes } = exchange;
  try {
    await runHandler(exchange, handler, store);
    await complete(exchange);
    exchange.replaced = exchange.response;
    exchange.response = undefined;
    exchange.revision = undefined;
    exchange.notes = notes;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
  }
}

/** Responds with the response that an injected fault defines. */
export function respondWithFault(exchange: OperationExchange): void {
  const { effect } = exchange;
  if (!effect?.response) return;
  const response = createFaultResponse(exchange, effect.response);
  exchange.returned = { ...response, by: 'mock' };
  exchange.decision = { source: 'fault', ...nameExample(response.example) };
}

/** Responds with a stored entry if possible, otherwise with a response that is generated from the contract. */
function respondWithMock(exchange: OperationExchange, store: Store): void {
  const stored = findStoredResponse(exchange, store);
  const response = stored ?? linkEntries(exchange, store, createPreferredResponse(exchange));
  const { isMockRequired } = exchange.preferences;
  exchange.returned = { ...response, by: 'mock' };
  exchange.decision = stored
    ? STORED_DECISION
    : { source: isMockRequired ? 'preference' : 'mock', ...nameExample(response.example) };
}

/** Puts stored entries into a generated body. An example of the document, or a preferred response, stays as it is. */
function linkEntries(exchange: OperationExchange, store: Store, response: ResponseData): ResponseData {
  const { app, route, preferences } = exchange;
  const { status, body, example } = response;
  const { implementation, unimplemented } = app;
  if (!implementation.linkEntries || !unimplemented.has(route)) return response;
  const isGenerated = status === route.successStatus && example === undefined && !preferences.isMockRequired;
  if (!isGenerated || typeof body !== 'object' || body === null || body instanceof Uint8Array) return response;
  const input = new ApplicationInput(exchange);
  const nowMs = exchange.sandbox.clock.nowMs();
  const linked = implementation.linkEntries(route, { input, state: store.read().state, nowMs }, body);
  return { ...response, body: linked };
}

function nameExample(example: string | undefined) {
  return example === undefined ? {} : { example };
}

/**
 * Returns a stored entry as the response of a mocked operation, such as the pet for `POST /pets/{petId}/feed`.
 * Returns undefined if the mock must generate the response.
 */
function findStoredResponse(exchange: OperationExchange, store: Store) {
  const { app, route, preferences, input } = exchange;
  if (preferences.isMockRequired || !app.unimplemented.has(route)) return undefined;
  const stored = app.implementation.getStoredResponse?.(route, new ApplicationInput(exchange), store.read().state);
  if (!stored) return undefined;
  const { status = route.successStatus, body, headers } = stored;
  const documented = tryOrUndefined(() => app.mock.createHeaders(route, input, { status, body }));
  return createResponse(status, body, { ...documented, ...headers });
}

/**
 * Adds the ids of the applied faults to the origin of a response.
 * If a fault closes the connection, this fault becomes the origin.
 */
export function addFaults(decision: Decision | undefined, effect: OperationExchange['effect']): Decision | undefined {
  if (!effect) return decision;
  const { faults, transport } = effect;
  if (transport?.connection) return { source: 'fault', faults: [...faults] };
  return decision && { ...decision, faults: [...faults] };
}

/**
 * Returns the origin of the response to an error that a handler or the mock threw.
 * The origin of an error of the server itself, such as a full disk, is `refusal`.
 */
export function describeError(exchange: OperationExchange, error: unknown): Decision {
  const { app, route } = exchange;
  const problem = toHttpProblem(error, app.application.problems) ?? internalError;
  const isOfHandler = error instanceof DomainError || problem.code === internalError.code;
  if (!isOfHandler) return { source: 'refusal' };
  const implementation = exchange.isMocked ? undefined : app.implementations.get(route);
  if (implementation) return HANDLER_DECISIONS[implementation.source];
  return error instanceof DomainError ? STORED_DECISION : { source: 'mock' };
}

async function runHandler(exchange: OperationExchange, handler: Implementation, store: Store): Promise<void> {
  const { app, route, forced, isNamed } = exchange;
  const isBuiltIn = handler.source === 'application';
  const isGuarded = !isBuiltIn || app.implementation.validatesChanges;
  const guarded = isGuarded ? app.guardStore(store, isBuiltIn ? undefined : route.operationId) : store;
  const use: ContextUse = { revision: undefined, hasOtherUse: false, changes: undefined };
  const tracked = new TrackedContext(exchange, guarded, use, !isBuiltIn);
  const input = isBuiltIn ? new ApplicationInput(exchange) : toUserInput(exchange);
  const builtIn = isBuiltIn ? undefined : createBuiltIn(exchange, store);
  const extended = app.application.extendContext?.(tracked) ?? tracked;
  const context = builtIn ? { ...extended, builtIn: builtIn.run } : extended;
  const lastEventId = exchange.headers['last-event-id'];
  if (lastEventId !== undefined && app.sandboxes.isShared) await loadChanges(exchange, String(lastEventId));
  const returned = await handler.handle(input, context);
  if (isBuiltIn && returned.isMocked) return respondWithMock(exchange, store);
  if (!isBuiltIn) checkReturned(route, returned);
  const request = isBuiltIn ? undefined : { input: new ApplicationInput(exchange), state: store.read().state };
  exchange.returned = { ...returned, by: handler.source, request };
  exchange.decision = HANDLER_DECISIONS[handler.source];
  exchange.changes = builtIn ? joinChanges(builtIn.use.changes, use.changes) : use.changes;
  const isForClient = input instanceof ApplicationInput && input.hasReadClient;
  // A response that depends on the headers or on the host is not cached.
  const isCached = isBuiltIn && forced === undefined && !isNamed && !isForClient && !route.hasOtherTypes;
  exchange.revision = isCached && !use.hasOtherUse ? use.revision : undefined;
}

/** Loads the changes after an event that another server may have sent. */
function loadChanges({ app, sandbox }: OperationExchange, lastEventId: string): Promise<void> {
  return app.changeLogs.load(sandbox.store, (collection) => app.getEntrySchema(collection).key, lastEventId);
}

function joinChanges(
  one: readonly StateChange[] | undefined,
  other: readonly StateChange[] | undefined,
): readonly StateChange[] | undefined {
  return one && other ? [...one, ...other] : (one ?? other);
}

/**
 * Creates the function `builtIn` of a user's handler: it runs the built-in handler of the operation with the same
 * request.
 * `use`: how the built-in handler has used its context.
 */
function createBuiltIn(exchange: OperationExchange, store: Store) {
  const { app, route } = exchange;
  const guarded = app.implementation.validatesChanges ? app.guardStore(store, undefined) : store;
  const use: ContextUse = { revision: undefined, hasOtherUse: false, changes: undefined };
  const tracked = new TrackedContext(exchange, guarded, use);
  const run = async (): Promise<HandlerResponse> => {
    const handle = app.implementation.getImplementation(route)?.handle;
    if (handle) requireActiveToken(exchange, store);
    const response = await handle?.(
      new ApplicationInput(exchange),
      app.application.extendContext?.(tracked) ?? tracked,
    );
    if (!response || response.isMocked)
      throw new Error(
        `there is no built-in handler for ${route.operationId}, because the operation is mocked: return a response of your own`,
      );
    const { status = route.successStatus, headers, body } = response;
    return { status, ...(headers ? { headers } : {}), body };
  };
  return { run, use };
}

/**
 * The input of an application's handler.
 * The properties `headers`, `url` and `user` are computed when the handler reads them.
 * This is a class, because an object literal with a getter takes longer to create.
 */
class ApplicationInput implements Input {
  readonly path: OperationInput['path'];
  readonly query: OperationInput['query'];
  readonly body: unknown;
  readonly #exchange: OperationExchange;
  /**
   * Whether the handler has read the headers, the user or the URL, which has the host that the client names.
   * Then its response can depend on the client, and is not cached.
   */
  hasReadClient = false;

  constructor(exchange: OperationExchange) {
    const { path, query, body } = exchange.input;
    this.path = path;
    this.query = query;
    this.body = body;
    this.#exchange = exchange;
  }

  get headers(): Input['headers'] {
    this.hasReadClient = true;
    return joinHeaders(this.#exchange.headers);
  }

  get url(): string {
    return this.#getOrigin() + this.#exchange.path;
  }

  get filesUrl(): string {
    const { app, location, sandbox, isNamed } = this.#exchange;
    // An image in a page can send no header that names the sandbox.
    const prefix = isNamed ? `/_sandbox/${sandbox.id}` : '';
    const base = app.basePaths.find((one) => isBelow(location.pathname, one)) ?? '';
    return this.#getOrigin() + prefix + base + FILES_PATH;
  }

  #getOrigin(): string {
    this.hasReadClient = true;
    const { headers } = this.#exchange;
    // A proxy that accepts TLS connections names the scheme.
    return `${isSecure(headers) ? 'https' : 'http'}://${headers.host}`;
  }

  get credentials(): Input['credentials'] {
    const { route, url } = this.#exchange;
    const names = route.security.flat().flatMap((one) => (one.in === 'query' ? [one.name] : []));
    if (names.length === 0) return undefined;
    this.hasReadClient = true;
    const sent = new URLSearchParams(url.slice(url.indexOf('?') + 1));
    return Object.fromEntries(names.flatMap((name) => (sent.has(name) ? [[name, sent.get(name) ?? '']] : [])));
  }

  get user(): string | undefined {
    this.hasReadClient = true;
    return this.#exchange.user;
  }

  get getNow(): () => number {
    const { clock } = this.#exchange.sandbox;
    return () => clock.nowMs();
  }
}

/**
 * Returns the input of a user's handler as a plain object, so that the handler can copy it.
 * Adds the default values of missing properties to the body.
 */
function toUserInput({ app, route, headers, input, user }: OperationExchange): Input {
  const { path, query, body } = input;
  const defaults = app.getBodyDefaults(route);
  const sent = { path, query, body: isNode(body) ? { ...defaults, ...body } : body, headers: joinHeaders(headers) };
  return user === undefined ? sent : { ...sent, user };
}

function joinHeaders(headers: OperationExchange['headers']): Input['headers'] {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]));
}

/** How a handler has used its context. */
interface ContextUse {
  /** The revision of the state that the handler has read. */
  revision: number | undefined;
  /** Whether the handler used the clock or the id generator, changed the state, or read two revisions of it. */
  hasOtherUse: boolean;
  /** The state changes by the handler; undefined if there are none. */
  changes: readonly StateChange[] | undefined;
}

/** Returns changes with the entries as a user's handlers see them. */
function showChanges(changes: ChangeSequence, { show }: StateView): ChangeSequence {
  const showEntry = (collection: string, entry: Entry | undefined) =>
    entry && show({ [collection]: [entry] })[collection]?.[0];
  async function* generate() {
    for await (const change of changes) {
      const { collection, before, after } = change;
      yield { ...change, before: showEntry(collection, before), after: showEntry(collection, after) };
    }
  }
  return { startId: changes.startId, [Symbol.asyncIterator]: generate };
}

/** The parts of a server that a context uses. */
type ContextApp = Pick<App, 'collections' | 'changeLogs' | 'getEntrySchema' | 'implementation'>;

/**
 * The context of a handler, which records how the handler uses it.
 * Its properties are arrow functions, because applications copy them into other objects.
 */
class TrackedContext implements Context {
  readonly #app: ContextApp;
  readonly #sandbox: Sandbox;
  readonly #store: Store;
  readonly #use: ContextUse;
  readonly #exchange: OperationExchange;
  readonly #isUser: boolean;

  /** `isUser`: whether the handler is the user's, which sees the state in another form. */
  constructor(exchange: OperationExchange, store: Store, use: ContextUse, isUser = false) {
    this.#app = exchange.app;
    this.#sandbox = exchange.sandbox;
    this.#store = store;
    this.#use = use;
    this.#exchange = exchange;
    this.#isUser = isUser;
  }

  readonly read = () => {
    const { state, revision } = this.#store.read();
    if (this.#use.revision !== undefined && this.#use.revision !== revision) this.#use.hasOtherUse = true;
    this.#use.revision = revision;
    return state;
  };

  /** Commits a change, and then records the states before and after it, if it has returned a new state. */
  readonly update = async <Result>(change: Change<Result>): Promise<Result> => {
    this.#use.hasOtherUse = true;
    let states: StateChange | undefined;
    const result = await this.#store.update<Result>((state, nowMs) => {
      const changed = change(state, nowMs);
      // The change of a user's handler can return any value.
      const after = (changed as Partial<typeof changed> | undefined)?.next;
      if (after) states = { before: state, after };
      return changed;
    });
    if (states) this.#use.changes = [...(this.#use.changes ?? []), states];
    return result;
  };

  /** Restores the default data, and then records the states before and after the reset. */
  readonly reset = (): Promise<void> => {
    this.#use.hasOtherUse = true;
    return this.#sandbox.idempotencyKeys.clearWith(async (onApply) => {
      const before = this.#store.read().state;
      await this.#store.reset(onApply);
      // The difference can include the changes of other requests, which the store commits together with the reset.
      this.#use.changes = [...(this.#use.changes ?? []), { before, after: this.#store.read().state }];
    });
  };

  readonly nowMs = (): number => {
    this.#use.hasOtherUse = true;
    return this.#sandbox.clock.nowMs();
  };

  /**
   * Returns an id for a new entry.
   * If the id generator has a seed, skips ids that entries already have.
   * Setting the same seed again repeats the same ids.
   */
  readonly newId = (): string => {
    this.#use.hasOtherUse = true;
    const { idGenerator } = this.#sandbox;
    let id = idGenerator.next();
    while (idGenerator.seed !== undefined && this.#isUsed(id)) id = idGenerator.next();
    return id;
  };

  /** Returns the committed changes from now on, or after the change with an id. */
  readonly changes = (after?: string): ChangeSequence => {
    this.#use.hasOtherUse = true;
    const log = this.#app.changeLogs.get(this.#sandbox.store, (collection) => this.#app.getEntrySchema(collection).key);
    const changes = log.after(after, this.#exchange.streamEnd.signal);
    const view = this.#isUser ? this.#app.implementation.stateView : undefined;
    return view ? showChanges(changes, view) : changes;
  };

  #isUsed(id: string): boolean {
    const { collections } = this.#app;
    return Object.entries(this.#store.read().state).some(([name, entries]) => {
      const key = collections[name]?.key;
      return key !== undefined && entries.some((entry) => entry[key] === id);
    });
  }
}
