import { statSync } from 'node:fs';

/** How often a watched file is looked at, in ms: what was saved is read once two looks have found the same. */
export const LOOK_MS = 100;

/**
 * Calls `changed` each time that a file has changed since it had the signature and rests; gives back how to stop it. One that is gone is waited for.
 */
export function watchFile(path: string, since: string | undefined, changed: () => Promise<void>): () => void {
  let known = since;
  let last = known;
  let isBusy = false;
  const look = async () => {
    const now = signatureOf(path);
    const rests = now === last;
    last = now;
    if (isBusy || !rests || now === known || now === undefined) return;
    known = now;
    isBusy = true;
    await changed().finally(() => {
      isBusy = false;
    });
  };
  const looking = setInterval(() => void look(), LOOK_MS).unref();
  return () => clearInterval(looking);
}

/** A file that is reloaded when it is saved. */
export interface ReloadedFile {
  readonly path: string;
  /** The signature of the content that is in use. */
  readonly signature: string | undefined;
  readonly reload: () => Promise<void>;
  /** What the warning says that stays in use where a reload fails. */
  readonly kept: string;
}

/** Reloads files when they are saved, one at a time; a reload that fails is a warning. Returns how to stop it. */
export function reloadOnSave(files: readonly ReloadedFile[], warn: (message: string) => void): () => void {
  let reloading: Promise<void> = Promise.resolve();
  const stops = files.map(({ path, signature, reload, kept }) =>
    watchFile(path, signature, () => {
      reloading = reloading.then(reload).catch((error: Error) => warn(`${error.message}. ${kept}`));
      return reloading;
    }),
  );
  return () => {
    for (const stop of stops) stop();
  };
}

/** What tells one version of a file from another. */
export function signatureOf(path: string): string | undefined {
  try {
    const { ino, size, mtimeNs } = statSync(path, { bigint: true });
    return `${ino}-${size}-${mtimeNs}`;
  } catch {
    return undefined;
  }
}
