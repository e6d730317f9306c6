import { isJsonType } from '../../openapi/media-types.ts';
import { getShape } from '../../openapi/responses.ts';
import type { Route } from '../../openapi/routes.ts';
import { isPictureName, normalizeName, toSingular } from '../../util/names.ts';
import { MULTIPART_TYPE } from '../../util/request-target.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import type { Resource } from '../resource.ts';

/** Returns whether an operation uploads files: its request body is `multipart/form-data`. */
export function isUpload({ bodyMedia }: Route): boolean {
  return Object.keys(bodyMedia).some((type) => type.startsWith(MULTIPART_TYPE));
}

/** The names of properties with what a file says about itself, without uppercase letters and separators. */
export const FILE_PROPERTIES = {
  name: ['filename', 'originalfilename', 'originalname', 'name'],
  size: ['size', 'filesize', 'bytes', 'sizebytes', 'sizeinbytes', 'contentlength'],
  type: ['contenttype', 'mimetype', 'mediatype', 'filetype', 'mime', 'type'],
} as const;

/** Returns whether a property says something about a file that nothing else has, such as `fileName`. */
export function isFilePropertyName(name: string): boolean {
  const others = ['name', 'size', 'bytes', 'type'];
  const own = normalizeName(name);
  return !others.includes(own) && Object.values(FILE_PROPERTIES).some((names) => names.some((one) => one === own));
}

/** Returns whether a property can have the size of a file in bytes. */
export function isSizeName(name: string): boolean {
  return FILE_PROPERTIES.size.some((one) => one === normalizeName(name));
}

/** Names of properties with the URL of a file, without uppercase letters and separators. */
const FILE_URLS = ['fileurl', 'downloadurl', 'contenturl'];

/** Names of properties with the URL of a file, or with that of another page. */
const OWN_URLS = ['url', 'href', 'src', 'link', 'uri'];

/** Names of fields and entries that are any file, without uppercase letters and separators. */
const ANY_FILE = /^(?:file|upload|data|content|blob|binary|media|attachment|asset)$/;

/** Names of fields with any file that can be a picture, without uppercase letters and separators. */
const ANY_PICTURE = /^(?:file|upload|media|asset)$/;

/** Names of entries that are a file of one kind, without uppercase letters and separators. */
const FILE_KINDS = /(?:file|document|video|audio|recording|scan)$/;

/** Ends of the names of properties with the URL of a file, after the name of the form field: `Url` for `avatar`. */
export const URL_END = /^(?:s|files?|images?)?(?:ur[il]s?|links?|hrefs?|srcs?|paths?)?$/;

/** A property of an entry with the URL of the file in a field of a form. `isList`: whether it has several URLs. */
export interface FileProperty {
  readonly field: string;
  readonly property: string;
  readonly pointer: string;
  readonly isList: boolean;
}

/**
 * Returns the properties of an entry with the URLs of the files in a form: `avatarUrl` for the field `avatar`.
 * For the only file of a form, these are also `downloadUrl` and similar, or the only picture of the entry.
 * `url` and similar of a recipe with a photo is another page, unless nothing else has the URL of the field `file`.
 * A text field of the form sets its property itself.
 * `noun`: what an action uploads by its path, such as `avatar`.
 */
export function listFileProperties(
  reader: SchemaReader,
  { schema, singular }: Pick<Resource, 'schema' | 'singular'>,
  route: Route,
  noun?: string,
): readonly FileProperty[] {
  if (schema === '' || !isUpload(route)) return [];
  const texts = listTextFields(reader, route);
  const fields = [...getFields(reader, route).keys()].filter((name) => !texts.includes(toListName(name)));
  const known = [...reader.getProperties(schema)].flatMap(([property, pointer]) => {
    const [own, items] = [pointer, reader.getItems(pointer)];
    const isList = reader.getTypes(own).includes('array') && items !== undefined;
    const allowsText = reader.getTypes(isList ? items : own).includes('string');
    return allowsText && !texts.includes(property) ? [{ property, pointer, isList }] : [];
  });
  return fields.flatMap((field) => {
    const isNoun = fields.length === 1 && noun !== undefined && !GENERAL.test(noun);
    const name = normalizeName(toSingular(isNoun ? noun : field));
    const named = known.filter(({ property }) => {
      const own = normalizeName(property);
      return own.startsWith(name) && URL_END.test(own.slice(name.length));
    });
    if (fields.length > 1) return named.map((one) => ({ field, ...one }));
    const find = (isFound: (own: string) => boolean) =>
      known.filter(({ property }) => !named.some((one) => one.property === property) && isFound(property));
    const urls = [...named, ...find((own) => FILE_URLS.includes(normalizeName(own)))];
    const isAny = ANY_FILE.test(name) && named.length === 0 && noun === undefined;
    const isOwn = isAny || name === normalizeName(singular) || isFileEntry(reader, { schema, singular });
    const found = isOwn ? [...urls, ...find((own) => OWN_URLS.includes(normalizeName(own)))] : urls;
    const pictures = isPictureName(name) || ANY_PICTURE.test(name) ? find(isPictureName) : [];
    return (found.length > 0 ? found : pictures.length === 1 ? pictures : []).map((one) => ({ field, ...one }));
  });
}

/** Returns whether an entry is a file: a photo, or an object with the name or the media type of a file. */
export function isFileEntry(
  reader: SchemaReader,
  { schema, singular }: Pick<Resource, 'schema' | 'singular'>,
): boolean {
  const name = normalizeName(singular);
  const isNamed = ANY_FILE.test(name) || FILE_KINDS.test(name) || isPictureName(singular);
  return isNamed || [...reader.getProperties(schema).keys()].some(isFilePropertyName);
}

/** Matches the words of paths that only say that a file is uploaded. */
const UPLOADS = /^(?:upload|set|change|update|add|replace|save|store)(?:s|ed)?[-_]?(?=.|$)/i;
export const GENERAL = /^(?:files?|(?:profile[-_]?)?(?:images?|photos?|pictures?|pic)|media|)$/i;

/** Returns the last segment of a path without words such as `upload`: `avatar` for `upload-avatar`. */
export function removeUploadWords(verb: string): string {
  return verb.replace(UPLOADS, '');
}

/** Returns whether a property can have the URL of a file. */
export function isUrlName(property: string): boolean {
  const name = normalizeName(property);
  return [...FILE_URLS, ...OWN_URLS].includes(name) || isPictureName(property);
}

/** Returns the fields of the form with files that an operation receives, and the JSON Pointers of their schemas. */
function getFields(reader: SchemaReader, { bodyMedia }: Route): ReadonlyMap<string, string> {
  const [, media] = Object.entries(bodyMedia).find(([type]) => type.startsWith(MULTIPART_TYPE)) ?? [];
  const shape = getShape(media);
  return shape === undefined ? new Map() : reader.getProperties(shape);
}

/** Returns the fields of the form of an operation that are not files. */
export function listTextFields(reader: SchemaReader, route: Route): readonly string[] {
  return [...getFields(reader, route)].flatMap(([name, pointer]) =>
    isFileField(reader, pointer) ? [] : toListName(name),
  );
}

/** Returns whether the field of a form is a file, or a list of files. */
function isFileField(reader: SchemaReader, pointer: string): boolean {
  const own = reader.getItems(pointer) ?? pointer;
  const type = reader.getKeyword(own, 'contentMediaType');
  // A text can be JSON, such as the properties of the entry.
  return reader.getKeyword(own, 'format') === 'binary' || (typeof type === 'string' && !isJsonType(type));
}

/** Returns the name of the list that a field such as `photos[]` sets. */
export function toListName(field: string): string {
  return field.replace(/\[\]$/, '');
}
