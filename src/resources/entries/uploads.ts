import { type Context, DomainError, type HandlerResponse, type Input } from '../../application.ts';
import { omitKeys, pickKeys, toNode } from '../../openapi/document.ts';
import { findMediaType } from '../../openapi/media-types.ts';
import { findErrorResponse, findResponse, findValueMedia } from '../../openapi/responses.ts';
import type { Route } from '../../openapi/routes.ts';
import type { Entry } from '../../store/state.ts';
import { isPictureName, normalizeName, toSingular } from '../../util/names.ts';
import { fillPath, MULTIPART_TYPE } from '../../util/request-target.ts';
import { getLastSegment, getParameterName, getParentPath, getPathForm } from '../document/names.ts';
import { listWrapped } from '../document/response-shapes.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import { problems } from '../problems.ts';
import {
  type Action,
  type Effect,
  type Inference,
  type MockedPlan,
  type Mount,
  PATH_VALUES,
  type Plan,
  type Resource,
} from '../resource.ts';
import { getKeyValue, getOwn, getPathValues } from './entry-values.ts';
import {
  FILE_PROPERTIES,
  type FileProperty,
  GENERAL,
  isFileEntry,
  isFilePropertyName,
  isSizeName,
  isUpload,
  isUrlName,
  listFileProperties,
  listTextFields,
  removeUploadWords,
  toListName,
  URL_END,
} from './file-properties.ts';
import { addFiles, describeFile, getFileUrl, isFile, readContent } from './stored-files.ts';

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
  const file = isUpload(route) ? findFile(body) : undefined;
  if (file === undefined || schema === '') return {};
  const values = describeFile(file);
  const texts = listTextFields(reader, route);
  // The name of a recipe with a picture is not that of the file.
  const isAboutOther =
    !isPictureName(singular) &&
    listFileProperties(reader, { schema, singular }, route).some(({ property }) => isPictureName(property));
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

/** The hidden value of an entry with the uploaded file, as a `data:` URL, or `REMOVED`. */
const FILE = 'file';

/** The value of a file that a client has removed. */
const REMOVED = '';

/** Returns a copy of an entry with the file in the fields of a form. Clients never see it as a property. */
export function setFile(route: Route, entry: Entry, body: Entry): Entry {
  const file = isUpload(route) ? findFile(body) : undefined;
  return file === undefined ? entry : { ...entry, [PATH_VALUES]: { ...getPathValues(entry), [FILE]: file } };
}

/** The status of a response to a request that starts a job (RFC 9110, section 15.3.3). */
const ACCEPTED = 202;

/**
 * Returns the effect of an action that uploads a file of an entry: `PUT /users/{userId}/avatar` sets `avatarUrl`.
 * DELETE removes it.
 * Returns undefined for other actions.
 */
export function findUpload(reader: SchemaReader, resource: Resource, route: Route, verb: string): Effect | undefined {
  const { schema } = resource;
  const noun = removeUploadWords(verb);
  const own = normalizeName(toSingular(noun));
  const isNamed = (property: string) => {
    const name = normalizeName(property);
    return own !== '' && name.startsWith(own) && URL_END.test(name.slice(own.length));
  };
  const base = { values: [], time: undefined, counter: undefined, setsBody: false } as const;
  if (route.method === 'DELETE') {
    const isList = (name: string) => reader.getTypes(reader.getProperties(schema).get(name) ?? '').includes('array');
    const [property, ...others] = [...reader.getProperties(schema).keys()].filter(isNamed);
    const isPicture = property !== undefined && isPictureName(property) && others.length === 0 && !isList(property);
    const isKept = property === undefined || reader.getRequired(schema).includes(property);
    return isPicture && !isKept ? { ...base, clears: [property], files: [] } : undefined;
  }
  // The response of a job says that the file is used later.
  if (route.successStatus === ACCEPTED) return undefined;
  const names = listFileProperties(reader, resource, route, noun).map(({ property }) => property);
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

/** Matches the last segments of paths that keep any file, such as `/upload` and `/media`. */
const STORES = /^(?:uploads?|files?|media|images?|photos?|pictures?|attachments?|assets?|documents?)$/i;

/**
 * Returns whether an operation stores a file that belongs to no entry, and returns its URL: `POST /upload`.
 * `entry`: the JSON Pointer of the schema of the object in the response.
 */
export function storesOnlyFile(reader: SchemaReader, route: Route, entry: string): boolean {
  const isPlain = isUpload(route) && route.pathNames.length === 0 && route.successStatus !== ACCEPTED;
  const name = getLastSegment(route.path);
  const own = { schema: entry, singular: toSingular(name) };
  return isPlain && STORES.test(name) && listFileProperties(reader, own, route).length > 0;
}

/**
 * Returns an entry with the URLs of the files in a form: that of the operation that returns the file, else a URL at
 * which the server itself sends it.
 * `input`: the request with the form.
 */
export function addFileUrls(
  { reader, inference, contract }: FileModel,
  plan: FilePlan,
  entry: Entry,
  input: FileInput,
): Entry {
  const { resource, route } = plan;
  const form = toNode(input.body);
  const download = findDownload(inference, resource);
  const urls = listSetProperties(reader, plan).flatMap(({ field, property, pointer, isList }) => {
    const files = getFiles(form, field);
    const own = download
      ? files.map(() => getDownloadUrl(resource, entry, download, route, input))
      : files.map((file) => getFileUrl(input.filesUrl ?? '', file));
    const before = [entry[property]].flat().filter((one) => one !== undefined && !isFile(one));
    const all = route.method === 'POST' ? [...before, ...own] : own;
    const value = isList ? all : /path$/i.test(property) ? toPath(own[0]) : own[0];
    return files.length > 0 && value !== undefined && contract.isValid(pointer, value) ? [[property, value]] : [];
  });
  const set = Object.fromEntries(urls);
  const kept = removeFiles(reader, resource, entry, download !== undefined);
  return { ...kept, ...set };
}

/** What an operation does with the files in its requests. */
type FilePlan = Pick<Plan, 'resource' | 'route' | 'effect'>;

/** Returns the properties of an entry with the URLs of the files in the requests of an operation. */
function listSetProperties(reader: SchemaReader, { resource, route, effect }: FilePlan): readonly FileProperty[] {
  const noun = effect && removeUploadWords(getLastSegment(route.path));
  const all = listFileProperties(reader, resource, route, noun);
  return effect ? all.filter(({ property }) => effect.files?.includes(property)) : all;
}

/** Returns the files in a field of a form. The field `photos[]` is the list `photos`. */
function getFiles(form: Entry, field: string): readonly string[] {
  return [form[field] ?? form[toListName(field)]].flat().filter(isFile);
}

/**
 * Returns an entry without the files that no property shows, which the server stores elsewhere.
 * `isSent`: whether an operation sends the file of the entry.
 */
function removeFiles(reader: SchemaReader, { schema }: Resource, entry: Entry, isSent: boolean): Entry {
  const known = reader.getProperties(schema);
  const isOther = (name: string) => !known.has(name) && [entry[name]].flat().some(isFile);
  const others = schema === '' ? [] : Object.keys(entry).filter(isOther);
  const own = others.length === 0 ? entry : omitKeys(entry, others);
  const values = getPathValues(own);
  if (isSent || getOwn(values, FILE) === undefined) return own;
  const rest = omitKeys(values, [FILE]);
  return Object.keys(rest).length === 0 ? omitKeys(own, [PATH_VALUES]) : { ...own, [PATH_VALUES]: rest };
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
export function replaceFile(model: FileModel, plan: FilePlan, entry: Entry, input: FileInput) {
  const { reader, inference, contract } = model;
  const { resource, route } = plan;
  if (plan.effect?.clears !== undefined && plan.effect.files?.length === 0)
    return markRemoved(inference, resource, entry);
  const body = toNode(input.body);
  // The signature that `POST /documents/{id}/sign` receives is not the file of the document.
  const isOther = plan.effect !== undefined && plan.effect.files === undefined;
  if (isOther || !isUpload(route) || findFile(body) === undefined) return entry;
  const about = Object.entries(describeUpload(reader, resource, route, body, contract.isValid));
  // The size of a product with a photo is not that of the file.
  const isFile = isFileEntry(reader, resource);
  const own = Object.fromEntries(about.filter(([name]) => isFilePropertyName(name) || (isFile && isSizeName(name))));
  const kept = findDownload(inference, resource) ? setFile(route, entry, body) : entry;
  return addFileUrls(model, plan, { ...kept, ...own }, input);
}

/** Returns an entry whose file was removed, so that no operation returns it. */
function markRemoved(inference: Inference, resource: Resource, entry: Entry): Entry {
  return findDownload(inference, resource)
    ? { ...entry, [PATH_VALUES]: { ...getPathValues(entry), [FILE]: REMOVED } }
    : entry;
}

/**
 * Returns a replaced entry with the URLs of the files that a form does not send again.
 * A form can't send these URLs, and a browser can't send the files without their user.
 */
export function keepFiles(reader: SchemaReader, plan: FilePlan, current: Entry, entry: Entry, input: Input): Entry {
  if (!isUpload(plan.route) || !input.headers['content-type']?.startsWith(MULTIPART_TYPE)) return entry;
  const form = toNode(input.body);
  const missing = listSetProperties(reader, plan).filter(({ field }) => getFiles(form, field).length === 0);
  const kept = missing.map(({ property }) => property).filter((name) => current[name] !== undefined);
  return kept.length === 0 ? entry : { ...entry, ...pickKeys(current, kept) };
}

/**
 * Returns a context whose changes also store the files of a request, unless an operation returns them.
 */
export function storeFiles(model: FileModel, plan: FilePlan, input: Input, context: Context) {
  const { resource, route } = plan;
  if (!isUpload(route) || findDownload(model.inference, resource)) return context;
  const form = toNode(input.body);
  const fields = new Set(listSetProperties(model.reader, plan).map(({ field }) => field));
  const files = [...fields].flatMap((field) => getFiles(form, field));
  if (files.length === 0) return context;
  const update: Context['update'] = (change) =>
    context.update((state, nowMs) => {
      const changed = change(state, nowMs);
      const { next = state } = changed;
      return next === state ? changed : { ...changed, next: addFiles(next, files) };
    });
  return { ...context, update };
}

const UPLOADING_ACTIONS: readonly Action[] = ['create', 'replace', 'replaceById', 'update', 'updateById'];

/** Returns whether an operation uploads files of the entries of a resource. */
export function uploadsFile(plans: readonly Plan[], resource: Resource): boolean {
  return plans.some((plan) => {
    const uploads = UPLOADING_ACTIONS.includes(plan.action) || plan.effect?.files !== undefined;
    return plan.resource === resource && isUpload(plan.route) && uploads;
  });
}

/** Returns the operation that returns the uploaded files of a resource; undefined if there is none. */
export function findDownload({ mockedPlans }: Inference, resource: Resource): MockedPlan | undefined {
  return [...mockedPlans.values()].find(({ file }) => file?.resource === resource);
}

/** Matches the names of files that a server creates itself: `export.csv` of a user. */
const CREATED_FILE = /^(?:exports?|reports?|qr(?:[-_]?codes?)?|bar[-_]?codes?|ical|ics|calendar|csv)(?:\.\w+)?$/i;

/**
 * Returns whether an operation returns uploaded files: its success response has a body, but no schema in JSON or XML,
 * and its path is not that of a file which the server creates.
 */
export function isDownload({ method, path, responses, successStatus }: Route): boolean {
  const types = Object.keys(findResponse(responses, successStatus)?.media ?? {});
  const isFileOnly = types.length > 0 && findValueMedia(responses, successStatus) === undefined;
  return method === 'GET' && isFileOnly && !CREATED_FILE.test(getLastSegment(path));
}

/**
 * Returns a response with the uploaded file of an entry.
 * Its media type is that of the file if the document has it for the operation, otherwise the first documented one.
 * Returns undefined if the entry has no file, or one without its content from an earlier version.
 * Throws a `DomainError` if a client has removed the file, and the document has 404.
 */
export function respondWithFile({ responses, successStatus }: Route, entry: Entry): HandlerResponse | undefined {
  const file = getOwn(getPathValues(entry), FILE);
  if (file === REMOVED && findErrorResponse(responses, problems['entry-not-found'].status))
    throw new DomainError('entry-not-found', 'the file was deleted: upload it again');
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
