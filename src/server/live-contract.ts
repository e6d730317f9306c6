import type { RequestListener } from 'node:http';
import { createRequestListener } from '../http/app.ts';
import type { ServerParts } from '../http/parts.ts';
import { type Contract, loadContract } from '../openapi/contract.ts';
import { findUnusableFaults } from './control.ts';
import { getFileSignature, type WatchedFiles } from './file-watcher.ts';
import { refuseInvalidState } from './guarded-store.ts';
import { loadHandlers, type UserHandlers } from './handler-registry.ts';
import type { createLogger } from './logger.ts';
import { type Bind, type BoundContract, describeChanges, refuseTypeConflicts } from './served-contract.ts';
import { warmUpIfSmall } from './warm-up.ts';

/** The parts of a `LiveContract`. */
interface LiveContractParts {
  readonly server: ServerParts;
  readonly log: ReturnType<typeof createLogger>;
  readonly files: WatchedFiles;
  readonly bind: Bind;
  /** The contract that is currently served. A reload replaces it. */
  readonly current: { bound: BoundContract };
}

/** The end of a warning about handlers that can't be used. */
export const HANDLERS_FALLBACK = 'The previous handlers stay in use';

/** The contract that is currently served, with its request listener. Both are replaced when the file of the contract or of the handlers is saved. */
export class LiveContract {
  readonly #parts: LiveContractParts;
  #listener: RequestListener;
  /** Saved handlers that do not fit the current contract. They may fit the next one. */
  #pendingHandlers: UserHandlers | undefined;

  /** Creates the request listener of the current contract. Throws a `ContractError` if the contract can't be served. */
  constructor(parts: LiveContractParts) {
    this.#parts = parts;
    refuseTypeConflicts(parts.current.bound);
    this.#listener = createRequestListener(parts.server, parts.current.bound);
  }

  get bound(): BoundContract {
    return this.#parts.current.bound;
  }

  /** Passes a request to the listener of the current contract. */
  readonly handle: RequestListener = (req, res) => this.#listener(req, res);

  /** Serves the saved contract. Throws, and changes nothing, if it can't be served. */
  readonly reloadContract = async (): Promise<void> => {
    const { log, files } = this.#parts;
    const contract = await loadContract(files.contract);
    if (contract === this.bound.contract) return;
    const failure = this.#pendingHandlers && this.#servePending(contract, this.#pendingHandlers);
    // The contract is served with the pending handlers.
    if (contract === this.bound.contract) return;
    this.#serve(contract, this.bound.handlers, this.#describeContract);
    if (failure) log.warn(`${failure.message}. ${HANDLERS_FALLBACK}`);
  };

  /** Serves the saved handlers. Throws, and changes nothing, if they can't be used. */
  readonly reloadHandlers = async (): Promise<void> => {
    const { files } = this.#parts;
    const path = files.handlers?.path;
    const handlers = await loadHandlers(path, path && getFileSignature(path));
    this.#pendingHandlers = handlers;
    // A saved contract that does not fit the previous handlers may fit these.
    const contract = await loadContract(files.contract).catch(() => this.bound.contract);
    const message = `${path} was reloaded: handlers of ${Object.keys(handlers).join(', ')}`;
    this.#serve(contract, handlers, (next) =>
      contract === this.bound.contract ? message : `${message}; ${this.#describeContract(next)}`,
    );
  };

  readonly #describeContract = (next: BoundContract): string =>
    `${this.#parts.files.contract.path} was reloaded: ${describeChanges(this.bound, next)}`;

  /** Serves a contract with the pending handlers. Returns the error if they do not fit. */
  #servePending(contract: Contract, handlers: UserHandlers): Error | undefined {
    try {
      this.#serve(contract, handlers, this.#describeContract);
      return undefined;
    } catch (error) {
      return error as Error;
    }
  }

  /** Serves a contract with handlers. Throws, and changes nothing, if the contract does not fit the handlers or the state. */
  #serve(contract: Contract, handlers: UserHandlers, describe: (next: BoundContract) => string): void {
    const { server, log, current, bind } = this.#parts;
    const bound = bind(contract, handlers);
    refuseInvalidState(contract, server.sandboxes.default.store.read().state, bound.validator);
    refuseTypeConflicts(bound);
    const listener = createRequestListener(server, bound);
    warmUpIfSmall(bound);
    log.info(describe(bound));
    const isNew = contract !== this.bound.contract;
    current.bound = bound;
    this.#listener = listener;
    if (handlers === this.#pendingHandlers) this.#pendingHandlers = undefined;
    if (!isNew) return;
    if (contract.warning !== undefined) log.warn(contract.warning);
    for (const warning of findUnusableFaults(server.sandboxes, contract)) log.warn(warning);
  }
}
