import { createHash } from 'node:crypto';
import type { UploadedFile } from '../../application.ts';
import { EntryList, getList, setList } from '../../store/entry-list.ts';
import type { State } from '../../store/state.ts';
import { memoizeByObject } from '../../util/memoize-by-object.ts';
import { tryOrUndefined } from '../../util/try-or-undefined.ts';

/** The name of the internal list of the state with the uploaded files that no operation returns. */
export const FILES = '$files';

/** Returns whether a value is a file from a form: a `data:` URL with the size of the file. */
export function isFile(value: unknown): value is string {
  return typeof value === 'string' && /^data:[^,\p{Cc}]*;size=\d+;base64,/u.test(value);
}

/** What a `data:` URL says about its file. `size`: in bytes. */
export interface FileDescription {
  readonly name: string | undefined;
  readonly size: number;
  readonly type: string;
}

/** Returns what a file says about itself. */
export function describeFile(file: string): FileDescription {
  const [, type = '', parameters = ''] = /^data:([^;,]*)([^,]*),/.exec(file) ?? [];
  const read = (name: string) => new RegExp(`;${name}=([^;]*)`).exec(parameters)?.[1];
  const name = read('name');
  return { name: name && tryOrUndefined(() => decodeURIComponent(name)), size: Number(read('size')), type };
}

/** Returns the content of a file. */
export function readContent(file: string): Buffer {
  return Buffer.from(file.slice(file.indexOf(',') + 1), 'base64');
}

/** Returns the hash of a file and its name, of which the path of the file consists. Nobody can guess it. */
function getHash(file: string): string {
  return createHash('sha256').update(file).digest('hex').slice(0, 32);
}

/** Returns the URL of a file. `filesUrl`: the URL below which the server sends files. */
export function getFileUrl(filesUrl: string, file: string): string {
  const { name } = describeFile(file);
  const ending = name === undefined || name === '' ? '' : `/${encodeURIComponent(name)}`;
  return `${filesUrl}/${getHash(file)}${ending}`;
}

/** Returns a copy of a state with files. */
export function addFiles(state: State, files: readonly string[]): State {
  const list = getList(state, FILES);
  const known = indexFiles(list);
  const added = files.map((file) => ({ id: getHash(file), file })).filter(({ id }) => !known.has(id));
  return added.length === 0 ? state : setList(state, FILES, EntryList.of([...list.entries, ...added]));
}

const indexFiles = memoizeByObject((list: EntryList) => new Map(list.entries.map(({ id, file }) => [id, file])));

/** Returns the file with a hash; undefined if there is none. */
export function findStoredFile(hash: string, state: State): UploadedFile | undefined {
  const file = indexFiles(getList(state, FILES)).get(hash);
  if (!isFile(file)) return undefined;
  const { type } = describeFile(file);
  return { type: type.startsWith('text/') ? `${type}; charset=utf-8` : type, content: readContent(file) };
}
