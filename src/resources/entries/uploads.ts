import type { Context, HandlerResponse, Input } from '../../application.ts';
import { toNode } from '../../openapi/document.ts';
import { findMediaType } from '../../openapi/media-types.ts';
import { findResponse, findValueMedia, getShape } from '../../openapi/responses.ts';
import type { Route } from '../../openapi/routes.ts';
import type { Entry } from '../../store/state.ts';
import { normalizeName, toSingular } from '../../util/names.ts';
import { fillPath, MULTIPART_TYPE } from '../../util/request-target.ts';
import { getLastSegment, getParameterName, getParentPath, getPathForm } from '../document/names.ts';
import { listWrapped } from '../document/response-shapes.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import {
  type Effect,
  type Inference,
  type MockedPlan,
  type Mount,
  PATH_VALUES,
  type Plan,
  type Resource,
} from '../resource.ts';
import { getKeyValue, getOwn, getPathValues } from './entry-values.ts';
import { addFiles, describeFile, getFileUrl, isFile, readContent } from './stored-files.ts';

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
  { schema, singular }: Pick<Resource, 'schema' | 'singular'>,
  route: Route,
  body: Entry,
  isValid: (pointer: string, value: unknown) => boolean,
): Entry {
  const file = findFile(body);
  if (file === undefined || schema === '') return {};
  const values = describeFile(file);
  const texts = listTextFields(reader, route);
  const isPicture = (name: string) => PICTURE.test(normalizeName(name));
  // The name of a recipe with a picture is not that of the file.
  const isAboutOther =
    !isPicture(singular) && listFileProperties(reader, schema, route).some(({ property }) => isPicture(property));
  return Object.fromEntries(
    [...reader.getProperties(schema)].flatMap(([property, pointer]) => {
      const own = normalizeName(property);
      const meaning = (['name', 'size', 'type'] as const).find((key) =>
        FILE_PROPERTIES[key].some((one) => one === own),
      );
      const isOwn = isFilePropertyName(property) || !(isAboutOther || (meaning !== 'name' && texts.includes(property)));
      const value = meaning && isOwn ? values[meaning] : undefined;
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

/** Ends of the names of properties with the URL of a file, after the name of the form field: `Url` for `avatar`. */
const URL_END = /^(?:s|files?|images?)?(?:ur[il]s?|links?|hrefs?|srcs?|paths?)?$/;

/** Names of properties with the URL of a picture, without uppercase letters and separators. */
const PICTURE =
  /(?:image|img|photo|picture|pic|avatar|thumbnail|cover|logo|banner|icon|poster)(?:ur[il]|link|href|src|path)?$/;

/** A property of an entry with the URL of the file in a field of a form. `isList`: whether it has several URLs. */
interface FileProperty {
  readonly field: string;
  readonly property: string;
  readonly pointer: string;
  readonly isList: boolean;
}

/**
 * Returns the properties of an entry with the URLs of the files in a form: `avatarUrl` for the field `avatar`.
 * For the only file of a form, these are also `url` and similar, or the only picture of the entry.
 * A text field of the form sets its property itself.
 */
export function listFileProperties(reader: SchemaReader, schema: string, route: Route): readonly FileProperty[] {
  if (schema === '' || !isUpload(route)) return [];
  const texts = listTextFields(reader, route);
  const fields = [...getFields(reader, route).keys()].filter((name) => !texts.includes(name));
  const known = [...reader.getProperties(schema)].flatMap(([property, pointer]) => {
    const [own, items] = [pointer, reader.getItems(pointer)];
    const isList = reader.getTypes(own).includes('array') && items !== undefined;
    const allowsText = reader.getTypes(isList ? items : own).includes('string');
    return allowsText && !texts.includes(property) ? [{ property, pointer, isList }] : [];
  });
  return fields.flatMap((field) => {
    const name = normalizeName(toSingular(field));
    const named = known.filter(({ property }) => {
      const own = normalizeName(property);
      return own.startsWith(name) && URL_END.test(own.slice(name.length));
    });
    const others =
      fields.length > 1 ? [] : known.filter(({ property }) => URL_PROPERTIES.includes(normalizeName(property)));
    const pictures = fields.length > 1 ? [] : known.filter(({ property }) => PICTURE.test(normalizeName(property)));
    const found = [...named, ...others.filter((one) => !named.includes(one))];
    return (found.length > 0 ? found : pictures.length === 1 ? pictures : []).map((one) => ({ field, ...one }));
  });
}

/** Matches the words of paths that only say that a file is uploaded. */
const UPLOADS = /^(?:upload|set|change|update|add|replace|save|store)(?:s|ed)?[-_]?(?=.|$)/i;
const GENERAL = /^(?:files?|images?|photos?|pictures?|media|)$/i;

/** Returns the last segment of a path without words such as `upload`: `avatar` for `upload-avatar`. */
export function removeUploadWords(verb: string): string {
  return verb.replace(UPLOADS, '');
}

/**
 * Returns the effect of an action that uploads a file of an entry: `PUT /users/{userId}/avatar` sets `avatarUrl`.
 * DELETE removes it.
 * Returns undefined for other actions.
 */
export function findUpload(reader: SchemaReader, { schema }: Resource, route: Route, verb: string): Effect | undefined {
  const noun = removeUploadWords(verb);
  const own = normalizeName(toSingular(noun));
  const isNamed = (property: string) => {
    const name = normalizeName(property);
    return own !== '' && name.startsWith(own) && URL_END.test(name.slice(own.length));
  };
  const base = { values: [], time: undefined, counter: undefined, setsBody: false } as const;
  if (route.method === 'DELETE') {
    const [property, ...others] = [...reader.getProperties(schema).keys()].filter(isNamed);
    const isPicture = property !== undefined && PICTURE.test(normalizeName(property)) && others.length === 0;
    const isKept = property === undefined || reader.getRequired(schema).includes(property);
    return isPicture && !isKept ? { ...base, clears: [property], files: [] } : undefined;
  }
  const names = listFileProperties(reader, schema, route).map(({ property }) => property);
  const files = names.some(isNamed) ? names.filter(isNamed) : GENERAL.test(noun) ? names : [];
  return files.length > 0 ? { ...base, files: [...new Set(files)] } : undefined;
}

/** Returns the property names that lead to the URL of a file in the response of an operation: `['data', 'url']`. */
export function locateFileUrl(reader: SchemaReader, route: Route): readonly string[] | undefined {
  const response = reader.getResponseSchema(route, route.successStatus);
  const objects = response === undefined ? [] : [[], ...listWrapped(reader, response)];
  return objects
    .flatMap((path) => {
      const names = [...reader.getProperties(reader.getInner(response ?? '', path) ?? '').keys()];
      return names.filter(isUrlName).map((name) => [...path, name]);
    })
    .at(0);
}

/** Returns whether a property can have the URL of a file. */
function isUrlName(property: string): boolean {
  const name = normalizeName(property);
  return URL_PROPERTIES.includes(name) || PICTURE.test(name);
}

/** Matches the last segments of paths that keep any file, such as `/upload` and `/media`. */
const STORES = /^(?:uploads?|files?|media|images?|photos?|pictures?|attachments?|assets?|documents?)$/i;

/**
 * Returns whether an operation stores a file that belongs to no entry, and returns its URL: `POST /upload`.
 * `entry`: the JSON Pointer of the schema of the object in the response.
 */
export function storesOnlyFile(reader: SchemaReader, route: Route, entry: string): boolean {
  const isPlain = isUpload(route) && route.pathNames.length === 0;
  return isPlain && STORES.test(getLastSegment(route.path)) && listFileProperties(reader, entry, route).length > 0;
}

/** Returns the fields of the form with files that an operation receives, and the JSON Pointers of their schemas. */
function getFields(reader: SchemaReader, { bodyMedia }: Route): ReadonlyMap<string, string> {
  const [, media] = Object.entries(bodyMedia).find(([type]) => type.startsWith(MULTIPART_TYPE)) ?? [];
  const shape = getShape(media);
  return shape === undefined ? new Map() : reader.getProperties(shape);
}

/** Returns the fields of the form of an operation that are not files. */
function listTextFields(reader: SchemaReader, route: Route): readonly string[] {
  return [...getFields(reader, route)].flatMap(([name, pointer]) => (isFileField(reader, pointer) ? [] : name));
}

/** Returns whether the field of a form is a file, or a list of files. */
function isFileField(reader: SchemaReader, pointer: string): boolean {
  const own = reader.getItems(pointer) ?? pointer;
  return reader.getKeyword(own, 'format') === 'binary' || reader.getKeyword(own, 'contentMediaType') !== undefined;
}

/**
 * Returns an entry with the URLs of the files in a form: that of the operation that returns the file, else a URL at
 * which the server itself sends it.
 * `input`: the request with the form.
 */
export function addFileUrls(
  { reader, inference, contract }: FileModel,
  { resource, route }: Pick<Plan, 'resource' | 'route'>,
  entry: Entry,
  input: FileInput,
): Entry {
  const form = toNode(input.body);
  const download = findDownload(inference, resource);
  const urls = listFileProperties(reader, resource.schema, route).flatMap(({ field, property, pointer, isList }) => {
    const files = [form[field]].flat().filter(isFile);
    const own = download
      ? files.map(() => getDownloadUrl(resource, entry, download, route, input))
      : files.map((file) => getFileUrl(input.filesUrl ?? '', file));
    const before = [entry[property]].flat().filter((one) => one !== undefined && !isFile(one));
    const all = route.method === 'POST' ? [...before, ...own] : own;
    const value = isList ? all : /path$/i.test(property) ? toPath(own[0]) : own[0];
    return files.length > 0 && value !== undefined && contract.isValid(pointer, value) ? [[property, value]] : [];
  });
  return urls.length === 0 ? entry : { ...entry, ...Object.fromEntries(urls) };
}

/** What is needed to add the URLs of files to an entry. */
type FileModel = { readonly reader: SchemaReader; readonly inference: Inference } & {
  readonly contract: { isValid(pointer: string, value: unknown): boolean };
};

type FileInput = Pick<Input, 'body' | 'path' | 'url' | 'filesUrl'>;

/** Returns the path in a URL. */
function toPath(url: string | undefined): string | undefined {
  return url === undefined ? undefined : new URL(url).pathname;
}

/** Returns the URL of the operation that returns the file of an entry. */
function getDownloadUrl(
  { id }: Resource,
  entry: Entry,
  download: MockedPlan,
  route: Route,
  { path, url = '' }: FileInput,
): string | undefined {
  const key = getKeyValue(entry, id);
  const parameter = download.file?.mount.id.parameter;
  if (key === undefined || parameter === undefined) return undefined;
  const target = fillPath(download.route, { ...path, [parameter]: key });
  // The URL can begin with the path of a sandbox, or with that of a server of the document.
  const own = fillPath(route, path);
  return url.endsWith(own) ? url.slice(0, -own.length) + target : new URL(target, url).href;
}

/**
 * Returns a changed entry with the file in a form: its URL, what it says about itself, and the file if an operation
 * returns it.
 */
export function replaceFile(model: FileModel, plan: Pick<Plan, 'resource' | 'route'>, entry: Entry, input: FileInput) {
  const { reader, inference, contract } = model;
  const { resource, route } = plan;
  const body = toNode(input.body);
  if (!isUpload(route) || findFile(body) === undefined) return entry;
  const about = Object.entries(describeUpload(reader, resource, route, body, contract.isValid));
  const own = Object.fromEntries(about.filter(([name]) => isFilePropertyName(name)));
  const kept = findDownload(inference, resource) ? setFile(entry, body) : entry;
  return addFileUrls(model, plan, { ...kept, ...own }, input);
}

/**
 * Returns a context whose changes also store the files of a request, unless an operation returns them.
 */
export function storeFiles(model: FileModel, plan: Pick<Plan, 'resource' | 'route'>, input: Input, context: Context) {
  const { resource, route } = plan;
  if (!isUpload(route) || findDownload(model.inference, resource)) return context;
  const form = toNode(input.body);
  const fields = new Set(listFileProperties(model.reader, resource.schema, route).map(({ field }) => field));
  const files = [...fields].flatMap((field) => form[field]).filter(isFile);
  if (files.length === 0) return context;
  const update: Context['update'] = (change) =>
    context.update((state, nowMs) => {
      const changed = change(state, nowMs);
      const { next = state } = changed;
      return next === state ? changed : { ...changed, next: addFiles(next, files) };
    });
  return { ...context, update };
}

/** Returns the operation that returns the uploaded files of a resource; undefined if there is none. */
export function findDownload({ mockedPlans }: Inference, resource: Resource): MockedPlan | undefined {
  return [...mockedPlans.values()].find(({ file }) => file?.resource === resource);
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
  const { type } = describeFile(file);
  const concrete = types.find((one) => !one.includes('*'));
  const contentType = findMediaType(types, type) === undefined ? (concrete ?? type) : type;
  return { status: successStatus, headers: { 'Content-Type': contentType }, body: readContent(file) };
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
