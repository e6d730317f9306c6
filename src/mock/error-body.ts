import { isNode, type Node, toNode } from '../openapi/document.ts';
import type { Violation } from '../util/problem.ts';
import {
  type FieldValues,
  getFieldValues,
  getMessages,
  getName,
  getViolationValues,
  hasMessage,
  type RequestError,
  splitError,
} from './error-fields.ts';

/**
 * A part of the body of an error response.
 * Its `description` says what the part tells the client about the error, for example the message.
 */
export interface DescribedPart {
  readonly value: unknown;
  readonly description: Description;
}

/**
 * How well a value describes an error: not at all (`none`), by facts such as the status or a code (`facts`), or by a
 * text (`message`).
 */
export const Description = { none: 0, facts: 1, message: 2 } as const;
type Description = (typeof Description)[keyof typeof Description];

/** An error, and the one violation that a part of the error body describes. */
type PartError = RequestError & { readonly violation?: Violation };

/** Returns whether the whole body is valid with `value` as the current part. */
type IsValid = (value: unknown) => boolean;

/** The maximum number of entries in a list of violations. */
const MAX_ENTRIES = 20;

/** Matches property names, in lower case, of lists of errors, such as `errors` or `violations`. */
const ERROR_LIST = /error|violation|detail|message|issue|problem|reason|cause|invalid|failure|field/;

/** Matches the names of objects with the cause of an error. */
const INNER_ERROR = /^(?:inner[-_]?(?:error|exception)?|cause|caused[-_]?by|root[-_]?cause)$/i;

/** Matches property names, in lower case, of an object that describes one error, such as `innererror`. */
const SINGLE_ERROR = /cause|reason|inner/;

/**
 * Changes a valid body so that it describes an error.
 * Recognizes fields by common names, and removes other fields unless they are required.
 * The result is valid too, because a change that would make the body invalid is skipped.
 */
export function describeError(base: unknown, isValid: IsValid, error: RequestError): DescribedPart {
  return describePart('', base, isValid, error);
}

/** The members of a problem document that RFC 9457 defines. */
const STANDARD_MEMBERS = ['type', 'title', 'status', 'detail', 'instance'];

/** All members of the problem documents that the server sends. */
const MEMBERS = [...STANDARD_MEMBERS, 'message', 'error', 'violations'];

/** The fields of an entry of `violations` in these problem documents. */
const VIOLATION_MEMBERS: readonly string[] = ['in', 'pointer', 'rule', 'remedy', 'value'] satisfies (keyof Violation)[];

/**
 * Returns the problem document of an error with the fields that the contract documents for it.
 * Returns `document` itself if the contract documents no other fields than it has.
 * Adds the members of `document` that the schema does not have, but allows.
 * `violations` is not added if the schema has a list of errors of its own.
 * Returns undefined if the schema does not allow the problem document.
 * `base`: a valid body with the documented fields.
 * `document`: the problem document that the server sends if the contract documents none.
 */
export function describeProblem(
  base: unknown,
  isValid: IsValid,
  error: RequestError,
  document: object,
): object | undefined {
  const hasOwnViolations = isNode(base) && hasOtherFields([base.violations].flat()[0], VIOLATION_MEMBERS);
  const hasOwnFields = hasOwnViolations || hasOtherFields(base, MEMBERS);
  if (!hasOwnFields && isValid(document)) return document;
  const described = toNode(describeError(base, isValid, error).value);
  const names = Object.keys(described);
  const hasErrorList = names.some((name) => !MEMBERS.includes(name) && isErrorList(name, described[name]));
  let body = described;
  for (const [name, value] of Object.entries(document)) {
    const isList = name === 'violations';
    const isAdded = isList ? !hasOwnViolations && (names.includes(name) || !hasErrorList) : !names.includes(name);
    const next = { ...body, [name]: value };
    if ((isAdded || STANDARD_MEMBERS.includes(name)) && isValid(next)) body = next;
  }
  const standard = STANDARD_MEMBERS.filter((name) => Object.hasOwn(body, name));
  // Without fields of its own, the schema of another problem would only replace the type of this one.
  const isOther = !hasOwnFields && standard.some((name) => body[name] !== toNode(document)[name]);
  if (isOther || !isValid(body)) return undefined;
  return Object.fromEntries([...new Set([...standard, ...Object.keys(body)])].map((name) => [name, body[name]]));
}

/** Returns whether a value is an object with a field that is not one of `names`. */
function hasOtherFields(value: unknown, names: readonly string[]): boolean {
  return isNode(value) && Object.keys(value).some((name) => !names.includes(name));
}

function isErrorList(name: string, value: unknown): boolean {
  return typeof value === 'object' && value !== null && ERROR_LIST.test(name.toLowerCase());
}

/** `allowsMap`: whether an object without known fields can get the messages of the error under other names. */
function describePart(
  name: string,
  base: unknown,
  isValid: IsValid,
  error: PartError,
  allowsMap = name !== '',
): DescribedPart {
  if (Array.isArray(base)) return describeList(name, base, isValid, error);
  if (isMapOfTexts(base, isValid)) return describeTexts(name, base, isValid, error);
  if (isNode(base)) {
    if (isFieldMap(name, base, error)) return describeFields(base, isValid, error);
    const described = describeObject('', base, isValid, error);
    if (described.description !== Description.none) return described;
    const map = allowsMap && !hasDocumentedProperty(base, isValid) ? describeMap(name, isValid, error) : undefined;
    return map ?? describeObject(name, base, isValid, error);
  }
  return name === '' ? chooseValue(base, isValid, { values: getMessages(error), isMessage: true }) : keep(base);
}

/** Matches property names, in lower case, that do not look like names of values in a request. */
const ERROR_FIELD = /code|type|status|title/;

/**
 * Returns whether an object such as `errors` has a text, or a list of texts, for each of some values of the request.
 */
function isFieldMap(name: string, base: Node, { violations, violation }: PartError): boolean {
  const names = Object.keys(base);
  const isText = (value: unknown) => typeof value === 'string';
  const areTexts = Object.values(base).every((value) => (Array.isArray(value) ? value.every(isText) : isText(value)));
  if (!/errors$/i.test(name) || violation || names.length === 0 || !areTexts || hasMessage(names)) return false;
  const isInvalid = (one: string) => violations.some((each) => getName(each) === one);
  return names.some(isInvalid) || !names.some((one) => ERROR_FIELD.test(one.toLowerCase()));
}

/** Gives each field of an object the message about the value of the same name. Removes optional fields without one. */
function describeFields(base: Node, isValid: IsValid, error: PartError): DescribedPart {
  const parts = splitError(error).slice(0, MAX_ENTRIES);
  let body = base;
  let description: Description = Description.none;
  for (const [name, value] of Object.entries(base)) {
    const current = body;
    const messages = parts.filter(({ violation }) => getName(violation) === name).flatMap(getMessages);
    const { [name]: _, ...others } = current;
    if (messages.length === 0 && isValid(others)) body = others;
    const values = messages.length === 0 ? getMessages(error) : messages;
    const shaped = Array.isArray(value) ? values.map((message) => [message]) : values;
    const isValidHere: IsValid = (one) => isValid({ ...current, [name]: one });
    if (body === current)
      body = { ...current, [name]: chooseValue(value, isValidHere, { values: shaped, isMessage: true }).value };
    if (messages.length > 0) description = Description.message;
  }
  return { value: body, description };
}

/**
 * Returns whether the schema of an object describes one of its properties: the property has a type, which any other
 * property does not have.
 */
function hasDocumentedProperty(base: Node, isValid: IsValid): boolean {
  return Object.entries(base).some(([name, value]) => {
    const other = typeof value === 'string' ? 0 : 'text';
    return isValid({ ...base, [UNKNOWN_NAME]: other }) && !isValid({ ...base, [name]: other });
  });
}

/** Changes the fields of an object, and of the objects and lists in it, so that they describe an error. */
function describeObject(parent: string, base: Node, isValid: IsValid, error: PartError): DescribedPart {
  const names = Object.keys(base);
  let body = base;
  let description: Description = Description.none;
  for (const name of names) {
    const current = body;
    const isValidHere: IsValid = (value) => isValid({ ...current, [name]: value });
    const described = describeField(name, base[name], isValidHere, { parent, error, names });
    const { [name]: _, ...others } = current;
    const isRemoved = described.description === Description.none && isValid(others);
    body = isRemoved ? others : { ...current, [name]: described.value };
    if (described.description > description) description = described.description;
  }
  return { value: body, description };
}

/** The object that has a field. */
interface FieldParent {
  /** The name of the object. */
  readonly parent: string;
  readonly error: PartError;
  /** The names of all fields of the object. */
  readonly names: readonly string[];
}

function describeField(name: string, base: unknown, isValid: IsValid, object: FieldParent): DescribedPart {
  const { parent, error, names } = object;
  const { violation, violations } = error;
  const own = (violation && getViolationValues(name, violation, names)) ?? getFieldValues(name, error, names);
  const chosen = own ? chooseValue(base, isValid, own) : keep(base);
  if (chosen.description !== Description.none || typeof base !== 'object') return chosen;
  // In an object such as `errors`, each field has messages about the value of the same name.
  // A list or a map is not needed if the request has no violations and another field has the message.
  const isNeedless = violations.length === 0 && hasMessage(names.filter((other) => other !== name));
  const fullName = /errors$/i.test(parent) ? `${parent} ${name}` : name;
  const described = describePart(fullName, base, isValid, error, !isNeedless);
  // An inner error would repeat the message or the code of the error.
  if (INNER_ERROR.test(name) && isNode(base) && names.length > 1) return keep(described.value);
  if (isNeedless && isMapOfTexts(base, isValid)) return keep(isValid({}) ? {} : described.value);
  return isNeedless && Array.isArray(base) ? keep(described.value) : described;
}

/** A name that no error body has. */
const UNKNOWN_NAME = 'storefront-unknown-name';

/**
 * Returns whether the schema of an object allows texts, or lists of texts, under any name, but not other values.
 * An object that already has a field for a message is not such a map.
 */
function isMapOfTexts(base: unknown, isValid: IsValid): base is Node {
  if (!isNode(base) || hasMessage(Object.keys(base))) return false;
  const allows = (value: unknown) => isValid({ ...base, [UNKNOWN_NAME]: value });
  return (allows('text') || allows(['text'])) && !allows({});
}

/**
 * Describes an error in a map of texts, such as `{ "price": "is missing" }`.
 * A map that is neither the whole body nor a list of errors by its name becomes empty.
 */
function describeTexts(name: string, base: Node, isValid: IsValid, error: PartError): DescribedPart {
  return describeMap(name, isValid, error) ?? keep(isValid({}) ? {} : base);
}

/** Describes the violations of a request in a list. Each entry of the list describes one violation. */
function describeList(name: string, [base]: readonly unknown[], isValid: IsValid, error: PartError): DescribedPart {
  const parts = error.violation ? [{ ...error, violation: error.violation }] : splitError(error).slice(0, MAX_ENTRIES);
  const describeEntry = (part: PartError): DescribedPart => {
    const isValidEntry: IsValid = (entry) => isValid([entry]);
    if (typeof base !== 'string') return describePart(name, base, isValidEntry, part);
    const isKnown = ERROR_LIST.test(name.toLowerCase());
    return isKnown ? chooseValue(base, isValidEntry, { values: getMessages(part), isMessage: true }) : keep(base);
  };
  const entries = parts.map(describeEntry).map(toOwnEntry);
  const [first = keep(base)] = entries;
  const value = [entries.map((entry) => entry.value), [first.value]].find(isValid);
  return value ? { value, description: first.description } : keep([base]);
}

/** Matches a UUID up to its last two digits. */
const UUID = /^([\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{10})[\da-f]{2}$/i;

/** Gives an entry of a list another `id` than the entries before it, if it is a UUID. */
function toOwnEntry({ value, description }: DescribedPart, index: number): DescribedPart {
  const [, id] = (index > 0 && isNode(value) && UUID.exec(String(value.id))) || [];
  if (id === undefined) return { value, description };
  return { value: { ...toNode(value), id: id + index.toString(16).padStart(2, '0') }, description };
}

/**
 * Describes the violations in an object that maps the names of invalid values to messages, such as
 * `{ "price": ["is missing"] }`.
 * Returns undefined if the schema does not allow such an object.
 */
function describeMap(name: string, isValid: IsValid, error: PartError): DescribedPart | undefined {
  const isKnown = name === '' || (ERROR_LIST.test(name.toLowerCase()) && !SINGLE_ERROR.test(name.toLowerCase()));
  if (!isKnown || error.violation) return undefined;
  const parts = splitError(error).slice(0, MAX_ENTRIES);
  const getKey = ({ violation }: (typeof parts)[number]) =>
    error.violations.length === 0 ? 'detail' : getName(violation);
  const names = [...new Set(parts.map(getKey))];
  const byName = names.map((key): [string, readonly string[]] => [
    key,
    parts.filter((part) => getKey(part) === key).map(({ detail }) => detail),
  ]);
  const maps = [Object.fromEntries(byName), Object.fromEntries(byName.map(([key, [first]]) => [key, first]))];
  const value = maps.find(isValid);
  return value && { value, description: Description.message };
}

/** Returns the first of `values` that is valid and has the same type as `base`. If there is none, returns `base`. */
function chooseValue(base: unknown, isValid: IsValid, { values, isMessage }: FieldValues): DescribedPart {
  const value = values.find((candidate) => isSameType(candidate, base) && isValid(candidate));
  if (value === undefined) return keep(base);
  return { value, description: isMessage ? Description.message : Description.facts };
}

function isSameType(a: unknown, b: unknown): boolean {
  return b === null || (typeof a === typeof b && Array.isArray(a) === Array.isArray(b));
}

function keep(value: unknown): DescribedPart {
  return { value, description: Description.none };
}
