import { toIsoTime } from '../util/iso-time.ts';
import { parsePointer } from '../util/json-pointer.ts';
import type { Violation } from '../util/problem.ts';
import { createStatusProblem } from './status-problem.ts';

/** Common error codes, as lower-case words, by status. A schema can allow any of them in its `enum`. */
const CODES: Readonly<Record<number, readonly string[]>> = {
  400: [
    'validation error',
    'validation failed',
    'invalid argument',
    'invalid input',
    'invalid parameter',
    'invalid parameters',
    'invalid params',
    'bad request',
    'invalid',
    'validation',
    'bad input',
    'malformed request',
    'unprocessable entity',
    'missing field',
    'required field',
  ],
  401: [
    'unauthorized',
    'unauthenticated',
    'authentication required',
    'not authenticated',
    'invalid credentials',
    'invalid token',
    'authentication',
    'missing token',
    'token expired',
    'session expired',
    'expired',
    'login required',
    'not logged in',
  ],
  403: ['forbidden', 'permission denied', 'access denied', 'unauthorized', 'insufficient permissions', 'not allowed'],
  404: ['not found', 'resource not found', 'missing', 'unknown resource', 'does not exist', 'no such resource'],
  408: ['timeout', 'timed out'],
  409: [
    'conflict',
    'already exists',
    'duplicate',
    'resource exists',
    'exists',
    'in use',
    'taken',
    'already',
    'invalid state',
  ],
  410: ['deleted', 'expired'],
  413: ['payload too large', 'too large'],
  415: ['unsupported media type', 'invalid content type'],
  429: [
    'rate limited',
    'rate limit',
    'rate limit exceeded',
    'too many',
    'throttled',
    'quota exceeded',
    'slow down',
    'busy',
  ],
  500: ['internal', 'server', 'unexpected', 'unknown'],
  502: ['upstream', 'gateway'],
  503: ['unavailable', 'temporarily unavailable', 'maintenance', 'overloaded', 'busy', 'down', 'offline', 'try again'],
  504: ['timeout', 'upstream timeout', 'timed out'],
};

const CLIENT_CODES = ['bad request', 'client error', 'request error'];

const SERVER_CODES = ['server error', 'internal server error', 'internal'];

const GENERAL_CODES = ['api error', 'general error', 'error', 'failure', 'failed', 'unknown'];

/** Functions that join words to a code, in styles such as `not_found`, `NOT_FOUND` and `NotFound`. */
export const STYLES: readonly ((words: readonly string[]) => string)[] = [
  (words) => words.join('_'),
  (words) => words.join('_').toUpperCase(),
  (words) => words.join('-'),
  (words) => words.map(capitalize).join(''),
  ([first = '', ...words]) => first + words.map(capitalize).join(''),
  (words) => words.join(' '),
  (words) => words.map(capitalize).join(' '),
];

/** The cache of the common error codes, by status. Each status has hundreds of codes. */
const codesByStatus = new Map<number, readonly string[]>();

/** Returns codes for an error: its own code, followed by common codes for its status. */
function getCodes({ code, status }: { readonly code: string; readonly status: number }): readonly string[] {
  const common = codesByStatus.get(status) ?? toCodes(getPhrases(status));
  codesByStatus.set(status, common);
  return [code, ...toCodes([code.replaceAll('-', ' ')]), ...common];
}

/** Returns the common codes of a status as words, the best first: `not found` for 404. */
export function getPhrases(status: number): readonly string[] {
  return [
    ...(CODES[status === 422 ? 400 : status] ?? []),
    createStatusProblem(status).title.toLowerCase(),
    ...(status < 500 ? CLIENT_CODES : SERVER_CODES),
    ...GENERAL_CODES,
  ];
}

/** Returns the statuses of which some words, such as `not found`, are a common code. Those of 422 are those of 400. */
export function findCommonStatuses(words: string): readonly number[] {
  const phrase = words.replace(/ error$/, '');
  return Object.keys(CODES)
    .map(Number)
    .filter((status) => [phrase, words].some((one) => CODES[status]?.includes(one)));
}

/**
 * Converts phrases to codes in all styles, with and without "error" at the end.
 * For example, `not found` becomes `not_found`, `NotFound` and `not_found_error`.
 */
function toCodes(phrases: readonly string[]): readonly string[] {
  const words = phrases.flatMap((phrase) => [phrase, `${phrase} error`]).map((phrase) => phrase.split(' '));
  return words.flatMap((each) => STYLES.map((style) => style(each)));
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/**
 * The codes that a document has for an error, the best first, by the names of their fields without uppercase letters.
 * `isInList`: whether the fields are those of entries of a list, such as `errors`.
 */
export interface DocumentedCodes {
  readonly isInList: boolean;
  readonly byName: ReadonlyMap<string, readonly unknown[]>;
}

/** An error of a request: the properties of its problem document (RFC 9457), and its code. */
export interface RequestError {
  /** The URI of the problem. */
  readonly type: string;
  /** The code of the problem, such as `invalid-request`. */
  readonly code: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  /** The path of the request. */
  readonly instance: string;
  readonly violations: readonly Violation[];
  /** The time of the response, in ms since 1970; undefined if it is not known. */
  readonly nowMs: number | undefined;
  /** Returns the codes that the document has for the error. */
  readonly getDocumented?: (() => DocumentedCodes | undefined) | undefined;
}

/**
 * Creates an error from a status alone, for a response that is not caused by the request.
 * An example is the response of an injected fault.
 */
export function createStatusError(status: number): RequestError {
  const { type, title, detail, instance } = createStatusProblem(status);
  const code = title.toLowerCase().replaceAll(/[^a-z]+/g, '-');
  return { type, code, title, status, detail, instance, violations: [], nowMs: undefined };
}

/** Values for a field of an error body. The first value that the schema allows is used. */
export interface FieldValues {
  readonly values: readonly unknown[];
  /** Whether the values are messages that say what is wrong. */
  readonly isMessage: boolean;
}

type GetValues = (error: RequestError, siblings: readonly string[]) => readonly unknown[];

/** The lengths to which a message is shortened if the schema limits its length, in characters. */
const MESSAGE_LENGTHS = [500, 250, 120, 60, 30];

const MESSAGE =
  /^(error|user|developer|display|human|debug)?(message|messages|msg|detail|details|description|desc|reason|explanation|info)$|^text$/;

/** The type of a problem that says no more than its status (RFC 9457, section 4.2.1). */
const NO_TYPE = 'about:blank';

const CODE =
  /^(error|reason|sub|app|internal)*(code|number|no|key|name|type|class|kind|category|slug)$|^errno$|^__type$/;

/**
 * The fields of error bodies: a pattern for the name, and a function that returns the values.
 * The patterns match names in lower case that consist only of letters.
 */
const FIELDS: readonly (readonly [name: RegExp, getValues: GetValues])[] = [
  [/^(title|summary|heading|errortitle|statustext|statusmessage|reasonphrase)$/, getTitles],
  [/^(http|response)?status(code)?$|^httpcode$/, getStatusValues],
  [/^type(uri|url)?$/, getTypes],
  [CODE, getCodeValues],
  [/^error$/, getErrorValues],
  [/^(instance|(request)?(path|uri|url))$/, ({ instance }) => [instance]],
  [/^(success|successful|succeeded|ok|valid|isvalid|issuccess|result)$/, () => [false]],
  [/^(iserror|haserrors?|failed)$/, () => [true]],
  [
    /^(timestamp|time|date|datetime|occurredat|at)$/,
    ({ nowMs }) => (nowMs === undefined ? [] : [toIsoTime(nowMs), nowMs, Math.floor(nowMs / 1_000)]),
  ],
];

type GetViolationValues = (violation: Violation, siblings: readonly string[]) => readonly unknown[];

/** The fields that describe one violation: a pattern for the name, and a function that returns the values. */
const VIOLATION_FIELDS: readonly (readonly [name: RegExp, getValues: GetViolationValues])[] = [
  [/^(in|location|part|where|parametertype)$/, (violation) => [violation.in, getName(violation)]],
  [/^(json)?pointer$|^parameter$|^header$/, getSources],
  [
    /^(field|param|parameter|property|attribute|name|key|path|member|element|target|source|loc|column)(name|path)?$/,
    (violation) => [getName(violation), getSteps(violation), getSteps(violation).map(String)],
  ],
  [/^(rule|constraint|keyword|validator|validation|issue)$/, ({ rule }) => [rule]],
  [/^(value|rejectedvalue|actual|received|input|data)$/, ({ value = null }) => [value, JSON.stringify(value)]],
];

/**
 * Returns the values for a field of an error body; undefined if the field is unknown.
 * `siblings`: the names of all fields of the object.
 */
export function getFieldValues(
  name: string,
  error: RequestError,
  siblings: readonly string[],
): FieldValues | undefined {
  const plain = toPlainName(name);
  if (MESSAGE.test(plain)) return { values: getMessages(error), isMessage: true };
  const [, getValues] = FIELDS.find(([pattern]) => pattern.test(plain)) ?? [];
  if (!getValues) return undefined;
  const documented = listDocumented(plain, error);
  const values = [...documented, ...getValues(error, siblings.map(toPlainName))];
  return { values, isMessage: plain === 'error' && documented.length === 0 && !hasMessage(siblings) };
}

/** Returns the codes that the document has for a field of an error, or of an entry of a list with its violations. */
function listDocumented(plain: string, error: RequestError): readonly unknown[] {
  const documented = error.getDocumented?.();
  const isInList = 'violation' in error;
  return documented && (documented.isInList || !isInList) ? (documented.byName.get(plain) ?? []) : [];
}

/** Returns whether a field of an error body has an error code by its name. */
export function isCodeName(name: string): boolean {
  return CODE.test(toPlainName(name));
}

/**
 * Returns whether a field is an error code that does not fit the error, such as `not_found` for status 503.
 * The code of a URI is its last segment: that of `/problems/not-found` is `not-found`.
 * The mock generates a wrong code only if the contract allows no other.
 * `isEntry`: whether the field belongs to an entry of a list, which can name an invalid value, such as
 * `{ "name": "price" }`.
 */
export function isMismatchedCode(name: string, value: unknown, error: RequestError, isEntry: boolean): boolean {
  const plain = toPlainName(name);
  if (typeof value !== 'string' || !CODE.test(plain) || value === NO_TYPE) return false;
  if (isEntry && VIOLATION_FIELDS.some(([pattern]) => pattern.test(plain))) return false;
  return !getCodeValues(error).includes(value.split(/[/#:]/).at(-1) ?? value);
}

/** Returns the values for a field that describes one violation; undefined if the field is unknown. */
export function getViolationValues(
  name: string,
  violation: Violation,
  siblings: readonly string[],
): FieldValues | undefined {
  const plain = toPlainName(name);
  const [, getValues] = VIOLATION_FIELDS.find(([pattern]) => pattern.test(plain)) ?? [];
  return getValues && { values: getValues(violation, [plain, ...siblings.map(toPlainName)]), isMessage: false };
}

/**
 * Returns values for the fields `pointer`, `parameter` and `header`.
 * Of several such fields in one object, only the one of the invalid part has a value, as in JSON:API.
 * `names`: the name of the field, followed by those of all fields of the object.
 */
function getSources(violation: Violation, [name = '', ...names]: readonly string[]): readonly unknown[] {
  const { in: part, pointer } = violation;
  const own = part === 'body' ? 'pointer' : part === 'header' && names.includes('header') ? 'header' : 'parameter';
  if (names.includes(own) && name !== own) return [];
  if (!name.endsWith('pointer')) return name === 'header' && part !== 'header' ? [] : [getName(violation)];
  return [part === 'body' ? pointer || '/' : `/${part}${pointer}`];
}

/**
 * Returns texts for a message field, the best first: the detail of an error, shortened details for fields with a
 * limited length, and the title.
 */
export function getMessages({ detail, title }: RequestError): readonly string[] {
  const short = MESSAGE_LENGTHS.filter((length) => length < detail.length);
  return [detail, ...short.map((length) => `${detail.slice(0, length - 1)}…`), title];
}

/**
 * Splits an error into one error for each of its violations.
 * If it has no violations, returns one error with a violation of a whole part of the request.
 */
export function splitError(error: RequestError): readonly (RequestError & { readonly violation: Violation })[] {
  const { violations, detail } = error;
  const [first] = violations;
  if (!first) return [{ ...error, violation: { in: getPart(error), pointer: '', rule: error.code, remedy: detail } }];
  if (violations.length === 1) return [{ ...error, violation: first }];
  return violations.map((violation) => ({
    ...error,
    violations: [violation],
    detail: `${getName(violation)}: ${violation.remedy}`,
    violation,
  }));
}

/** Returns the part of a request to which an error without violations belongs. */
function getPart({ status }: RequestError): Violation['in'] {
  if (status === 401 || status === 403) return 'header';
  return status === 404 || status === 405 || status === 410 ? 'path' : 'body';
}

/**
 * Returns the name of an invalid value, such as `address.city`.
 * If a whole part of the request is invalid, returns the name of the part, such as `body`.
 */
export function getName({ in: part, pointer }: Violation): string {
  return parsePointer(pointer).join('.') || part;
}

/** Returns the path of an invalid value as a list, such as `['body', 'lines', 0]`. */
function getSteps({ in: part, pointer }: Violation): readonly (string | number)[] {
  return [part, ...parsePointer(pointer).map((step) => (/^\d+$/.test(step) ? Number(step) : step))];
}

export function toPlainName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z]/g, '');
}

/** Returns whether one of these field names, such as `detail`, belongs to a message that says what is wrong. */
export function hasMessage(names: readonly string[]): boolean {
  return names.some((name) => MESSAGE.test(toPlainName(name)));
}

function getTitles({ title, status }: RequestError): readonly string[] {
  return [title, createStatusProblem(status).title];
}

function getStatusValues(error: RequestError): readonly unknown[] {
  return [error.status, String(error.status), 'error', 'fail', ...getCodes(error)];
}

/**
 * Returns values for the field `type`.
 * In a problem document, which has a `title`, the URI is first.
 * In other errors, codes are first.
 */
function getTypes(error: RequestError, siblings: readonly string[]): readonly unknown[] {
  const uris = [error.type, NO_TYPE];
  return siblings.includes('title') ? [...uris, ...getCodes(error)] : [...getCodes(error), ...uris];
}

function getCodeValues(error: RequestError): readonly unknown[] {
  return [error.status, ...getCodes(error), String(error.status)];
}

/**
 * Returns values for the field `error`, the best first.
 * The best value is a code if the object also has the field `error_description` (RFC 6749, section 5.2).
 * Else, it is the name of the status if another field has the message.
 * Else, it is the message.
 */
function getErrorValues(error: RequestError, siblings: readonly string[]): readonly unknown[] {
  const reason = createStatusProblem(error.status).title;
  const texts = hasMessage(siblings) ? [reason] : getMessages(error);
  return [
    ...(siblings.includes('errordescription') ? getCodes(error).slice(1) : texts),
    ...getCodes(error),
    true,
    error.status,
  ];
}
