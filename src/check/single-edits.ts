import type { Contract } from '../openapi/contract.ts';
import { isNode, type Node } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import { ALL_PARTS, getPartItems, getSchemaParts } from '../openapi/schema-parts.ts';
import type { CheckContext } from './check-context.ts';
import { sendIfAvailable } from './confirm-findings.ts';
import { isSuccess } from './exchange.ts';
import { getDocumentedValues, isAcceptable, withDocumentedValues } from './pool.ts';
import type { EditedAnswer } from './refusals.ts';
import { applyEdit, type Edit, findRequestParts, type RequestPart } from './request-edits.ts';
import { getAcceptedTypes } from './request-headers.ts';
import {
  getBodyFormat,
  getBodyType,
  isSendable,
  type RequestValues,
  readParameterTexts,
  toRequest,
} from './requests.ts';
import { describePart } from './value-classes.ts';

/** Numbers at the limits of common integer and floating-point types. */
const NUMBERS = [0, 1, -1, 1.5, 2 ** 31, 2 ** 53, 1e300];

/** Strings with a special meaning in JavaScript, C or Unicode, and strings that look like values of other types. */
const STRINGS = ['', ' ', 'x', '3', 'null', '__proto__', 'constructor', '\u0000', '\ud800', '\u202e\u0301😀'];

/** A string that is longer than most servers expect. */
const LONG_STRING = 'a'.repeat(5_000);

/**
 * Values of each JSON type that can replace any value in a body.
 * Most replacements violate the schema of the replaced value.
 */
const BODY_VALUES = [null, true, false, ...NUMBERS, ...STRINGS, LONG_STRING, [], ['x'], {}, { x: 1 }];

/** Strings that look like values of other types, for any parameter. */
const TYPED_TEXTS = ['', ' ', '0', '-1', '1.5', '9'.repeat(30), 'true', 'null', '[]', 'x'];

/** Strings with characters that have a special meaning in URLs, JavaScript, HTML or SQL, for any parameter. */
const SPECIAL_TEXTS = ['%', '%00', 'a/b', '__proto__', 'constructor', '\u0000', '\u202e\u0301😀', `"'><`, '; --'];

/** All strings that can replace the value of a parameter. */
const PARAMETER_TEXTS = [...TYPED_TEXTS, ...SPECIAL_TEXTS, LONG_STRING];

/**
 * Functions that make a string invalid for its `format` or `pattern`, for example by removing the hyphens of a UUID.
 */
const MALFORMATIONS: readonly ((text: string) => string)[] = [
  (text) => text.slice(1),
  (text) => `${text}0`,
  (text) => `{${text}}`,
  (text) => `urn:uuid:${text}`,
  (text) => text.replaceAll('-', ''),
  (text) => `g${text.slice(1)}`,
  (text) => ` ${text}`,
  (text) => `${text}\n`,
];

/** Functions that make an e-mail address invalid for every server: it has no `@`, two of them, or a space inside. */
const EMAIL_MALFORMATIONS: readonly ((text: string) => string)[] = [
  (text) => text.replace('@', ''),
  (text) => text.replace('@', '@@'),
  (text) => text.replace('@', ' @'),
];

/** The formats of e-mail addresses. Servers differ about the allowed characters: many allow all but spaces. */
const EMAIL_FORMATS: readonly unknown[] = ['email', 'idn-email'];

/** The years of generated dates that do not exist. */
const FIRST_YEAR = 1000;
const LAST_YEAR = 9999;

/** Texts with the form of a date or time that does not exist, by format. Many libraries convert them to another day. */
const IMPOSSIBLE_TIMES: Readonly<Record<string, readonly string[]>> = {
  date: ['2026-02-30', '2026-13-01', '2026-04-31'],
  'date-time': ['2026-02-30T10:00:00Z', '2026-04-31T10:00:00Z', '2026-01-01T25:00:00Z'],
  time: ['25:00:00Z', '10:60:00Z'],
};

/**
 * Returns edits of a request that often reveal missing validation.
 * `part`: the edited parameter, or the edited value in the body.
 * `current`: the value of the part in a valid request.
 * An edit removes or repeats the part, adds a property, or sets another value: for example, a documented example, a
 * value of another type, or one beyond a limit of the schema.
 */
function createCoverageSet(contract: Contract, part: RequestPart, current: unknown): readonly Edit[] {
  const schemas = getSchemas(contract, part.schema);
  const bounds = schemas.flatMap((schema) => [...getBoundaryValues(schema), ...createMalformedTexts(schema, current)]);
  const containers = schemas.flatMap((schema) => createContainers(schema, current));
  const values =
    part.kind === 'body'
      ? [...BODY_VALUES, [current], ...bounds, ...toTexts(current)]
      : [...PARAMETER_TEXTS, ...bounds.map(String), ...createEntries(contract, part.schema, current)];
  const all = [...getDocumentedValues(contract, part), ...values, ...containers];
  const replacements = [...new Set(all)].map((value): Edit => ({ kind: 'set', value }));
  return [{ kind: 'remove' }, { kind: 'repeat' }, { kind: 'add property', value: 'x' }, ...replacements];
}

/** Returns the schema of a request part, and the schemas that it combines. References are followed. */
function getSchemas({ normalized }: Contract, schema: string | undefined): readonly Node[] {
  return schema === undefined ? [] : getSchemaParts(normalized, schema, ALL_PARTS).map(({ node }) => node);
}

/**
 * Returns values at the limits of a schema, such as `maximum` and `maxLength`, and values just below and above these
 * limits.
 */
function getBoundaryValues(schema: Node): readonly unknown[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, minLength, maxLength } = schema;
  const numbers = [minimum, maximum, exclusiveMinimum, exclusiveMaximum].flatMap((bound) =>
    typeof bound === 'number' ? [bound, bound - 1, bound + 1, bound - 0.5, bound + 0.5] : [],
  );
  // A server that rounds accepts a small difference, such as 0.0100001 for cents.
  const steps = typeof multipleOf === 'number' ? [multipleOf, multipleOf * 1.5, multipleOf * (1 + 1e-5)] : [];
  const lengths = [minLength, maxLength].flatMap((bound) =>
    typeof bound === 'number' && bound < MAX_TEXT_LENGTH
      ? [bound, bound - 1, bound + 1].map((length) => 'a'.repeat(Math.max(0, length)))
      : [],
  );
  const enumValues = Array.isArray(schema.enum) ? schema.enum.flatMap((value) => [value, ...toTexts(value)]) : [];
  return [
    ...numbers,
    ...steps,
    ...lengths,
    ...enumValues.flatMap((value) => (typeof value === 'string' ? [value, `${value}x`, value.toUpperCase()] : [value])),
  ];
}

/** The maximum length of a generated string, in characters. */
const MAX_TEXT_LENGTH = 20_000;

/** The maximum number of entries or properties of a generated array or object. */
const MAX_COUNT = 1_000;

/**
 * Returns arrays or objects at the limits of a schema, and just beyond: `maxItems`, `minItems`, `uniqueItems`,
 * `maxProperties` and `minProperties`.
 */
function createContainers(schema: Node, current: unknown): readonly unknown[] {
  if (Array.isArray(current)) return createArrays(schema, current);
  return isNode(current) ? createObjects(schema, current) : [];
}

function createArrays({ minItems, maxItems, uniqueItems }: Node, current: readonly unknown[]): readonly unknown[] {
  const [first] = current;
  if (first === undefined) return [];
  const resize = (length: number) =>
    Array.from({ length }, (_, index) => current[index] ?? createVariant(first, index));
  const repeat = (length: number) => Array.from({ length }, (_, index) => current[index % current.length]);
  const lengths = isCount(maxItems) ? [maxItems, maxItems + 1] : [];
  const most = isCount(maxItems) ? maxItems : MAX_COUNT;
  return [
    ...lengths.flatMap((length) => (uniqueItems === true ? [resize(length)] : [repeat(length)])),
    ...(isCount(minItems) && minItems > 0 ? [current.slice(0, minItems - 1), resize(minItems)] : []),
    ...(uniqueItems === true ? [current.length < most ? [...current, first] : [...current.slice(0, -1), first]] : []),
  ];
}

/** Returns a value of the same type that differs from `value`. Returns the same value for an object or an array. */
function createVariant(value: unknown, index: number): unknown {
  if (typeof value === 'number') return value + index;
  if (typeof value !== 'string') return value;
  return /^-?\d+$/.test(value) ? String(Number(value) + index) : `${value}${index}`;
}

function createObjects({ minProperties, maxProperties, required }: Node, current: Node): readonly unknown[] {
  const names = Object.keys(current);
  const isRequired = (name: string) => Array.isArray(required) && required.includes(name);
  const byImportance = [...names.filter(isRequired), ...names.filter((name) => !isRequired(name))];
  const pick = (count: number) => Object.fromEntries(byImportance.slice(0, count).map((name) => [name, current[name]]));
  const extend = (count: number) => {
    const added = Array.from({ length: Math.max(0, count - names.length) }, (_, index) => [
      `extra${index}`,
      current[names[0] ?? ''] ?? 'x',
    ]);
    return { ...current, ...Object.fromEntries(added) };
  };
  return [
    ...(isCount(maxProperties) ? [extend(maxProperties), extend(maxProperties + 1)] : []),
    ...(isCount(minProperties) && minProperties > 0 ? [pick(minProperties - 1), pick(minProperties)] : []),
  ];
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && value <= MAX_COUNT;
}

/** Returns copies of an array or object parameter in which one entry or property has another value, or is missing. */
function createEntries(contract: Contract, schema: string, current: unknown): readonly unknown[] {
  if (Array.isArray(current)) {
    const items = getPartItems(getSchemaParts(contract.normalized, schema, ALL_PARTS));
    return getSchemas(contract, items)
      .flatMap(getBoundaryValues)
      .map((value) => [...current.slice(1), value]);
  }
  return Object.keys(isNode(current) ? current : {}).flatMap((name) => {
    const { [name]: _, ...others } = current as Node;
    return [others, { ...others, [name]: 'x' }, { ...others, [name]: '-1' }];
  });
}

function createMalformedTexts({ format, pattern }: Node, current: unknown): readonly unknown[] {
  if (typeof current !== 'string' || (format === undefined && pattern === undefined)) return [];
  const impossible = Object.hasOwn(IMPOSSIBLE_TIMES, String(format)) ? IMPOSSIBLE_TIMES[String(format)] : [];
  // A server can require that a date is before or after another one of the request.
  const year = Number(/^\d{4}(?=-)/.exec(current)?.[0] ?? FIRST_YEAR);
  const near = [year - 1, year, year + 1].filter((one) => one > FIRST_YEAR && one <= LAST_YEAR);
  const moved = (impossible ?? []).flatMap((text) => near.map((one) => text.replace(/^\d{4}/, String(one))));
  const malformations = EMAIL_FORMATS.includes(format) ? EMAIL_MALFORMATIONS : MALFORMATIONS;
  return [...malformations.map((malformText) => malformText(current)), ...new Set([...(impossible ?? []), ...moved])];
}

function toTexts(value: unknown): readonly unknown[] {
  return typeof value === 'number' || typeof value === 'boolean' ? [String(value)] : [];
}

/**
 * The maximum number of requests to an operation that differ from a valid request in a single edit, for each media type
 * of the body.
 */
const MAX_EDITS = 600;

/**
 * A request, and a description of the edited part for messages.
 * `edited`: the edit, if the request differs from a valid request in one part.
 */
export interface EditedRequest {
  readonly values: RequestValues;
  readonly place: string;
  readonly edited?: Pick<EditedAnswer, 'part' | 'edit'>;
}

/**
 * Creates requests that differ from a valid request in a single edit.
 * Also creates the valid requests themselves: with each media type of the body, with the documented examples and
 * defaults, and with each documented media type of the response in the header `Accept`.
 */
export function* createSingleEdits(context: CheckContext, route: Route, base: RequestValues): Generator<EditedRequest> {
  const { session, requests, seed } = context;
  const { contract, hasModel } = session;
  yield { values: base, place: 'generated request' };
  const unknown = hasModel ? undefined : requests.withUnknownIds(route, base, seed);
  if (unknown) yield { values: unknown, place: 'path of a resource that does not exist' };
  if (!hasModel) yield* createVariants(context, route, base);
  for (const [type, media] of Object.entries(route.bodyMedia)) {
    const format = getBodyFormat(contract, route, type);
    // Examples of errors are sent only if a behaviour model knows the expected response.
    for (const { value } of hasModel ? media.examples : media.examples.filter(isAcceptable(route)))
      yield { values: { ...base, body: value, format }, place: 'request example' };
  }
  yield* createEdits(context, findRequestParts(contract, route, base), base, route);
  const otherTypes = hasModel ? [] : Object.keys(route.bodyMedia).filter((type) => type !== base.format?.type);
  for (const type of otherTypes) {
    const values = requests.createValid(route, seed, type);
    if (!values || values.body === undefined) continue;
    yield { values, place: `generated request with the content type ${type}` };
    const parts = findRequestParts(contract, route, values).filter(({ kind }) => kind === 'body');
    yield* createEdits(context, parts, values, route);
  }
}

/** Creates valid requests with documented values, and with each media type of the response in the header `Accept`. */
function* createVariants(
  { session, seed, requests }: CheckContext,
  route: Route,
  base: RequestValues,
): Generator<EditedRequest> {
  const { contract, client } = session;
  const generated = requests.createValid(route, seed);
  const documented = withDocumentedValues(contract, route, base);
  for (const values of [generated, documented])
    if (values && !isSameRequest(route, values, base))
      yield { values, place: values === documented ? 'documented examples' : 'generated request' };
  const types = client.headers.accept === undefined ? getAcceptedTypes(route) : [];
  for (const accept of types)
    yield { values: { ...base, headers: { ...base.headers, accept } }, place: `header Accept: ${accept}` };
}

function* createEdits(
  { session }: CheckContext,
  parts: readonly RequestPart[],
  base: RequestValues,
  route: Route,
): Generator<EditedRequest> {
  let count = 0;
  for (const part of parts) {
    for (const edit of createCoverageSet(session.contract, part, getValue(route, base, part))) {
      // OpenAPI does not define the meaning of a repeated parameter.
      // So a parameter is repeated only if a behaviour model describes the contract.
      if (edit.kind === 'repeat' && !session.hasModel) continue;
      const values = applyEdit(base, part, edit);
      if (!values || !isSendable(values) || count++ >= MAX_EDITS) continue;
      // Refusals are compared with other requests, which have the main media type.
      const edited = base.format?.type === getBodyType(route) ? { edited: { part, edit } } : {};
      yield { values, place: describePart(session.contract, route, part), ...edited };
    }
  }
}

/**
 * Returns a valid request to an operation.
 * If only a request with the examples of the contract succeeds, returns this one, and makes the generator use them from
 * now on.
 * Returns undefined if no valid request can be generated.
 */
export async function findWorkingRequest(
  { session, requests }: Pick<CheckContext, 'session' | 'requests'>,
  route: Route,
  seed: number,
): Promise<RequestValues | undefined> {
  const generated = requests.createValid(route, seed);
  const documented = generated && withDocumentedValues(session.contract, route, generated);
  if (!generated || !documented || session.hasModel || isSameRequest(route, generated, documented)) return generated;
  for (const values of [generated, documented]) {
    const exchange = await sendIfAvailable(session, 'input', route, toRequest(route, values));
    if (!exchange || !isSuccess(exchange.response)) continue;
    if (values === documented) requests.useDocumentedValues(route);
    return values;
  }
  return generated;
}

function getValue(route: Route, values: RequestValues, part: RequestPart): unknown {
  if (part.kind === 'parameter') {
    const { parameter } = part;
    const name = parameter.in === 'header' ? parameter.name.toLowerCase() : parameter.name;
    return readParameterTexts(route, values)[parameter.in][name];
  }
  return part.path.reduce<unknown>((value, key) => (value as Record<string, unknown>)?.[key], values.body);
}

function isSameRequest(route: Route, one: RequestValues, other: RequestValues): boolean {
  return JSON.stringify(toRequest(route, one)) === JSON.stringify(toRequest(route, other));
}
