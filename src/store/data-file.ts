import { type Flaw, flawsOf, type SchemaCheck } from './check-state.ts';
import { type Disk, signatureOf, tried, troubleOf } from './disk.ts';
import { type JsonFault, syntaxFault, twinName } from './json-faults.ts';
import { LARGEST_FILE_BYTES } from './new-file.ts';
import type { State } from './state.ts';

/** A file that can't be used: `message` names it, the place in it, what is wrong and the ways on. */
export class DataFault extends Error {
  override readonly name = 'DataFault';
}

/** A state and the text that it was read from. */
export interface StateText {
  readonly state: State;
  readonly text: string;
}

/** How a file with a state is read. */
export interface Reading {
  readonly path: string;
  readonly disk: Disk;
  readonly check: SchemaCheck;
  /** What to do where it can't be used, a sentence. */
  readonly remedy: string;
}

/**
 * The state that a file holds, checked against the contract and its own references; undefined where there is no file. Throws `DataFault`, which
 * ends with the remedy, for anything else that is not a state. The file is read, never touched.
 */
export function readState({ path, disk, check, remedy }: Reading): StateText | undefined {
  try {
    const bytes = read(disk, path);
    if (!bytes) return undefined;
    const text = decoded(path, bytes);
    const data = parsed(path, text.replace(/^\uFEFF/, ''));
    const flaws = flawsOf(data, check);
    if (flaws.length > 0) throw new DataFault(`${path} ${described(flaws)}`);
    return { state: data as State, text };
  } catch (error) {
    if (!(error instanceof DataFault)) throw error;
    throw new DataFault(`${error.message}. ${remedy}`, { cause: error.cause });
  }
}

/** What a file has otherwise than the default data: some of the lists of a state, or all. Throws `DataFault` where it is no such thing, or where both together are no state. */
export function readChange({
  path,
  disk,
  check,
  defaults,
}: Omit<Reading, 'remedy'> & { readonly defaults: State }): Partial<State> {
  const bytes = read(disk, path);
  if (!bytes) throw new DataFault(`${path} is not there`);
  const change = parsed(path, decoded(path, bytes).replace(/^\uFEFF/, ''));
  const isObject = typeof change === 'object' && change !== null && !Array.isArray(change);
  const flaws = flawsOf(isObject ? { ...structuredClone(defaults), ...change } : change, check);
  if (flaws.length > 0) throw new DataFault(`${path} ${described(flaws)}`);
  return change as Partial<State>;
}

/** Reads the default data again whenever its file has changed, so that a reset restores what the file holds now. */
export function defaultData({ path, disk, check }: Omit<Reading, 'remedy'>): () => StateText {
  const remedy = 'Mend it, or give another file with --default-data';
  let last: { readonly signature: string | undefined; readonly content: StateText } | undefined;
  return () => {
    // Where it can't be looked at it is read, which says why.
    const signature = tried(() => signatureOf(disk, path));
    if (last && last.signature === signature && signature !== undefined) return last.content;
    const content = readState({ path, disk, check, remedy });
    if (!content) throw new DataFault(`${path} is not there: give another file with --default-data, or put it back`);
    last = { signature, content };
    return content;
  };
}

function read(disk: Disk, path: string): Buffer | undefined {
  try {
    const stats = disk.stats(path);
    if (!stats) return undefined;
    if (stats.isDirectory()) throw new DataFault(`${path} is a folder, not a file`);
    // A pipe or a device would be waited for.
    if (!stats.isFile()) throw new DataFault(`${path} is not a file`);
    if (stats.size > LARGEST_FILE_BYTES) {
      throw new DataFault(
        `${path} has ${stats.size} bytes, more than the ${LARGEST_FILE_BYTES} that a shop's data may have`,
      );
    }
    return disk.read(path);
  } catch (cause) {
    if (cause instanceof DataFault) throw cause;
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new DataFault(`${path} can't be read (${troubleOf(cause)})`, { cause });
  }
}

function decoded(path: string, bytes: Buffer): string {
  if (bytes.length === 0) throw new DataFault(`${path} is empty`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new DataFault(`${path} is not text in UTF-8`, { cause });
  }
}

/** What a text of JSON holds; a byte order mark, which a reset restores with the rest, is none. */
function parsed(path: string, text: string): unknown {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (cause) {
    throw faultAt(path, syntaxFault(text, cause as Error), cause);
  }
  const printed = printedAs(data);
  if (printed !== undefined && Buffer.byteLength(printed) > LARGEST_FILE_BYTES) {
    throw new DataFault(
      `${path} holds more than the ${LARGEST_FILE_BYTES} bytes that a shop's data may have once it is written`,
    );
  }
  const twin = printed === undefined || text === printed ? undefined : twinName(text);
  if (twin) throw faultAt(path, twin);
  return data;
}

/** How data is written; undefined where it is nested too deeply or is too long, which the contract's schemas or its length tell. */
function printedAs(data: unknown): string | undefined {
  return tried(() => `${JSON.stringify(data, null, 2)}\n`);
}

function faultAt(path: string, { line, trouble }: JsonFault, cause?: unknown): DataFault {
  return new DataFault(`${path}:${line} ${readable(trouble)}`, { cause });
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

function described(flaws: readonly Flaw[]): string {
  const shown = flaws
    .slice(0, FLAWS_SHOWN)
    .map(({ pointer, trouble }) => `${readable(pointer) || 'its content'} ${readable(trouble)}`);
  const rest = flaws.length - shown.length;
  return `is not a shop's data: ${shown.join('; ')}${rest > 0 ? `; and ${rest} more` : ''}`;
}
