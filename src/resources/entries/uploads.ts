import type { HandlerResponse, Input } from '../../application.ts';
import { findMediaType } from '../../openapi/media-types.ts';
import { findResponse, findValueMedia } from '../../openapi/responses.ts';
import type { Route } from '../../openapi/routes.ts';
import type { Entry } from '../../store/state.ts';
import { normalizeName } from '../../util/names.ts';
import { fillPath, MULTIPART_TYPE } from '../../util/request-target.ts';
import { tryOrUndefined } from '../../util/try-or-undefined.ts';
import { getLastSegment, getParameterName, getParentPath, getPathForm } from '../document/names.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import { type Inference, type MockedPlan, type Mount, PATH_VALUES, type Plan, type Resource } from '../resource.ts';
import { getKeyValue, getOwn, getPathValues } from './entry-values.ts';

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

/** Returns whether a property says something about a file that nothing else has, such as `fileName`. */
export function isFilePropertyName(name: string): boolean {
  const others = ['name', 'size', 'bytes', 'type'];
  const own = normalizeName(name);
  return !others.includes(own) && Object.values(FILE_PROPERTIES).some((names) => names.some((one) => one === own));
}

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
  const url = findFile(body);
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

function findFile(body: Entry): string | undefined {
  return Object.values(body).flat().find(isFile);
}

/** The hidden value of an entry with the uploaded file, as a `data:` URL. */
const FILE = 'file';

/** Returns a copy of an entry with the file in the fields of a form. Clients never see it as a property. */
export function setFile(entry: Entry, body: Entry): Entry {
  const file = findFile(body);
  return file === undefined ? entry : { ...entry, [PATH_VALUES]: { ...getPathValues(entry), [FILE]: file } };
}

/** Names of properties with the URL of a file, without uppercase letters and separators. */
const URL_PROPERTIES = ['url', 'fileurl', 'downloadurl', 'contenturl', 'href', 'src', 'link', 'uri'];

/** The operation that returns a file. `route` and `url`: the operation that uploads it, and the URL of its request. */
interface Download {
  readonly file: MockedPlan;
  readonly route: Route;
  readonly path: Input['path'];
  readonly url: string;
}

/**
 * Returns the properties of an entry with the URL of its uploaded file, such as `url`.
 * `entry`: the entry with its id.
 */
export function describeFileUrl(
  reader: SchemaReader,
  { schema, id }: Resource,
  entry: Entry,
  { file, route, path, url }: Download,
  isValid: (pointer: string, value: unknown) => boolean,
): Entry {
  const key = getKeyValue(entry, id);
  const parameter = file.file?.mount.id.parameter;
  if (schema === '' || key === undefined || parameter === undefined) return {};
  const target = fillPath(file.route, { ...path, [parameter]: key });
  // The URL can begin with the path of a sandbox, or with that of a server of the document.
  const own = fillPath(route, path);
  const value = url.endsWith(own) ? url.slice(0, -own.length) + target : new URL(target, url).href;
  return Object.fromEntries(
    listUrlProperties(reader, schema).flatMap(([property, pointer]) =>
      isValid(pointer, value) ? [[property, value]] : [],
    ),
  );
}

/** The maximum length of a URL that contains the file itself, in characters. Longer ones make lists slow. */
const MAX_DATA_URL = 1_000_000;

/**
 * Returns the properties of an entry with the URL of its uploaded file, if no operation returns the file: a `data:` URL
 * with the file.
 * Returns nothing if the file is too long, or if the schema allows no such URL.
 * `body`: the fields of the form.
 */
export function describeDataUrl(
  reader: SchemaReader,
  { schema }: Resource,
  body: Entry,
  isValid: (pointer: string, value: unknown) => boolean,
): Entry {
  const value = findFile(body);
  if (schema === '' || value === undefined || value.length > MAX_DATA_URL) return {};
  const properties = listUrlProperties(reader, schema).filter(
    ([property, pointer]) => !Object.hasOwn(body, property) && isValid(pointer, value),
  );
  return Object.fromEntries(properties.map(([property]) => [property, value]));
}

/** Returns a note about an uploaded file that is too long for a `data:` URL, if no operation returns the file. */
export function describeLargeFile(
  reader: SchemaReader,
  inference: Inference,
  { route, resource }: Plan,
  body: Entry,
): readonly string[] {
  const file = isUpload(route) && resource.schema !== '' ? findFile(body) : undefined;
  if (file === undefined || file.length <= MAX_DATA_URL || findDownload(inference, resource)) return [];
  const names = listUrlProperties(reader, resource.schema).map(([name]) => name);
  const reason = 'is not the URL of the file, because the file has more than 700 kB, and no GET operation returns it';
  return names.length === 0 ? [] : [`${names.join(', ')} ${reason}`];
}

/** Returns the operation that returns the uploaded files of a resource; undefined if there is none. */
export function findDownload({ mockedPlans }: Inference, resource: Resource): MockedPlan | undefined {
  return [...mockedPlans.values()].find(({ file }) => file?.resource === resource);
}

/** Returns the properties with the URL of a file, and the JSON Pointers of their schemas. */
export function listUrlProperties(reader: SchemaReader, schema: string) {
  return [...reader.getProperties(schema)].filter(([property]) => URL_PROPERTIES.includes(normalizeName(property)));
}

/** Returns whether an operation returns files: its success response has a body, but no schema in JSON or XML. */
export function isDownload({ method, responses, successStatus }: Route): boolean {
  const types = Object.keys(findResponse(responses, successStatus)?.media ?? {});
  return method === 'GET' && types.length > 0 && findValueMedia(responses, successStatus) === undefined;
}

/**
 * Returns a response with the uploaded file of an entry.
 * Its media type is that of the file if the document has it for the operation, otherwise the first documented one.
 * Returns undefined if the entry has no file, or one without its content from an earlier version.
 */
export function respondWithFile({ responses, successStatus }: Route, entry: Entry): HandlerResponse | undefined {
  const file = getOwn(getPathValues(entry), FILE);
  if (!isFile(file)) return undefined;
  if (file.endsWith(',') && !file.includes(';size=0;')) return undefined;
  const types = Object.keys(findResponse(responses, successStatus)?.media ?? {});
  const [, type = ''] = /^data:([^;,]*)/.exec(file) ?? [];
  const concrete = types.find((one) => !one.includes('*'));
  const contentType = findMediaType(types, type) === undefined ? (concrete ?? type) : type;
  const body = Buffer.from(file.slice(file.indexOf(',') + 1), 'base64');
  return { status: successStatus, headers: { 'Content-Type': contentType }, body };
}

function isFile(value: unknown): value is string {
  return typeof value === 'string' && /^data:[^,]*;size=\d+;base64,/.test(value);
}

/**
 * Adds the paths of uploaded files to the resources: `/attachments/{attachmentId}/content` returns the file that
 * `POST /tasks/{taskId}/attachments` uploads.
 */
export function addFilePaths(routes: readonly Route[], resources: readonly Resource[]): readonly Resource[] {
  const uploads = new Set(routes.flatMap((route) => (route.method === 'POST' && isUpload(route) ? [route.path] : [])));
  const known = new Set(resources.flatMap(({ mounts }) => mounts.flatMap(({ item }) => item ?? [])).map(getPathForm));
  const added = new Map<Resource, Mount[]>();
  for (const route of routes.filter(isDownload)) {
    const item = route.path.slice(0, route.path.lastIndexOf('}') + 1);
    const collection = getParentPath(item);
    const parameter = getParameterName(getLastSegment(item));
    if (parameter === undefined || collection.includes('{') || known.has(getPathForm(item))) continue;
    const found = resources.filter(
      ({ kind, mounts }) =>
        kind === 'collection' &&
        mounts.some(
          (mount) => uploads.has(mount.collection) && getLastSegment(mount.collection) === getLastSegment(collection),
        ),
    );
    const [only] = found;
    if (!only || found.length > 1) continue;
    known.add(getPathForm(item));
    const mount = { collection, item, parents: [], id: { ...only.id, parameter } };
    added.set(only, [...(added.get(only) ?? []), mount]);
  }
  return resources.map((resource) => {
    const mounts = added.get(resource);
    return mounts ? { ...resource, mounts: [...resource.mounts, ...mounts] } : resource;
  });
}
