import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Steps } from '../util/slices.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { copyOwnerAndMode, createWithMode, type Disk, getSignature, type Signature, writeAll } from './disk.ts';

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
export async function writePieces(pieces: Iterable<Buffer>, write: (bytes: Buffer) => void) {
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
export function* hashInSteps(bytes: Buffer): Steps<string> {
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
