import type { RequestListener } from 'node:http';
import { createRequestListener } from '../http/app.ts';
import type { ServerParts } from '../http/parts.ts';
import { type Contract, loadContract } from '../openapi/contract.ts';
import { addMissingCollections, describeOtherLists } from './contract-lists.ts';
import { findUnusableFaults } from './control.ts';
import { describeChanges } from './describe-changes.ts';
import { logInvalidExamples } from './example-warnings.ts';
import { getFileSignature, loadSettings, type WatchedFiles } from './file-watcher.ts';
import { loadHandlers, type UserHandlers } from './handler-registry.ts';
import type { createLogger } from './logger.ts';
import { type ContractSetup, type ContractSetupFactory, refuseTypeConflicts } from './served-contract.ts';
import { refuseInvalidState } from './state-issues.ts';
import { warmUpIfSmall } from './warm-up.ts';

/** The parts of a server that a `LiveContract` uses. */
interface LiveContractParts {
  readonly server: ServerParts;
  readonly log: ReturnType<typeof createLogger>;
  readonly files: WatchedFiles;
  readonly createSetup: ContractSetupFactory;
  /** The current contract with its handlers, and the number of reloads since the start. Each reload replaces `setup`. */
  readonly current: { setup: ContractSetup; reloads: number };
}

/** The last sentence of the warning if saved handlers can't be used. */
export const HANDLERS_FALLBACK = 'The previous handlers stay in use';

/** The last sentence of the warning if saved settings can't be used. */
export const SETTINGS_FALLBACK = 'The previous settings stay in use';

/** The current contract and its request listener. Both are replaced when the contract, the handlers or the settings are saved. */
export class LiveContract {
  readonly #parts: LiveContractParts;
  #listener: RequestListener;
  /** Saved handlers that don't fit the current contract. The server tries to use these handlers with the next contract. */
  #pendingHandlers: UserHandlers | undefined;
  /** Whether the last saved contract could not be served. */
  #isRefused = false;

  /**
   * Creates the request listener of the current contract. Throws a `ContractError` if a field has different types in the contract and in the responses of the
   * application.
   */
  constructor(parts: LiveContractParts) {
    this.#parts = parts;
    refuseTypeConflicts(parts.current.setup);
    this.#listener = createRequestListener(parts.server, parts.current.setup);
  }

  get setup(): ContractSetup {
    return this.#parts.current.setup;
  }

  /** Passes a request to the request listener of the current contract. */
  readonly handle: RequestListener = (req, res) => this.#listener(req, res);

  /** Loads the contract file again, and serves the new contract. Rejects and changes nothing if the contract can't be served. */
  readonly reloadContract = async (): Promise<void> => {
    const { log, files } = this.#parts;
    const wasRefused = this.#isRefused;
    // If a statement below throws an error, the value stays true.
    this.#isRefused = true;
    const contract = await loadContract(files.contract);
    const isServed = contract === this.setup.contract;
    if (isServed && wasRefused)
      log.info(`${files.contract.path} is valid again. It contains the contract that the server already uses`);
    if (!isServed) await this.#replaceContract(contract);
    this.#isRefused = false;
  };

  /**
   * Serves another contract. Uses handlers that were saved earlier but did not fit, if they fit this contract. Rejects and changes nothing if the contract
   * can't be served.
   */
  async #replaceContract(contract: Contract): Promise<void> {
    const { log } = this.#parts;
    const failure = this.#pendingHandlers && (await this.#servePending(contract, this.#pendingHandlers));
    // `#servePending` already serves the contract.
    if (contract === this.setup.contract) return;
    await this.#serve(contract, this.setup.handlers, this.#describeContract);
    if (failure) log.warn(`${failure.message}. ${HANDLERS_FALLBACK}`);
  }

  /** Loads the handler file again, and uses the new handlers with the saved contract. Rejects and changes nothing if the handlers can't be used. */
  readonly reloadHandlers = async (): Promise<void> => {
    const { files } = this.#parts;
    const path = files.handlers?.path;
    const handlers = await loadHandlers(path, path && getFileSignature(path));
    this.#pendingHandlers = handlers;
    // Loads the saved contract, because it may be one that did not fit the previous handlers.
    const contract = await loadContract(files.contract).catch(() => this.setup.contract);
    const message = `${path} was reloaded: handlers of ${Object.keys(handlers).join(', ')}`;
    await this.#serve(contract, handlers, (next) =>
      contract === this.setup.contract ? message : `${message}; ${this.#describeContract(next)}`,
    );
  };

  /** Reads the settings file of the application again. Rejects and changes nothing if the settings can't be used. */
  readonly reloadSettings = async (): Promise<void> => {
    const { server, files } = this.#parts;
    loadSettings(server.application);
    // The responses in the cache of the current listener may be outdated. A new listener has an empty cache.
    await this.#serve(this.setup.contract, this.setup.handlers, () => `${files.settings?.path} was reloaded`);
  };

  readonly #describeContract = (next: ContractSetup): string =>
    `${this.#parts.files.contract.path} was reloaded: ${describeChanges(this.setup, next)}`;

  /** Serves a contract with saved handlers that did not fit the previous contract. Resolves to the error if this is not possible. */
  async #servePending(contract: Contract, handlers: UserHandlers): Promise<Error | undefined> {
    try {
      await this.#serve(contract, handlers, this.#describeContract);
      return undefined;
    } catch (error) {
      return error as Error;
    }
  }

  /**
   * Serves a contract with the handlers of a user. Rejects and changes nothing if the handlers or the current state do not fit the contract. `describe`:
   * returns the message for the log.
   */
  async #serve(contract: Contract, handlers: UserHandlers, describe: (next: ContractSetup) => string): Promise<void> {
    const { server, log, current, createSetup } = this.#parts;
    const setup = await createSetup(contract, handlers);
    const { state } = server.sandboxes.default.store.read();
    const unfit = refuseInvalidState(contract, state, setup.validator);
    refuseTypeConflicts(setup);
    const listener = createRequestListener(server, setup);
    warmUpIfSmall(setup);
    const previous = this.setup;
    const message = describe(setup);
    current.setup = setup;
    // The previous listener serves requests until the states have the new collections. Otherwise, a new list would be empty for a moment.
    const failure = await this.#addCollections(setup);
    current.reloads++;
    this.#listener = listener;
    if (handlers === this.#pendingHandlers) this.#pendingHandlers = undefined;
    log.info(message);
    if (contract === previous.contract) return;
    const lists = describeOtherLists(state, {
      collections: Object.keys(setup.collections),
      previous: Object.keys(previous.collections),
      dataFile: server.dataFile,
    });
    const warnings = [contract.warning, lists, unfit, failure, ...findUnusableFaults(server.sandboxes, contract)];
    for (const warning of warnings) if (warning !== undefined) log.warn(warning);
    // Ignores an error: a schema that can't be compiled is reported by the first request that needs it.
    void logInvalidExamples(contract, (message) => log.warn(message), server.stopping).catch(() => {});
  }

  /** Adds new collections to the states of all sandboxes. Resolves to a warning if this fails. */
  async #addCollections({ collections }: ContractSetup): Promise<string | undefined> {
    const { sandboxes, control } = this.#parts.server;
    try {
      await addMissingCollections(sandboxes.list(), Object.keys(collections), control.defaults);
      return undefined;
    } catch (error) {
      return `New collections are empty: ${(error as Error).message}`;
    }
  }
}
