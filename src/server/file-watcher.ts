import { getTargetSignature, machineDisk, type Signature } from '../store/disk.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';

/** The polling interval of watched files, in ms. A saved file is read once two polls in a row have found the same signature. */
export const POLL_MS = 100;

/** Calls `onChange` each time a file differs from the last signature and is stable. Waits for a missing file. Returns a function that stops it. */
export function watchFile(path: string, signature: Signature, onChange: () => Promise<void>): () => void {
  let handledSignature = signature;
  let lastSignature = signature;
  let isBusy = false;
  const poll = async () => {
    const newSignature = getFileSignature(path);
    const isStable = newSignature === lastSignature;
    lastSignature = newSignature;
    if (isBusy || !isStable || newSignature === handledSignature || newSignature === '') return;
    handledSignature = newSignature;
    isBusy = true;
    await onChange().finally(() => {
      isBusy = false;
    });
  };
  const timer = setInterval(() => void poll(), POLL_MS).unref();
  return () => clearInterval(timer);
}

/** A file to reload when it is saved, with the signature of the loaded content. */
export interface WatchedFile {
  readonly path: string;
  readonly signature: Signature;
}

/** How to reload a file. */
interface ReloadedFile extends WatchedFile {
  readonly reload: () => Promise<void>;
  /** The sentence at the end of the warning about a failed reload: what stays in use. */
  readonly fallback: string;
}

/** Reloads files when they are saved, one at a time, and warns about a reload that fails. Returns a function that stops it. */
export function reloadOnSave(files: readonly ReloadedFile[], warn: (message: string) => void): () => void {
  let reloading: Promise<void> = Promise.resolve();
  const stops = files.map(({ path, signature, reload, fallback }) =>
    watchFile(path, signature, () => {
      reloading = reloading.then(reload).catch((error: Error) => warn(`${error.message}. ${fallback}`));
      return reloading;
    }),
  );
  return () => {
    for (const stop of stops) stop();
  };
}

/** Returns a signature of a file, which changes with each save; empty if there is no such file. */
export function getFileSignature(path: string): Signature {
  return tryOrUndefined(() => getTargetSignature(machineDisk, path)) ?? '';
}
