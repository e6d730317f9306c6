import type { Violation } from '../openapi/violations.ts';
import { toIsoTime } from '../util/iso-time.ts';
import { parsePointer } from '../util/json-pointer.ts';
import { createStatusProblem } from './status-problem.ts';

/** An error of a request: the properties of its problem document (RFC 9457), and its code. */
export interface RequestError {
  /** The code of the problem, such as `invalid-request`. */
  readonly code: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  /** The path of the request. */
  readonly instance: string;
  readonly violations: readonly Violation[];
  /** The time of the response, in ms since 1970. */
  readonly nowMs: number;
}

/** Values for a field of an error body. The first value that the schema allows is used. */
export interface FieldValues {
  readonly values: readonly unknown[];
  /** Whether the field has the text that says what is wrong. */
  readonly isMessage: boolean;
}

type GetValues = (error: RequestError, siblings: readonly string[]) => readonly unknown[];

/** The lengths to which a message is shortened if the schema limits its length, in characters. */
const MESSAGE_LENGTHS = [500, 250, 120, 60, 30];

const MESSAGE =
  /^(error|user|developer|display|human|debug)?(message|messages|msg|detail|details|description|desc|reason|explanation|info)$|^text$/;

/** The names of fields of an error and the values for them. The names are in lower case and consist only of letters. */
const FIELDS: readonly (readonly [name: RegExp, getValues: GetValues])[] = [
  [/^(title|summary|heading|errortitle|statustext|statusmessage|reasonphrase)$/, getTitles],
  [/^(http|response)?status(code)?$|^httpcode$/, getStatusValues],
  [/^type(uri|url)?$/, getTypes],
  [
    /^(error|reason|sub|app|internal)*(code|number|no|key|name|type|class|kind|category|slug)$|^errno$|^__type$/,
    getCodeValues,
  ],
  [/^error$/, getErrorValues],
  [/^(instance|(request)?(path|uri|url))$/, ({ instance }) => [instance]],
  [/^(success|successful|succeeded|ok|valid|isvalid|issuccess|result)$/, () => [false]],
  [/^(iserror|haserrors?|failed)$/, () => [true]],
  [
    /^(timestamp|time|date|datetime|occurredat|at)$/,
    ({ nowMs }) => [toIsoTime(nowMs), nowMs, Math.floor(nowMs / 1_000)],
  ],
];

/** The names of fields of one violation and the values for them. */
const VIOLATION_FIELDS: readonly (readonly [name: RegExp, getValues: (violation: Violation) => readonly unknown[]])[] =
  [
    [/^(in|location|part|where|parametertype)$/, (violation) => [violation.in, getName(violation)]],
    [/^(json)?pointer$/, ({ pointer, in: part }) => [part === 'body' ? pointer || '/' : `/${part}${pointer}`]],
    [
      /^(field|param|parameter|property|attribute|name|key|path|member|element|target|source|loc|column)(name|path)?$/,
      (violation) => [getName(violation), getSteps(violation), getSteps(violation).map(String)],
    ],
    [/^(rule|constraint|keyword|validator|validation|issue)$/, ({ rule }) => [rule]],
    [/^(value|rejectedvalue|actual|received|input|data)$/, ({ value = null }) => [value, JSON.stringify(value)]],
  ];

/** Returns the values for a field of an error body; undefined if the field is unknown. `siblings`: the names of all fields of the object. */
export function getFieldValues(
  name: string,
  error: RequestError,
  siblings: readonly string[],
): FieldValues | undefined {
  const plain = toPlainName(name);
  if (MESSAGE.test(plain)) return { values: getMessages(error), isMessage: true };
  const [, getValues] = FIELDS.find(([pattern]) => pattern.test(plain)) ?? [];
  if (!getValues) return undefined;
  return { values: getValues(error, siblings.map(toPlainName)), isMessage: plain === 'error' && !hasMessage(siblings) };
}

/** Returns the values for a field that describes one violation; undefined if the field is unknown. */
export function getViolationValues(name: string, violation: Violation): FieldValues | undefined {
  const plain = toPlainName(name);
  const [, getValues] = VIOLATION_FIELDS.find(([pattern]) => pattern.test(plain)) ?? [];
  return getValues && { values: getValues(violation), isMessage: false };
}

/** Returns the detail of an error, followed by shorter versions of it for fields with a limited length. */
export function getMessages({ detail, title }: RequestError): readonly string[] {
  const short = MESSAGE_LENGTHS.filter((length) => length < detail.length);
  return [detail, ...short.map((length) => `${detail.slice(0, length - 1)}…`), title];
}

/** Returns one error for each violation. An error without violations concerns the whole request. */
export function splitError(error: RequestError): readonly (RequestError & { readonly violation: Violation })[] {
  const { violations, detail } = error;
  const [first] = violations;
  if (!first) return [{ ...error, violation: { in: 'body', pointer: '', rule: error.code, remedy: detail } }];
  if (violations.length === 1) return [{ ...error, violation: first }];
  return violations.map((violation) => ({
    ...error,
    violations: [violation],
    detail: `${getName(violation)}: ${violation.remedy}`,
    violation,
  }));
}

/** Returns the name of an invalid value, such as `address.city`, or the part of the request if the whole part is invalid. */
export function getName({ in: part, pointer }: Violation): string {
  return parsePointer(pointer).join('.') || part;
}

/** Returns the steps to an invalid value, such as `body`, `lines`, 0. */
function getSteps({ in: part, pointer }: Violation): readonly (string | number)[] {
  return [part, ...parsePointer(pointer).map((step) => (/^\d+$/.test(step) ? Number(step) : step))];
}

function toPlainName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z]/g, '');
}

/** Returns whether one of the fields has the text that says what is wrong. */
export function hasMessage(names: readonly string[]): boolean {
  return names.some((name) => MESSAGE.test(toPlainName(name)));
}

function getTitles({ title, status }: RequestError): readonly string[] {
  return [title, createStatusProblem(status).title];
}

function getStatusValues(error: RequestError): readonly unknown[] {
  return [error.status, String(error.status), 'error', 'fail', ...getCodes(error)];
}

/** Returns values for `type`. In a problem document, it is a URI. In other errors, it is a code. */
function getTypes(error: RequestError, siblings: readonly string[]): readonly unknown[] {
  const uris = [`/problems/${error.code}`, 'about:blank'];
  return siblings.includes('title') ? [...uris, ...getCodes(error)] : [...getCodes(error), ...uris];
}

function getCodeValues(error: RequestError): readonly unknown[] {
  return [error.status, ...getCodes(error), String(error.status)];
}

/** Returns values for `error`: the message, unless another field has it. With `error_description`, it is a code (RFC 6749, section 5.2). */
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

/** The codes that APIs use for errors, in words by status. A code in an `enum` can be any of them. */
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
  ],
  401: [
    'unauthorized',
    'unauthenticated',
    'authentication required',
    'not authenticated',
    'invalid credentials',
    'invalid token',
    'authentication',
  ],
  403: ['forbidden', 'permission denied', 'access denied', 'unauthorized', 'insufficient permissions'],
  404: ['not found', 'resource not found', 'missing', 'unknown resource'],
  409: ['conflict', 'already exists', 'duplicate', 'resource exists'],
  413: ['payload too large', 'too large'],
  415: ['unsupported media type', 'invalid content type'],
};

const GENERAL_CODES = [
  'bad request',
  'client error',
  'request error',
  'api error',
  'general error',
  'error',
  'failure',
  'failed',
  'unknown',
];

/** Ways to write words as one code. */
const STYLES: readonly ((words: readonly string[]) => string)[] = [
  (words) => words.join('_'),
  (words) => words.join('_').toUpperCase(),
  (words) => words.join('-'),
  (words) => words.map(capitalize).join(''),
  ([first = '', ...words]) => first + words.map(capitalize).join(''),
  (words) => words.join(' '),
  (words) => words.map(capitalize).join(' '),
];

/** Returns codes for an error: the code of the problem, then the codes that other APIs use for such an error. */
function getCodes({ code, status }: RequestError): readonly string[] {
  const reason = createStatusProblem(status).title.toLowerCase();
  const phrases = [
    code.replaceAll('-', ' '),
    ...(CODES[status === 422 ? 400 : status] ?? []),
    reason,
    ...GENERAL_CODES,
  ];
  const words = phrases.flatMap((phrase) => [phrase, `${phrase} error`]).map((phrase) => phrase.split(' '));
  return [code, ...words.flatMap((each) => STYLES.map((style) => style(each)))];
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
