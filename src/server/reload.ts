import type { RequestListener } from 'node:http';
import type { UserHandlers } from '../application.ts';
import { createRequestListener } from '../http/app.ts';
import type { ServedContract, Server } from '../http/served.ts';
import type { Difference } from '../mock/compare-contracts.ts';
import { type Contract, loadContract } from '../openapi/contract.ts';
import { getNode, getPropertyNames, toNode } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { limitList } from '../util/text.ts';
import { addMissingCollections, describeOtherLists, findUnusableFaults } from './control.ts';
import { getFileSignature, loadSettings, type WatchedFiles } from './file-watcher.ts';
import { loadHandlers } from './handler-registry.ts';
import type { createLogger } from './logger.ts';
import { refuseInvalidState, refuseTypeConflicts, type ServedContractFactory } from './served-contract.ts';
import { listWarmUps, logInvalidExamples } from './warm-up.ts';

/** Options of `Reloads`. */
interface ReloadOptions {
  readonly server: Server;
  readonly log: ReturnType<typeof createLogger>;
  readonly files: WatchedFiles;
  readonly createServed: ServedContractFactory;
  /**
   * The current contract with its handlers, and the number of reloads since the start.
   * Each reload replaces `served`.
   */
  readonly current: { served: ServedContract; reloads: number };
}

/** The last sentence of the warning if saved handlers can't be used. */
export const HANDLERS_FALLBACK = 'The previous handlers stay in use';

/** The last sentence of the warning if saved settings can't be used. */
export const SETTINGS_FALLBACK = 'The previous settings stay in use';

/**
 * The current contract and its request listener.
 * Both are replaced when the contract, the handlers or the settings are saved.
 */
export class Reloads {
  readonly #parts: ReloadOptions;
  /** The request listener of the current contract. */
  listener: RequestListener;
  /**
   * Saved handlers that don't fit the current contract.
   * The server tries to use these handlers with the next contract.
   */
  #pendingHandlers: UserHandlers | undefined;
  /** Whether the last saved contract could not be served. */
  #isRefused = false;

  /**
   * Creates the request listener of the current contract.
   * Throws a `UserError` if a field has different types in the contract and in the responses of the application.
   */
  constructor(parts: ReloadOptions) {
    this.#parts = parts;
    refuseTypeConflicts(parts.current.served);
    this.listener = createRequestListener(parts.server, parts.current.served);
  }

  get served(): ServedContract {
    return this.#parts.current.served;
  }

  /**
   * Loads the contract file again, and serves the new contract.
   * Rejects and changes nothing if the contract can't be served.
   */
  readonly reloadContract = async (): Promise<void> => {
    const { log, files } = this.#parts;
    const wasRefused = this.#isRefused;
    // If a statement below throws an error, the value stays true.
    this.#isRefused = true;
    const contract = await loadContract(files.contract);
    const isServed = contract === this.served.contract;
    if (isServed && wasRefused)
      log.info(`${files.contract.path} is valid again. It contains the contract that the server already uses`);
    if (!isServed) await this.#replaceContract(contract);
    this.#isRefused = false;
  };

  /**
   * Serves another contract.
   * Uses handlers that were saved earlier but did not fit, if they fit this contract.
   * Rejects and changes nothing if the contract can't be served.
   */
  async #replaceContract(contract: Contract): Promise<void> {
    const { log } = this.#parts;
    const failure = this.#pendingHandlers && (await this.#servePending(contract, this.#pendingHandlers));
    // `#servePending` already serves the contract.
    if (contract === this.served.contract) return;
    await this.#serve(contract, this.served.handlers, this.#describeContract);
    if (failure) log.warn(`${failure.message}. ${HANDLERS_FALLBACK}`);
  }

  /**
   * Loads the handler file again, and uses the new handlers with the saved contract.
   * Rejects and changes nothing if the handlers can't be used.
   */
  readonly reloadHandlers = async (): Promise<void> => {
    const { files } = this.#parts;
    const path = files.handlers?.path;
    const handlers = await loadHandlers(path, path && getFileSignature(path));
    this.#pendingHandlers = handlers;
    // Loads the saved contract, because it may be one that did not fit the previous handlers.
    const contract = await loadContract(files.contract).catch(() => this.served.contract);
    const message = `${path} was reloaded: handlers of ${Object.keys(handlers).join(', ')}`;
    await this.#serve(contract, handlers, (next) =>
      contract === this.served.contract ? message : `${message}; ${this.#describeContract(next)}`,
    );
  };

  /** Reads the settings file of the application again. Rejects and changes nothing if the settings can't be used. */
  readonly reloadSettings = async (): Promise<void> => {
    const { server, files } = this.#parts;
    loadSettings(server.application);
    // The responses in the cache of the current listener may be outdated. A new listener has an empty cache.
    await this.#serve(this.served.contract, this.served.handlers, () => `${files.settings?.path} was reloaded`);
  };

  readonly #describeContract = (next: ServedContract): string =>
    `${this.#parts.files.contract.path} was reloaded: ${describeChanges(this.served, next)}`;

  /**
   * Serves a contract with saved handlers that did not fit the previous contract.
   * Resolves to the error if this is not possible.
   */
  async #servePending(contract: Contract, handlers: UserHandlers): Promise<Error | undefined> {
    try {
      await this.#serve(contract, handlers, this.#describeContract);
      return undefined;
    } catch (error) {
      return error as Error;
    }
  }

  /**
   * Serves a contract with the handlers of a user.
   * Rejects and changes nothing if the handlers or the current state do not fit the contract.
   * `describe`: returns the message for the log.
   */
  async #serve(contract: Contract, handlers: UserHandlers, describe: (next: ServedContract) => string): Promise<void> {
    const { server, log, current, createServed } = this.#parts;
    const served = await createServed(contract, handlers);
    const { state } = server.sandboxes.default.store.read();
    const unfit = refuseInvalidState(contract, state, served.validator);
    refuseTypeConflicts(served);
    const listener = createRequestListener(server, served);
    for (const warmUp of listWarmUps(served)) warmUp();
    const previous = this.served;
    const message = describe(served);
    current.served = served;
    // The previous listener serves requests until the states have the new collections.
    // Otherwise, a new list would be empty for a moment.
    const failure = await this.#addCollections(served);
    current.reloads++;
    this.listener = listener;
    server.coverage.use(contract);
    if (handlers === this.#pendingHandlers) this.#pendingHandlers = undefined;
    log.info(message);
    if (contract === previous.contract) return;
    for (const end of server.streams) end();
    const lists = describeOtherLists(state, {
      collections: Object.keys(served.collections),
      previous: Object.keys(previous.collections),
      dataFile: server.dataFile,
    });
    const warnings = [contract.warning, lists, unfit, failure, ...findUnusableFaults(server.sandboxes, contract)];
    for (const warning of warnings) if (warning !== undefined) log.warn(warning);
    // Ignores an error: a schema that can't be compiled is reported by the first request that needs it.
    void logInvalidExamples(contract, (message) => log.warn(message), server.stopping).catch(() => {});
  }

  /** Adds new collections to the states of all sandboxes. Resolves to a warning if this fails. */
  async #addCollections({ collections }: ServedContract): Promise<string | undefined> {
    const { sandboxes, control } = this.#parts.server;
    try {
      await addMissingCollections(sandboxes.list(), Object.keys(collections), control.defaults);
      return undefined;
    } catch (error) {
      return `New collections are empty: ${(error as Error).message}`;
    }
  }
}

/** The maximum number of names for each kind of change in the log. */
const MAX_NAMES = 20;

/**
 * Describes a reload of the contract for the log: lists the operations, schemas, properties and collections that have
 * changed.
 */
function describeChanges(old: ServedContract, now: ServedContract): string {
  const [before, after] = [old, now].map(({ contract }) => contract.routes.map(({ operationId }) => operationId));
  const [oldFields, newFields] = [getFieldNames(old), getFieldNames(now)];
  const [oldLists, newLists] = [old, now].map(({ collections }) => Object.keys(collections));
  const [oldProperties, newProperties] = [listProperties(old, now), listProperties(now, old)];
  const added = without(newProperties, oldProperties);
  const removed = without(oldProperties, newProperties);
  const schemas = findChangedSchemas(old.contract, now.contract);
  const groups = [
    ['new operations', without(after, before).map((id) => (now.mocked.includes(id) ? `${id} (mocked)` : id))],
    ['removed operations', without(before, after)],
    ['changed operations', findChangedOperations(old.contract, now.contract)],
    ['now mocked', without(now.mocked, [...old.mocked, ...without(after, before)])],
    ['no longer mocked', without(old.mocked, [...now.mocked, ...without(before, after)])],
    ['new collections', without(newLists, oldLists)],
    ['removed collections', without(oldLists, newLists)],
    ['new properties', added],
    ['removed properties', removed],
    ['changed schemas', schemas.filter((name) => ![...added, ...removed].some((one) => one.startsWith(`${name}.`)))],
    ['fields now generated, because the data lacks them', without(newFields.added, oldFields.added)],
    ['fields no longer generated', without(oldFields.added, newFields.added)],
    ['fields now removed from responses', without(newFields.removed, oldFields.removed)],
    ['fields no longer removed from responses', without(oldFields.removed, newFields.removed)],
  ] as const;
  const changes = groups
    .filter(([, names]) => names.length > 0)
    .map(([label, names]) => `${label}: ${limitList(names, MAX_NAMES).join(', ')}`);
  return changes.length > 0 ? changes.join('; ') : 'the document changed; no operation was added or removed';
}

/**
 * Returns the properties of component schemas, such as `Pet.name`, without the schemas that `other` does not have.
 * Returns an empty list for an application that is written for one contract, such as the shop: `getFieldNames` compares
 * its response fields instead.
 */
function listProperties({ contract, validator }: ServedContract, other: ServedContract): readonly string[] {
  if (!validator.hasVariableCollections) return [];
  return findCommonSchemas(contract, other.contract).flatMap((name) =>
    getPropertyNames(contract.document, getSchemaPointer(name)).map((property) => `${name}.${property}`),
  );
}

/**
 * Returns the names of the component schemas that both contracts have and that differ.
 * Ignores differences in the schemas that they reference.
 */
function findChangedSchemas(old: Contract, now: Contract): readonly string[] {
  return findCommonSchemas(old, now).filter((name) => {
    const pointer = getSchemaPointer(name);
    return !isSame(getNode(old.document, pointer), getNode(now.document, pointer));
  });
}

function findCommonSchemas(contract: Contract, other: Contract): readonly string[] {
  const [names = [], others = []] = [contract, other].map(({ document }) =>
    Object.keys(toNode(document.components?.schemas)),
  );
  return names.filter((name) => others.includes(name));
}

function getSchemaPointer(name: string): string {
  return formatPointer('components', 'schemas', name);
}

/**
 * Returns the operationIds of the operations that both contracts have and that differ.
 * Ignores differences in the components that they reference.
 */
function findChangedOperations(old: Contract, now: Contract): readonly string[] {
  const oldParts = new Map(old.routes.map((route) => [route.operationId, getParts(old, route)]));
  return now.routes.flatMap((route) => {
    const previous = oldParts.get(route.operationId);
    return previous && !isSame(previous, getParts(now, route)) ? [route.operationId] : [];
  });
}

/**
 * Returns the parts of an operation to compare: the method, the path, the operation object, and the parameters of its
 * path item.
 */
function getParts({ document }: Contract, { method, path, pointer }: Route): readonly unknown[] {
  const parameters = pointer.replace(/[^/]+$/, 'parameters');
  return [method, path, getNode(document, pointer), getNode(document, parameters)];
}

/**
 * Returns the names of the response fields that the contract adds or removes, compared with the contract for which the
 * built-in handlers are written.
 */
function getFieldNames(served: ServedContract) {
  const differences = [...served.differences.values()];
  const toNames = (fields: Difference['addedFields']) => [
    ...new Set(fields.map(({ path, name }) => [...path.filter((step) => step !== '*'), name].join('.'))),
  ];
  return {
    added: toNames(differences.flatMap(({ addedFields }) => addedFields)),
    removed: toNames(differences.flatMap(({ removedFields }) => removedFields)),
  };
}

function without(names: readonly string[] = [], others: readonly string[] = []): readonly string[] {
  return names.filter((name) => !others.includes(name));
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
