import { findJsonIssues, MAX_JSON_DEPTH } from '../util/json-limits.ts';
import { pointerTo } from '../util/json-pointer.ts';
import { type Disk, describeDiskError, signatureBehind, tryOrUndefined } from './disk.ts';
import { createJsonSyntaxError, findDuplicateName, type JsonSyntaxError } from './json-syntax-error.ts';
import { LARGEST_FILE_BYTES } from './new-file.ts';
import type { State } from './state.ts';
import { type StateIssue, type ValidateEntry, validateState } from './validate-state.ts';

/** A file that can't be used: `message` names it, the place in it, what is wrong and the ways on. */
export class DataFileError extends Error {
  override readonly name = 'DataFileError';
}

/** A file that is empty or no JSON, as a write that was cut off leaves it. */
class TornFileFault extends DataFileError {}

/** A state and the text that it was read from. */
export interface StateText {
  readonly state: State;
  readonly text: string;
}

/** How a file with a state is read. */
export interface Reading {
  readonly path: string;
  readonly disk: Disk;
  readonly check: ValidateEntry;
  /** What to do where it can't be used, a sentence. */
  readonly remedy: string;
  /** How a file may have become empty or cut off, a sentence. */
  readonly causeOfTearing?: string;
}

/**
 * The state that a file holds, checked against the contract and its own references; undefined where there is no file. Throws `DataFileError`, which
 * ends with the remedy, for anything else that is not a state. The file is read, never touched.
 */
export function readState({ path, disk, check, remedy, causeOfTearing }: Reading): StateText | undefined {
  try {
    const bytes = read(disk, path);
    if (!bytes) return undefined;
    const text = decoded(path, bytes);
    const data = parsed(path, text.replace(/^\uFEFF/, ''));
    const flaws = validateState(data, check);
    if (flaws.length > 0) throw new DataFileError(`${path} ${described(flaws)}`);
    // With the contract's defaults in it, as a commit writes it.
    refuseTooLarge(path, data);
    return { state: data as State, text };
  } catch (error) {
    if (!(error instanceof DataFileError)) throw error;
    const cause = error instanceof TornFileFault && causeOfTearing ? `${causeOfTearing}. ` : '';
    throw new DataFileError(`${error.message}. ${cause}${remedy}`, { cause: error.cause });
  }
}

/** What a file has otherwise than the default data: some of the lists of a state, or all. Throws `DataFileError` where it is no such thing, or where both together are no state. */
export function readChange({
  path,
  disk,
  check,
  defaults,
}: Omit<Reading, 'remedy'> & { readonly defaults: State }): Partial<State> {
  const bytes = read(disk, path);
  if (!bytes) throw new DataFileError(`${path} is not there`);
  const change = parsed(path, decoded(path, bytes).replace(/^\uFEFF/, ''));
  const isObject = typeof change === 'object' && change !== null && !Array.isArray(change);
  const flaws = validateState(isObject ? { ...structuredClone(defaults), ...change } : change, check);
  if (flaws.length > 0) throw new DataFileError(`${path} ${described(flaws)}`);
  refuseTooLarge(path, change);
  return change as Partial<State>;
}

/** Throws `DataFileError` where a commit of the data would write more bytes than a data file may have. */
function refuseTooLarge(path: string, data: unknown): void {
  const printed = printedAs(data);
  if (printed !== undefined && Buffer.byteLength(printed) <= LARGEST_FILE_BYTES) return;
  throw new DataFileError(
    `${path} holds more than the ${LARGEST_FILE_BYTES} bytes that a shop's data may have once it is written`,
  );
}

/** Reads the default data again whenever its file has changed, so that a reset restores what the file holds now. */
export function defaultData({ path, disk, check }: Omit<Reading, 'remedy'>): () => StateText {
  const remedy = 'Mend it, or give another file with --default-data';
  let last: { readonly signature: string | undefined; readonly content: StateText } | undefined;
  return () => {
    // Where it can't be looked at it is read, which says why.
    const signature = tryOrUndefined(() => signatureBehind(disk, path));
    if (last && last.signature === signature && signature !== undefined) return last.content;
    const content = readState({ path, disk, check, remedy });
    if (!content)
      throw new DataFileError(`${path} is not there: give another file with --default-data, or put it back`);
    last = { signature, content };
    return content;
  };
}

function read(disk: Disk, path: string): Buffer | undefined {
  try {
    const stats = disk.stats(path);
    if (!stats) return undefined;
    if (stats.isDirectory()) throw new DataFileError(`${path} is a folder, not a file`);
    // A pipe or a device would be waited for.
    if (!stats.isFile()) throw new DataFileError(`${path} is not a file`);
    if (stats.size > LARGEST_FILE_BYTES) {
      throw new DataFileError(
        `${path} has ${stats.size} bytes, more than the ${LARGEST_FILE_BYTES} that a shop's data may have`,
      );
    }
    return disk.read(path);
  } catch (cause) {
    if (cause instanceof DataFileError) throw cause;
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new DataFileError(`${path} can't be read (${describeDiskError(cause)})`, { cause });
  }
}

function decoded(path: string, bytes: Buffer): string {
  if (bytes.length === 0) throw new TornFileFault(`${path} is empty`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new TornFileFault(`${path} is not text in UTF-8`, { cause });
  }
}

/** What a text of JSON holds; a byte order mark, which a reset restores with the rest, is none. */
function parsed(path: string, text: string): unknown {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (cause) {
    throw new TornFileFault(placed(path, createJsonSyntaxError(text, cause as Error)), { cause });
  }
  const issue = findJsonIssues(data).find(({ rule }) => rule === 'depth');
  if (issue)
    throw new DataFileError(`${path} ${described([{ pointer: pointerTo(...issue.path), trouble: TOO_DEEP }])}`);
  const printed = printedAs(data);
  const twin = printed === undefined || text === printed ? undefined : findDuplicateName(text);
  if (twin) throw new DataFileError(placed(path, twin));
  return data;
}

const TOO_DEEP = `is nested deeper than ${MAX_JSON_DEPTH} levels: nest less`;

/** How data is written; undefined where it is too long, which its length tells. */
function printedAs(data: unknown): string | undefined {
  return tryOrUndefined(() => `${JSON.stringify(data, null, 2)}\n`);
}

function placed(path: string, { line, trouble }: JsonSyntaxError): string {
  return `${path}:${line} ${readable(trouble)}`;
}

/** How much of a text from a file a sentence shows, in characters. */
const SHOWN_LENGTH = 400;

/** A text from a file, cut to what a reader needs, its control characters shown: they could end the line or steer the terminal. */
function readable(text: string): string {
  const cut = text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
  return cut.replaceAll(/[\p{Control}\u2028\u2029]/gu, (character) => JSON.stringify(character).slice(1, -1));
}

/** How many flaws a sentence names; the rest are counted. */
const FLAWS_SHOWN = 3;

function described(flaws: readonly StateIssue[]): string {
  const shown = flaws
    .slice(0, FLAWS_SHOWN)
    .map(({ pointer, trouble }) => `${readable(pointer) || 'its content'} ${readable(trouble)}`);
  const rest = flaws.length - shown.length;
  return `is not a shop's data: ${shown.join('; ')}${rest > 0 ? `; and ${rest} more` : ''}`;
}
