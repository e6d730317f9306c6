import { setTimeout } from 'node:timers/promises';
import { DataFileError, readState } from './data-file.ts';
import { type Disk, getSignature, isSymbolicLink, type Signature } from './disk.ts';
import type { Content } from './new-file.ts';
import type { State } from './state.ts';
import type { ValidateEntry } from './validate-state.ts';

/** What edits of a data file are looked for with. */
export interface EditParts {
  readonly path: string;
  readonly disk: Disk;
  readonly check: ValidateEntry;
  /** By what `check` checks at the moment: what was refused by another contract is looked at again. */
  readonly checkedBy?: (() => unknown) | undefined;
  /** Told why an edit doesn't hold. */
  readonly warn: (message: string) => void;
}

/** What somebody else has written. */
export interface Edit {
  readonly content: Content;
  /** The state that it holds; undefined where nothing is new in it but when it was written. */
  readonly state: State | undefined;
}

/** How long a file must not have changed before it is read, in ms. */
const REST_MS = 50;

/** How long what doesn't hold may be a save that isn't done yet, in ms. */
const UNFINISHED_MS = 500;

/** How long a file that goes on changing is waited for, in ms. */
const PATIENCE_MS = 1_000;

const REMEDY = 'The state from before is served on. Mend the file, or the next change replaces it and keeps it beside';

const FOLDER_REMEDY =
  'The state from before is served on, and changes are answered 503. Move the folder away: the next change makes the file anew';

const LOOP_REMEDY =
  'The state from before is served on, and changes are answered 503. Remove the link: the next change makes the file anew';

const LINK_REMEDY =
  'The state from before is served on. Start anew to serve the file that it leads to; the next change replaces the link and keeps it beside';

/**
 * Looks whether somebody has edited the file, and gives back the edit where it holds; where it doesn't, tells why, once. Waits for an editor
 * that is at it, whether it writes in one step or in several. Throws where the file can't be looked at.
 */
export function createEditWatcher({
  path,
  disk,
  check,
  checkedBy = () => undefined,
  warn,
}: EditParts): (known: Content) => Promise<Edit | undefined> {
  /** What was found not to hold, and what was known then: a file that is gone looks the same each time. */
  let refused: { readonly signature: Signature; readonly known: Content; readonly by: unknown } | undefined;

  /** The edit, or why there is none; neither where the file has changed meanwhile. */
  function find(known: Content, signature: Signature): { edit?: Edit; reason?: string } {
    try {
      // A commit would put a file in its place: what the link leads to is another file.
      if (isLinkLoop(disk, path))
        return { reason: `${path} is a symbolic link now that leads to itself. ${LOOP_REMEDY}` };
      if (isSymbolicLink(disk, path)) return { reason: `${path} is a symbolic link now. ${LINK_REMEDY}` };
      // No file can be renamed over a folder.
      if (disk.linkStats(path)?.isDirectory()) return { reason: `${path} is a folder now. ${FOLDER_REMEDY}` };
      const found = readState({ path, disk, check, remedy: REMEDY });
      if (getSignature(disk, path) !== signature) return {};
      if (!found) return { reason: `${path} is gone. The state is served on; the next change makes the file anew` };
      const bytes = Buffer.from(found.text);
      return { edit: { content: { bytes, signature }, state: bytes.equals(known.bytes) ? undefined : found.state } };
    } catch (error) {
      if (error instanceof DataFileError) return { reason: error.message };
      throw error;
    }
  }

  return async (known) => {
    let signature = getSignature(disk, path);
    let found: ReturnType<typeof find> = {};
    let restMs = 0;
    const isRefused = () => signature === refused?.signature && known === refused.known && refused.by === checkedBy();
    const isNew = () => signature !== known.signature && !isRefused();
    for (let ms = 0; isNew() && ms < PATIENCE_MS; ms += REST_MS) {
      await setTimeout(REST_MS);
      const now = getSignature(disk, path);
      restMs = now === signature ? restMs + REST_MS : 0;
      if (restMs === REST_MS) found = find(known, signature);
      if (restMs > 0 && found.edit) return found.edit;
      if (restMs >= UNFINISHED_MS && found.reason !== undefined) {
        refused = { signature, known, by: checkedBy() };
        warn(found.reason);
      }
      signature = now;
    }
    return undefined;
  };
}

/** Whether a path leads through symbolic links that lead to each other, so that no file is found. */
function isLinkLoop(disk: Disk, path: string): boolean {
  try {
    disk.stats(path);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ELOOP';
  }
}
