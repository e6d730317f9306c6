import { readFileSync, type Stats, statSync } from 'node:fs';
import jsonc, { type ParseError } from 'jsonc-parser';
import { type Flaw, flawsOf, type SchemaCheck } from './check-state.ts';
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

/** What to do about a data file, and about default data, that can't be used. */
export const MEND_DATA = 'It was left as it is: mend it, or move it away to start with the default data';
const MEND_DEFAULTS = 'Mend it, or give another file with --default-data';

/**
 * The state that the file at `path` holds, checked against the contract and its own references; undefined where there is no file.
 * Throws `DataFault`, which ends with `remedy`, for anything else that is not a state. The file is read, never touched.
 */
export function readState(path: string, check: SchemaCheck, remedy: string): StateText | undefined {
  try {
    const bytes = read(path);
    if (!bytes) return undefined;
    const text = decoded(path, bytes);
    const data = parsed(path, text);
    const flaws = flawsOf(data, check);
    if (flaws.length > 0) throw new DataFault(`${path} ${described(flaws)}`);
    return { state: data as State, text };
  } catch (error) {
    if (!(error instanceof DataFault)) throw error;
    throw new DataFault(`${error.message}. ${remedy}`, { cause: error.cause });
  }
}

/** What is known of a file; undefined where there is none, or none that can be looked at, which reading it will say. */
export function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** Reads the default data again whenever its file has changed, so that a reset restores what the file holds now. */
export function defaultData(path: string, check: SchemaCheck): () => StateText {
  let last: { readonly signature: string; readonly content: StateText } | undefined;
  return () => {
    const signature = signatureOf(path);
    if (last?.signature !== signature) {
      const content = readState(path, check, MEND_DEFAULTS);
      if (!content) throw new DataFault(`${path} is not there: give another file with --default-data, or put it back`);
      last = { signature, content };
    }
    return last.content;
  };
}

/** What changes when the file's content does; "" where there is no file. */
function signatureOf(path: string): string {
  const stats = statsOf(path);
  return stats ? `${stats.ino} ${stats.size} ${stats.mtimeMs}` : '';
}

function read(path: string): Buffer | undefined {
  const stats = statsOf(path);
  if (stats?.isDirectory()) throw new DataFault(`${path} is a folder, not a file`);
  // A pipe or a device would be waited for.
  if (stats && !stats.isFile()) throw new DataFault(`${path} is not a file`);
  try {
    return readFileSync(path);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new DataFault(`${path} can't be read (${code ?? message})`, { cause });
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

function parsed(path: string, text: string): unknown {
  try {
    // A byte order mark is kept in the text, so that a reset restores it, but is no JSON.
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (cause) {
    throw new DataFault(`${path}${trouble(text, cause as Error)}`, { cause });
  }
}

/** ":LINE is not JSON: …". V8 tells of some errors without the place, so that is looked for by a parser that goes on after them. */
function trouble(text: string, { message }: Error): string {
  const errors: ParseError[] = [];
  jsonc.parse(text, errors, { disallowComments: true });
  const [first] = errors;
  const line = text.slice(0, first?.offset).split('\n').length;
  const what = first ? inWords(jsonc.printParseErrorCode(first.error)) : message.replaceAll(/\s+/g, ' ');
  return `:${line} is not JSON: ${what}`;
}

/** "ValueExpected" as "value expected". */
function inWords(code: string): string {
  return code.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}

/** How many flaws a sentence names; the rest are counted. */
const FLAWS_SHOWN = 3;

function described(flaws: readonly Flaw[]): string {
  const shown = flaws.slice(0, FLAWS_SHOWN).map(({ pointer, trouble }) => `${pointer || 'its content'} ${trouble}`);
  const rest = flaws.length - shown.length;
  return `is not a shop's data: ${shown.join('; ')}${rest > 0 ? `; and ${rest} more` : ''}`;
}
