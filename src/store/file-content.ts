import { createHash } from 'node:crypto';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { runInSlices, type Steps } from '../util/slices.ts';
import { tryOrError, tryOrUndefined } from '../util/try-or-undefined.ts';
import { isDataFileError } from './data-file.ts';
import {
  copyOwnerAndMode,
  createWithMode,
  type Disk,
  describeDiskError,
  getSignature,
  PERMISSIONS,
  type Signature,
  writeAll,
} from './disk.ts';
import type { FileContext } from './edit-conflicts.ts';
import { readStateInSteps } from './read-in-steps.ts';
import type { State } from './state.ts';
import type { StateValidator } from './validate-state.ts';
import { getLogPath } from './write-ahead-log.ts';

/** Describes the content of a file: its SHA-256 in hexadecimal, its size in bytes, and the signature of the file. */
export interface Content {
  readonly hash: string;
  readonly bytes: number;
  readonly signature: Signature;
}

/** A file to write: its path and its content. */
interface NewFile {
  readonly name: string;
  readonly pieces: Iterable<Buffer>;
  /** The path of the file that provides the owner and mode for the new file. That file does not have to exist. */
  readonly path: string;
}

/**
 * Writes a new file with the owner and mode of the file at `path`.
 * Returns the hash, size and signature of the new file.
 * Deletes the new file if the write fails.
 */
export async function writeNewFile(disk: Disk, { name, pieces, path }: NewFile): Promise<Content> {
  try {
    const other = disk.stats(path);
    const file = createWithMode(disk, name, other);
    let content: Omit<Content, 'signature'>;
    try {
      if (other) copyOwnerAndMode(disk, file, other);
      content = await writePieces(pieces, (bytes) => writeAll(disk, file, bytes));
      // A failed fsync is not repeated for the same descriptor, because the second call can succeed without writing
      // anything.
      await disk.sync(file);
    } finally {
      disk.close(file);
    }
    return { ...content, signature: getSignature(disk, name) };
  } catch (error) {
    tryOrUndefined(() => disk.remove(name));
    throw error;
  }
}

/** The first byte of a file while it is overwritten. No JSON text begins with it. */
export const INCOMPLETE = 0;

/**
 * Overwrites an existing file.
 * Returns the hash, size and signature of the file.
 * If the write is interrupted, the file begins with the byte `INCOMPLETE`, also after a power cut.
 * So a file that does not begin with it was written completely, by this server or by another program.
 */
export async function overwriteFile(disk: Disk, path: string, content: Buffer): Promise<Content> {
  const [first = INCOMPLETE] = content;
  const marked = Buffer.from(content);
  marked[0] = INCOMPLETE;
  await overwriteStart(disk, path, Buffer.from([INCOMPLETE]));
  await overwriteStart(disk, path, marked, content.length);
  await overwriteStart(disk, path, Buffer.from([first]));
  return createContent(content, getSignature(disk, path));
}

/** Overwrites the first bytes of a file. `length`: the new length of the file; undefined if it does not change. */
async function overwriteStart(disk: Disk, path: string, bytes: Buffer, length?: number): Promise<void> {
  const file = disk.openToWrite(path);
  try {
    writeAll(disk, file, bytes);
    if (length !== undefined) disk.truncate(file, length);
    await disk.sync(file);
  } finally {
    disk.close(file);
  }
}

/**
 * Calls `write` for each piece.
 * The server can handle other requests between two pieces.
 * Returns the SHA-256 of all pieces in hexadecimal, and their total size in bytes.
 */
async function writePieces(pieces: Iterable<Buffer>, write: (bytes: Buffer) => void) {
  const hash = createHash('sha256');
  let bytes = 0;
  for (const piece of pieces) {
    if (bytes > 0) await setImmediate();
    write(piece);
    hash.update(piece);
    bytes += piece.length;
  }
  return { hash: hash.digest('hex'), bytes };
}

/** The number of bytes that are hashed at once, or read from a file at once. */
const READ_BYTES = 1_000_000;

/** Creates the description of a file's content: the hash and the size of `bytes`, and the `signature` of the file. */
export function createContent(bytes: Uint8Array, signature: Signature): Content {
  return { hash: hashBytes(bytes), bytes: bytes.length, signature };
}

/** Returns the SHA-256 of bytes, in hexadecimal. */
export function hashBytes(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Computes the SHA-256 of `bytes`, in hexadecimal. Yields after each megabyte, so that the caller can pause. */
function* hashInSteps(bytes: Buffer): Steps<string> {
  const hash = createHash('sha256');
  for (let at = 0; at < bytes.length; at += READ_BYTES) {
    hash.update(bytes.subarray(at, at + READ_BYTES));
    yield;
  }
  return hash.digest('hex');
}

/**
 * Returns the SHA-256 of an open file, in hexadecimal.
 * The server can handle other requests between two pieces of the file.
 */
export async function hashFile(disk: Disk, descriptor: number): Promise<string> {
  const { hash } = await writePieces(readPieces(disk, descriptor), () => {});
  return hash;
}

function* readPieces(disk: Disk, descriptor: number): Generator<Buffer> {
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  for (let position = 0; ; ) {
    const bytes = disk.readAt(descriptor, buffer, position);
    if (bytes === 0) return;
    yield buffer.subarray(0, bytes);
    position += bytes;
  }
}

/**
 * Returns whether the file at `path` is a mount point, as with `docker run -v ./db.json:/app/db.json`.
 * A mount point can't be replaced by a rename.
 * To find out, creates a hard link with the name `temporaryName`, which fails with EXDEV for a mount point.
 * Deletes the hard link.
 */
export function isMountedFile({ path, disk }: FileContext, temporaryName: string): boolean {
  const error = tryOrError(Error, () => disk.link(path, temporaryName));
  if (error) return (error as NodeJS.ErrnoException).code === 'EXDEV';
  tryOrUndefined(() => disk.remove(temporaryName));
  return false;
}

/**
 * Logs a warning if the file at `path` can't be replaced now, or if a replacement would change its owner, mode or hard
 * links.
 * As a test, creates a file with the name `temporaryName` and deletes it.
 */
export function warnIfNotReplaceable({ path, disk, log }: FileContext, temporaryName: string): void {
  try {
    const current = disk.stats(path);
    if (!current) return;
    if (current.isFile() && current.nlink > 1n)
      log.warn(
        `${path} has ${current.nlink} hard links. A change creates a new file with this name. The other names keep the current content.`,
      );
    const file = createWithMode(disk, temporaryName, current);
    try {
      if (!copyOwnerAndMode(disk, file, current)) {
        const mode = (current.mode & PERMISSIONS).toString(8);
        log.warn(
          `${path} has the owner ${current.uid}, the group ${current.gid} and the mode ${mode}. When the server replaces the file, it can't preserve all of them.`,
        );
      }
    } finally {
      disk.close(file);
    }
  } catch (error) {
    log.warn(
      `${path} can't be written now (${describeDiskError(error)}). Requests that change data get 503 until it can be written.`,
    );
  }
  tryOrUndefined(() => disk.remove(temporaryName));
}

/**
 * Logs a warning if the write-ahead log of the data file at `path` can't be created now.
 * Used if the data file is a mount point.
 * As a test, creates a file with the name `temporaryName` and deletes it.
 */
export function warnIfLogNotCreatable({ path, disk, log }: FileContext, temporaryName: string): void {
  try {
    disk.close(createWithMode(disk, temporaryName, undefined));
  } catch (error) {
    log.warn(
      `${getLogPath(path)} can't be created now (${describeDiskError(error)}). Requests that change data get 503 until it can be created.`,
    );
  }
  tryOrUndefined(() => disk.remove(temporaryName));
}

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
    if (isDataFileError(error)) return error.message;
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
