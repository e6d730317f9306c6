import { resolve } from 'node:path';
import type { Application } from '../application.ts';
import { machineDisk, type Signature, toSignature } from '../store/disk.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import type { ServerOptions } from './options.ts';

/** The interval at which watched files are checked, in ms. A changed file is reloaded when two consecutive checks find the same signature. */
export const POLL_MS = 100;

/** The signatures of a watched file. */
interface Signatures {
  handled: Signature;
  last: Signature;
}

/**
 * Calls `onChange` when a file has changed and its signature is stable. Ignores a file while it is missing. Returns a function that stops the checks.
 * `getParts`: returns the paths of further files that are watched; after each change, they can be others.
 */
export function watchFile(
  path: string,
  signature: Signature,
  onChange: () => Promise<void>,
  getParts: () => readonly string[] = () => [],
): () => void {
  const watched = new Map<string, Signatures>([[path, { handled: signature, last: signature }]]);
  let isBusy = false;
  const addParts = () => {
    for (const part of getParts().filter((name) => !watched.has(name))) {
      const current = getFileSignature(part);
      watched.set(part, { handled: current, last: current });
    }
  };
  const poll = async () => {
    const changed = [...watched].filter(([file, signatures]) => isChanged(file, signatures));
    if (isBusy || changed.length === 0) return;
    for (const [, signatures] of changed) signatures.handled = signatures.last;
    isBusy = true;
    await onChange().finally(() => {
      isBusy = false;
      addParts();
    });
  };
  addParts();
  const timer = setInterval(() => void poll(), POLL_MS).unref();
  return () => clearInterval(timer);
}

/** Returns whether a file has a new signature, which the last check found too. Stores the current signature. */
function isChanged(path: string, signatures: Signatures): boolean {
  const current = getFileSignature(path);
  const isStable = current === signatures.last;
  signatures.last = current;
  return isStable && current !== signatures.handled && current !== '';
}

/** A file that is reloaded when it is saved. `signature`: the signature of the version that is loaded. */
export interface WatchedFile {
  readonly path: string;
  readonly signature: Signature;
}

/** The files of a server that are reloaded when they are saved. */
export type WatchedFiles = ReturnType<typeof findWatchedFiles>;

/** Returns the files of the contract and of the handlers, with their current signatures. `handlers`: undefined if the handlers are not in a file. */
export function findWatchedFiles(application: Application, { contract, handlers, strict = false }: ServerOptions) {
  const toWatched = (file: string): WatchedFile => ({
    path: resolve(file),
    signature: getFileSignature(resolve(file)),
  });
  return {
    contract: { ...toWatched(contract ?? application.contractFile), strict },
    handlers: typeof handlers === 'string' ? toWatched(handlers) : undefined,
  };
}

/** A watched file and the function that reloads it. */
interface ReloadedFile extends WatchedFile {
  readonly reload: () => Promise<void>;
  /** The last sentence of the warning about a failed reload. It says which version stays in use. */
  readonly fallback: string;
  /** Returns the paths of the further files with which the file is reloaded. */
  readonly getParts?: () => readonly string[];
}

/** Reloads each file when it is saved, one file at a time. Calls `warn` if a reload fails. Returns a function that stops the reloads. */
export function reloadOnSave(files: readonly ReloadedFile[], warn: (message: string) => void): () => void {
  let reloading: Promise<void> = Promise.resolve();
  const stops = files.map(({ path, signature, reload, fallback, getParts }) => {
    const onChange = () => {
      reloading = reloading.then(reload).catch((error: Error) => warn(`${error.message}. ${fallback}`));
      return reloading;
    };
    return watchFile(path, signature, onChange, getParts);
  });
  return () => {
    for (const stop of stops) stop();
  };
}

/** Returns the signature of a file. It changes when the file is saved. Returns an empty string if the file does not exist. */
export function getFileSignature(path: string): Signature {
  return tryOrUndefined(() => toSignature(machineDisk.stats(path))) ?? '';
}
