import { statSync } from 'node:fs';

/** How often a contract's file is looked at, in ms: what was saved is read once two looks have found the same. */
export const LOOK_MS = 100;

/**
 * Calls `changed` each time that a file has changed since it had the signature and rests; gives back how to stop it. One that is gone is waited for.
 */
export function watchContract(path: string, since: string | undefined, changed: () => Promise<void>): () => void {
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

/** What tells one version of a file from another. */
export function signatureOf(path: string): string | undefined {
  try {
    const { ino, size, mtimeNs } = statSync(path, { bigint: true });
    return `${ino}-${size}-${mtimeNs}`;
  } catch {
    return undefined;
  }
}
