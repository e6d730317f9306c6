import type { Route } from '../openapi/routes.ts';
import type { Entry } from '../store/state.ts';
import { normalizeName } from '../util/names.ts';
import { MULTIPART_TYPE } from '../util/request-target.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import type { SchemaReader } from './schema-reader.ts';

/** Returns whether an operation uploads files: its request body is `multipart/form-data`. */
export function isUpload({ bodyMedia }: Route): boolean {
  return Object.keys(bodyMedia).some((type) => type.startsWith(MULTIPART_TYPE));
}

/** The names of properties with what a file says about itself, without uppercase letters and separators. */
const FILE_PROPERTIES = {
  name: ['filename', 'originalfilename', 'originalname', 'name'],
  size: ['size', 'filesize', 'bytes', 'sizebytes', 'sizeinbytes', 'contentlength'],
  type: ['contenttype', 'mimetype', 'mediatype', 'filetype', 'mime', 'type'],
} as const;

/**
 * Returns the properties of an entry that follow from an uploaded file: its name, its size in bytes and its media type.
 * `body`: the fields of the form, in which a file is a `data:` URL.
 * `isValid`: returns whether the schema at a JSON Pointer allows a value.
 */
export function describeUpload(
  reader: SchemaReader,
  schema: string,
  body: Entry,
  isValid: (pointer: string, value: unknown) => boolean,
): Entry {
  const url = Object.values(body).flat().find(isFile);
  if (url === undefined || schema === '') return {};
  const [, type = '', parameters = ''] = /^data:([^;,]*)([^,]*),/.exec(url) ?? [];
  const read = (name: string) => new RegExp(`;${name}=([^;]*)`).exec(parameters)?.[1];
  const name = read('name');
  const values = { name: name && tryOrUndefined(() => decodeURIComponent(name)), size: Number(read('size')), type };
  return Object.fromEntries(
    [...reader.getProperties(schema)].flatMap(([property, pointer]) => {
      const own = normalizeName(property);
      const meaning = (['name', 'size', 'type'] as const).find((key) =>
        FILE_PROPERTIES[key].some((one) => one === own),
      );
      const value = meaning && values[meaning];
      return value !== undefined && isValid(pointer, value) ? [[property, value]] : [];
    }),
  );
}

function isFile(value: unknown): value is string {
  return typeof value === 'string' && /^data:[^,]*;size=\d+;base64,/.test(value);
}
