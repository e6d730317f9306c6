import { AsyncLocalStorage } from 'node:async_hooks';
import { emitWarning } from 'node:process';

/** The incoming request that is handled. */
export interface CurrentRequest {
  readonly sandboxId: string;
  /** Whether the code runs inside of a `fetch` that the sandbox was added to. */
  readonly isInFetch?: boolean;
}

/** What the copies of the package in a process have in common. */
interface Propagation {
  readonly storage: AsyncLocalStorage<CurrentRequest | undefined>;
  isStarted: boolean;
}

const KEY = Symbol.for('storefront.propagation');

/**
 * Returns the state of the process.
 * A bundler can include a copy of the package in the app, so the state is global.
 */
export function getPropagation(): Propagation {
  const holder = globalThis as { [KEY]?: Propagation };
  holder[KEY] ??= { storage: new AsyncLocalStorage(), isStarted: false };
  return holder[KEY];
}

const warned = new Set<string>();

/** Emits a process warning. Emits only the first warning of each kind. */
export function warnOnce(kind: 'address' | 'cache' | 'pool', message: string): void {
  if (warned.has(kind)) return;
  warned.add(kind);
  emitWarning(message, 'StorefrontWarning');
}
