import { setTimeout } from 'node:timers/promises';
import { runInSlices } from '../util/slices.ts';
import { tryOrError } from '../util/try-or-undefined.ts';
import { DataFileError } from './data-file.ts';
import { type Disk, getSignature, type Signature } from './disk.ts';
import type { FileContext } from './edit-conflicts.ts';
import { type Content, hashInSteps } from './file-content.ts';
import { readStateInSteps } from './read-in-steps.ts';
import type { State } from './state.ts';
import type { StateValidator } from './validate-state.ts';

/** Options for reading edits of a data file. `log` receives the reason why an edit is invalid. */
export interface EditReaderOptions extends FileContext {
  /** Validates a state in steps, and adds the default values of the contract to it. */
  readonly checkInSteps: StateValidator['validateInSteps'];
  /**
   * Returns the current contract.
   * If the contract changes, an invalid edit is read again, because it can be valid under the new contract.
   */
  readonly checkedBy?: (() => unknown) | undefined;
}

/** A valid edit of the data file by another program. */
export interface Edit {
  readonly content: Content;
  /** The size of the JSON text that the server would write for the state, in bytes. */
  readonly printedBytes: number;
  /**
   * The new state.
   * Undefined if the content is the same as before, for example if a program only changed the modification time.
   */
  readonly state: State | undefined;
}

/** How long an edited file must be unchanged before it is read, in ms. */
const STABLE_MS = 50;

/**
 * How long an invalid file must be unchanged before the reason is logged, in ms.
 * An editor can pause while it saves.
 */
const INVALID_MS = 500;

/** How long to wait for a file that keeps changing, in ms. */
const MAX_WAIT_MS = 1_000;

const NOT_LOADED = 'The server keeps the previous state.';

const REMEDY = `${NOT_LOADED} Fix the file. Otherwise, the next change replaces the file and saves a copy in the same folder`;

const FOLDER_REMEDY = `${NOT_LOADED} Requests that change data get 503. Move the folder to another place: the next change creates the file again.`;

const LOOP_REMEDY = `${NOT_LOADED} Requests that change data get 503. Delete the link: the next change creates the file again.`;

const LINK_REMEDY = `${NOT_LOADED} Restart the server to use the target of the link; otherwise the next change replaces the link with a file and saves the link beside it.`;

/**
 * Creates a function that reads an edited data file when the editor has finished saving it.
 * `known`: the content that the server last wrote or loaded.
 * The function returns undefined if the file has not changed, keeps changing, or is invalid.
 * The function logs once why a file is invalid, and throws if a file system call fails.
 */
export function createEditReader(options: EditReaderOptions): (known: Content) => Promise<Edit | undefined> {
  const { path, disk, checkedBy = () => undefined, log } = options;
  /**
   * The last invalid edit.
   * Its signature alone does not identify it, because a deleted file always has the same signature.
   */
  let invalid: { readonly signature: Signature; readonly known: Content; readonly by: unknown } | undefined;

  return async (known) => {
    let signature = getSignature(disk, path);
    let result: Edit | string | undefined;
    let stableMs = 0;
    const isInvalid = () => signature === invalid?.signature && known === invalid.known && invalid.by === checkedBy();
    const isNew = () => signature !== known.signature && !isInvalid();
    for (let ms = 0; isNew() && ms < MAX_WAIT_MS; ms += STABLE_MS) {
      await setTimeout(STABLE_MS);
      const current = getSignature(disk, path);
      stableMs = current === signature ? stableMs + STABLE_MS : 0;
      if (stableMs === STABLE_MS) result = await readEdit(options, known, signature);
      if (stableMs > 0 && typeof result === 'object') return result;
      if (stableMs >= INVALID_MS && typeof result === 'string') {
        invalid = { signature, known, by: checkedBy() };
        log.warn(result);
      }
      signature = current;
    }
    return undefined;
  };
}

/**
 * Reads an edited data file.
 * Returns the edit, or an error message if the edit is invalid.
 * Returns undefined if the file or the contract changes during the call.
 * The server can handle other requests during the call.
 */
async function readEdit(
  options: EditReaderOptions,
  known: Content,
  signature: Signature,
): Promise<Edit | string | undefined> {
  const { path, disk, checkedBy } = options;
  try {
    const reason = describeOtherFileType(disk, path);
    if (reason !== undefined) return reason;
    const by = checkedBy?.();
    const read = await runInSlices(readStateInSteps({ ...options, remedy: REMEDY }));
    if (getSignature(disk, path) !== signature || checkedBy?.() !== by) return undefined;
    if (!read) return `${path} was deleted. ${NOT_LOADED} The next change creates the file again.`;
    const { bytes, printedBytes, state } = read;
    const hash = await runInSlices(hashInSteps(bytes));
    const content = { hash, bytes: bytes.length, signature };
    return { content, printedBytes, state: hash === known.hash ? undefined : state };
  } catch (error) {
    if (error instanceof DataFileError) return error.message;
    throw error;
  }
}

/** Returns an error message if the data file is now a symbolic link or a folder. */
function describeOtherFileType(disk: Disk, path: string): string | undefined {
  // The content of the link's target is not loaded: the next write would replace the link and leave the target
  // unchanged.
  if (isLinkLoop(disk, path)) return `${path} is now a symbolic link that leads to itself. ${LOOP_REMEDY}`;
  const stats = disk.linkStats(path);
  if (stats?.isSymbolicLink()) return `${path} is now a symbolic link. ${LINK_REMEDY}`;
  // A file can't be renamed over a folder.
  if (stats?.isDirectory()) return `${path} is now a folder. ${FOLDER_REMEDY}`;
  return undefined;
}

function isLinkLoop(disk: Disk, path: string): boolean {
  const result: unknown = tryOrError(Error, () => disk.stats(path));
  return result instanceof Error && (result as NodeJS.ErrnoException).code === 'ELOOP';
}
