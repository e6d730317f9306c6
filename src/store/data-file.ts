import { readFileSync, statSync } from 'node:fs';
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

/**
 * The state that the file at `path` holds, checked against the contract and its own references; undefined where there is no file.
 * Throws `DataFault` for anything else that is not a state. The file is read, never touched.
 */
export function readState(path: string, check: SchemaCheck): StateText | undefined {
  const bytes = read(path);
  if (!bytes) return undefined;
  const text = decoded(path, bytes);
  const data = parsed(path, text);
  const flaws = flawsOf(data, check);
  if (flaws.length > 0) throw fault(`${path} ${described(flaws)}`);
  return { state: data as State, text };
}

/** Reads the default data again whenever its file has changed, so that a reset restores what the file holds now. */
export function defaultData(path: string, check: SchemaCheck): () => StateText {
  let last: { readonly signature: string; readonly content: StateText } | undefined;
  return () => {
    const signature = signatureOf(path);
    if (last?.signature !== signature) {
      const content = readState(path, check);
      if (!content)
        throw new DataFault(`${path} is not there: give another file with default data, or put this one back`);
      last = { signature, content };
    }
    return last.content;
  };
}

/** What changes when the file's content does; "" where there is no file. */
function signatureOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats ? `${stats.ino} ${stats.size} ${stats.mtimeMs}` : '';
}

function read(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw fault(
      `${path} ${code === 'EISDIR' ? 'is a folder, not a file' : `can't be read (${code ?? message})`}`,
      cause,
    );
  }
}

function decoded(path: string, bytes: Buffer): string {
  if (bytes.length === 0) throw fault(`${path} is empty`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw fault(`${path} is not text in UTF-8`, cause);
  }
}

function parsed(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw fault(`${path}${trouble(text, cause as Error)}`, cause);
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

function fault(sentence: string, cause?: unknown): DataFault {
  return new DataFault(`${sentence}. It was left as it is: mend it, or move it away to start with the default data`, {
    cause,
  });
}
