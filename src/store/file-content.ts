import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Steps } from '../util/slices.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { copyOwnerAndMode, createWithMode, type Disk, getSignature, type Signature, writeAll } from './disk.ts';

/** The content of a file: its SHA-256 in hexadecimal, its size in bytes, and the signature of the file. */
export interface Content {
  readonly hash: string;
  readonly bytes: number;
  readonly signature: Signature;
}

/** A file to write: its name and its content. */
interface NewFile {
  readonly name: string;
  readonly pieces: Iterable<Buffer>;
  /** The path of another file. If that file exists, the new file gets the same owner and mode. */
  readonly path: string;
  /** Whether to call fsync. */
  readonly isSynced: boolean;
}

/** Writes a new file, with the owner and mode of the file at `path`. Returns the content of the new file. Deletes the new file if a step fails. */
export async function writeNewFile(disk: Disk, { name, pieces, path, isSynced }: NewFile): Promise<Content> {
  try {
    const other = disk.stats(path);
    const file = createWithMode(disk, name, other);
    let content: Omit<Content, 'signature'>;
    try {
      if (other) copyOwnerAndMode(disk, file, other);
      content = await writePieces(pieces, (bytes) => writeAll(disk, file, bytes));
      // A failed fsync is never repeated for the same descriptor: the second call can succeed without writing anything.
      if (isSynced) await disk.sync(file);
    } finally {
      disk.close(file);
    }
    return { ...content, signature: getSignature(disk, name) };
  } catch (error) {
    tryOrUndefined(() => disk.remove(name));
    throw error;
  }
}

/** Overwrites an existing file from its start. Returns its new content. If a step fails, the file can have a part of the new content. */
export async function overwriteFile(disk: Disk, { path, pieces, isSynced }: Omit<NewFile, 'name'>): Promise<Content> {
  const file = disk.openToWrite(path);
  let content: Omit<Content, 'signature'>;
  try {
    content = await writePieces(pieces, (bytes) => writeAll(disk, file, bytes));
    disk.truncate(file, content.bytes);
    if (isSynced) await disk.sync(file);
  } finally {
    disk.close(file);
  }
  return { ...content, signature: getSignature(disk, path) };
}

/** Calls `write` for each piece of a content, and handles other requests between two pieces. Returns the hash and the size of the content. */
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

/** The size of the pieces in which a file is read, in bytes. */
const READ_BYTES = 1_000_000;

/** Returns the content of a file from its text and its signature. */
export function createContent(text: string, signature: Signature): Content {
  const bytes = Buffer.from(text);
  return { hash: hashBytes(bytes), bytes: bytes.length, signature };
}

/** Returns the SHA-256 of a content, in hexadecimal. */
export function hashBytes(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Returns the hash of a content, in steps. */
export function* hashInSteps(bytes: Buffer): Steps<string> {
  const hash = createHash('sha256');
  for (let at = 0; at < bytes.length; at += READ_BYTES) {
    hash.update(bytes.subarray(at, at + READ_BYTES));
    yield;
  }
  return hash.digest('hex');
}

/** Returns the hash of an open file. Handles other requests between two pieces of the file. */
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
