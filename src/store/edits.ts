import { setTimeout } from 'node:timers/promises';
import { DataFileError, readState, type StateFile } from './data-file.ts';
import { type Disk, getSignature, isSymbolicLink, type Signature } from './disk.ts';
import type { Content } from './new-file.ts';
import type { FileContext } from './replaced-file.ts';
import type { State } from './state.ts';

/** Options of an edit watcher. It logs why an edit is invalid. */
export interface EditWatcherOptions extends StateFile, FileContext {
  /** Returns the contract that `check` currently uses. An edit that another contract refused is checked again. */
  readonly checkedBy?: (() => unknown) | undefined;
}

/** A change of the data file that this process did not write. */
export interface Edit {
  readonly content: Content;
  /** The new state; undefined if the content is the known content. */
  readonly state: State | undefined;
}

/** How long a file must be unchanged before it is read, in ms. */
const STABLE_MS = 50;

/** How long an invalid file may be a save that has not finished, in ms. */
const UNFINISHED_MS = 500;

/** How long to wait for a file that keeps changing, in ms. */
const MAX_WAIT_MS = 1_000;

const STATE_KEPT = 'The server keeps the previous state.';

const REMEDY = `${STATE_KEPT} Fix the file; otherwise the next change replaces it and saves it beside`;

const FOLDER_REMEDY = `${STATE_KEPT} Changes return 503. Move the folder away: the next change creates the file again.`;

const LOOP_REMEDY = `${STATE_KEPT} Changes return 503. Remove the link: the next change creates the file again.`;

const LINK_REMEDY = `${STATE_KEPT} Restart the server to use the target of the link; otherwise the next change replaces the link and saves it beside.`;

/**
 * Creates a function that returns an edit of the data file if it is valid, and otherwise logs once why it is not. The function waits for an editor
 * that saves in several steps. It throws if the file can't be examined.
 */
export function createEditWatcher(options: EditWatcherOptions): (known: Content) => Promise<Edit | undefined> {
  const { path, disk, checkedBy = () => undefined, log } = options;
  /** The last invalid edit, and the known content at that time: a missing file has the same signature each time. */
  let refused: { readonly signature: Signature; readonly known: Content; readonly by: unknown } | undefined;

  return async (known) => {
    let signature = getSignature(disk, path);
    let result: Edit | string | undefined;
    let stableMs = 0;
    const isRefused = () => signature === refused?.signature && known === refused.known && refused.by === checkedBy();
    const isNew = () => signature !== known.signature && !isRefused();
    for (let ms = 0; isNew() && ms < MAX_WAIT_MS; ms += STABLE_MS) {
      await setTimeout(STABLE_MS);
      const current = getSignature(disk, path);
      stableMs = current === signature ? stableMs + STABLE_MS : 0;
      if (stableMs === STABLE_MS) result = readEdit(options, known, signature);
      if (stableMs > 0 && typeof result === 'object') return result;
      if (stableMs >= UNFINISHED_MS && typeof result === 'string') {
        refused = { signature, known, by: checkedBy() };
        log.warn(result);
      }
      signature = current;
    }
    return undefined;
  };
}

/** Returns the edit, or why it is invalid; undefined if the file has changed meanwhile. */
function readEdit(options: EditWatcherOptions, known: Content, signature: Signature): Edit | string | undefined {
  const { path, disk } = options;
  try {
    const reason = findReplacedFile(disk, path);
    if (reason !== undefined) return reason;
    const read = readState({ ...options, remedy: REMEDY });
    if (getSignature(disk, path) !== signature) return undefined;
    if (!read) return `${path} was deleted. ${STATE_KEPT} The next change creates the file again.`;
    const bytes = Buffer.from(read.text);
    return { content: { bytes, signature }, state: bytes.equals(known.bytes) ? undefined : read.state };
  } catch (error) {
    if (error instanceof DataFileError) return error.message;
    throw error;
  }
}

/** Returns why an edit can't be loaded if the data file was replaced by something that is not a regular file. */
function findReplacedFile(disk: Disk, path: string): string | undefined {
  // A commit would replace the link by a file, and its target would keep the old content.
  if (isLinkLoop(disk, path)) return `${path} is now a symbolic link that leads to itself. ${LOOP_REMEDY}`;
  if (isSymbolicLink(disk, path)) return `${path} is now a symbolic link. ${LINK_REMEDY}`;
  // No file can be renamed over a folder.
  if (disk.linkStats(path)?.isDirectory()) return `${path} is now a folder. ${FOLDER_REMEDY}`;
  return undefined;
}

function isLinkLoop(disk: Disk, path: string): boolean {
  try {
    disk.stats(path);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ELOOP';
  }
}
