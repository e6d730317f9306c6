import { readFileSync } from 'node:fs';
import type { Application } from '../application.ts';
import type { ServerOptions } from '../options.ts';
import { machineDisk, type Signature, toSignature } from '../store/disk.ts';
import { UserError } from '../util/issue.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { resolveContract } from './choose-application.ts';

/**
 * How often watched files are checked, in ms.
 * A changed file is reloaded when two consecutive checks find the same inode, size and modification time.
 */
export const POLL_MS = 100;

/** The signatures of a watched file: `handled` at the last reload, and `last` at the last check. */
interface Signatures {
  handled: Signature;
  last: Signature;
}

/**
 * Watches a file and its related files, such as the files that a contract references.
 * Calls `onChange` when a file has changed and two consecutive checks find the same signature.
 * Ignores a missing file at `path`, but not the deletion of a related file.
 * Returns a function that stops the checks.
 * `signature`: the signature of the loaded version of the file at `path`.
 * `getRelatedFiles`: returns the paths of the related files; called again after each change.
 */
export function watchFile(
  path: string,
  signature: Signature,
  onChange: () => Promise<void>,
  getRelatedFiles: () => readonly string[] = () => [],
): () => void {
  const watched = new Map<string, Signatures>([[path, { handled: signature, last: signature }]]);
  let isBusy = false;
  const addRelatedFiles = () => {
    for (const related of getRelatedFiles().filter((name) => !watched.has(name))) {
      const current = getFileSignature(related);
      watched.set(related, { handled: current, last: current });
    }
  };
  const poll = async () => {
    const changed = [...watched].filter(
      ([file, signatures]) => isChanged(file, signatures) && !(file === path && signatures.last === ''),
    );
    if (isBusy || changed.length === 0) return;
    for (const [, signatures] of changed) signatures.handled = signatures.last;
    isBusy = true;
    await onChange().finally(() => {
      isBusy = false;
      addRelatedFiles();
    });
  };
  addRelatedFiles();
  const timer = setInterval(() => void poll(), POLL_MS).unref();
  return () => clearInterval(timer);
}

/**
 * Returns whether a file has changed since it was loaded, and has stayed the same since the previous check.
 * Therefore, a half-written file is not loaded.
 * Stores the current signature for the next check.
 */
function isChanged(path: string, signatures: Signatures): boolean {
  const current = getFileSignature(path);
  const isStable = current === signatures.last;
  signatures.last = current;
  return isStable && current !== signatures.handled;
}

/**
 * A file that the server reloads when it is saved. A contract at a URL is never saved.
 * `signature`: the signature of the loaded version.
 */
interface WatchedFile {
  readonly path: string;
  readonly signature: Signature;
}

/**
 * The files that the server reloads when they are saved: the contract, the handlers and the settings of the
 * application.
 */
export type WatchedFiles = ReturnType<typeof findWatchedFiles>;

/**
 * Returns the files that the server reloads when they are saved, with their current signatures.
 * `handlers` is undefined if the handlers do not come from a file.
 * `settings` is undefined if the application has no settings file.
 */
export function findWatchedFiles(
  application: Application,
  { contract, handlers, strict = false, allowRefs }: ServerOptions,
) {
  const toWatched = (file: string): WatchedFile => ({
    path: resolveContract(file),
    signature: getFileSignature(resolveContract(file)),
  });
  return {
    contract: { ...toWatched(contract ?? application.contractFile), strict, allowRefs },
    handlers: typeof handlers === 'string' ? toWatched(handlers) : undefined,
    settings: application.settings && toWatched(application.settings.path),
  };
}

/**
 * Reads the settings file of an application, and passes its text to the application.
 * Does nothing if the application has no settings file.
 * Throws a `UserError` if the file can't be read or is invalid.
 */
export function loadSettings({ settings }: Application): void {
  if (!settings) return;
  const { path, load } = settings;
  const text = tryOrUndefined(() => readFileSync(path, 'utf8'));
  if (text === undefined) throw new UserError(`The file ${path} cannot be read: check its path and permissions.`);
  load(text);
}

/** A watched file, and the function that reloads it. */
interface ReloadedFile extends WatchedFile {
  readonly reload: () => Promise<void>;
  /**
   * The last sentence of the warning after a failed reload, without the period.
   * It says which version the server still uses.
   */
  readonly fallback: string;
  /** Returns the paths of the other files whose changes also reload this file. */
  readonly getRelatedFiles?: () => readonly string[];
}

/**
 * Reloads each file when it is saved.
 * Reloads files one after the other.
 * If a reload fails, calls `warn` with a message.
 * Returns a function that stops watching.
 */
export function reloadOnSave(files: readonly ReloadedFile[], warn: (message: string) => void): () => void {
  let reloading: Promise<void> = Promise.resolve();
  const stops = files.map(({ path, signature, reload, fallback, getRelatedFiles }) => {
    const onChange = () => {
      reloading = reloading.then(reload).catch((error: Error) => warn(`${error.message}. ${fallback}`));
      return reloading;
    };
    return watchFile(path, signature, onChange, getRelatedFiles);
  });
  return () => {
    for (const stop of stops) stop();
  };
}

/**
 * Returns the signature of a file: a text that changes when the file is saved.
 * Returns an empty text if the file does not exist.
 */
export function getFileSignature(path: string): Signature {
  return tryOrUndefined(() => toSignature(machineDisk.stats(path))) ?? '';
}
