import type { RequestListener } from 'node:http';
import { createRequestListener } from '../http/app.ts';
import type { ServerParts } from '../http/parts.ts';
import { type Contract, loadContract } from '../openapi/contract.ts';
import { addMissingCollections, describeOtherLists } from './contract-lists.ts';
import { findUnusableFaults } from './control.ts';
import { getFileSignature, type WatchedFiles } from './file-watcher.ts';
import { loadHandlers, type UserHandlers } from './handler-registry.ts';
import type { createLogger } from './logger.ts';
import {
  type ContractSetup,
  type ContractSetupFactory,
  describeChanges,
  refuseTypeConflicts,
} from './served-contract.ts';
import { refuseInvalidState } from './state-issues.ts';
import { warmUpIfSmall } from './warm-up.ts';

/** The dependencies of a `LiveContract`. */
interface LiveContractParts {
  readonly server: ServerParts;
  readonly log: ReturnType<typeof createLogger>;
  readonly files: WatchedFiles;
  readonly createSetup: ContractSetupFactory;
  /** The contract that is currently served. A reload replaces the value of `setup`. */
  readonly current: { setup: ContractSetup };
}

/** The last sentence of a warning about handlers that can't be used. */
export const HANDLERS_FALLBACK = 'The previous handlers stay in use';

/** The contract that is currently served, and its request listener. Both are replaced when the contract file or the handler file is saved. */
export class LiveContract {
  readonly #parts: LiveContractParts;
  #listener: RequestListener;
  /** Saved handlers that can't be used with the current contract. They are tried again with the next contract. */
  #pendingHandlers: UserHandlers | undefined;

  /** Creates the request listener of the current contract. Throws a `ContractError` if the contract can't be served. */
  constructor(parts: LiveContractParts) {
    this.#parts = parts;
    refuseTypeConflicts(parts.current.setup);
    this.#listener = createRequestListener(parts.server, parts.current.setup);
  }

  get setup(): ContractSetup {
    return this.#parts.current.setup;
  }

  /** Passes a request to the listener of the current contract. */
  readonly handle: RequestListener = (req, res) => this.#listener(req, res);

  /** Loads the contract file and serves the contract. Throws an error and changes nothing if the contract can't be served. */
  readonly reloadContract = async (): Promise<void> => {
    const { log, files } = this.#parts;
    const contract = await loadContract(files.contract);
    if (contract === this.setup.contract) return;
    const failure = this.#pendingHandlers && (await this.#servePending(contract, this.#pendingHandlers));
    // `#servePending` has already served the contract with the pending handlers.
    if (contract === this.setup.contract) return;
    await this.#serve(contract, this.setup.handlers, this.#describeContract);
    if (failure) log.warn(`${failure.message}. ${HANDLERS_FALLBACK}`);
  };

  /** Loads the handler file and uses the handlers. Throws an error and changes nothing if the handlers can't be used. */
  readonly reloadHandlers = async (): Promise<void> => {
    const { files } = this.#parts;
    const path = files.handlers?.path;
    const handlers = await loadHandlers(path, path && getFileSignature(path));
    this.#pendingHandlers = handlers;
    // The saved contract may need these handlers, because it could not be served with the previous handlers.
    const contract = await loadContract(files.contract).catch(() => this.setup.contract);
    const message = `${path} was reloaded: handlers of ${Object.keys(handlers).join(', ')}`;
    await this.#serve(contract, handlers, (next) =>
      contract === this.setup.contract ? message : `${message}; ${this.#describeContract(next)}`,
    );
  };

  readonly #describeContract = (next: ContractSetup): string =>
    `${this.#parts.files.contract.path} was reloaded: ${describeChanges(this.setup, next)}`;

  /** Serves a contract with the pending handlers. Returns the error if the contract can't be served with them. */
  async #servePending(contract: Contract, handlers: UserHandlers): Promise<Error | undefined> {
    try {
      await this.#serve(contract, handlers, this.#describeContract);
      return undefined;
    } catch (error) {
      return error as Error;
    }
  }

  /** Serves a contract with handlers. Throws an error and changes nothing if the contract contradicts the handlers or the state. */
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
    this.#listener = listener;
    if (handlers === this.#pendingHandlers) this.#pendingHandlers = undefined;
    const failure = await this.#addCollections(setup);
    log.info(message);
    if (contract === previous.contract) return;
    const lists = describeOtherLists(state, {
      collections: Object.keys(setup.collections),
      previous: Object.keys(previous.collections),
      dataFile: server.dataFile,
    });
    const warnings = [contract.warning, lists, unfit, failure, ...findUnusableFaults(server.sandboxes, contract)];
    for (const warning of warnings) if (warning !== undefined) log.warn(warning);
  }

  /** Adds new collections to the states of all sandboxes. Returns a warning if this fails. */
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
