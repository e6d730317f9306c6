import type { Contract } from '../openapi/contract.ts';
import { findMediaType, isJsonType } from '../openapi/media-types.ts';
import type { Route } from '../openapi/routes.ts';
import type { RequestViolations } from '../openapi/violations.ts';
import { toDecodablePath } from '../util/request-target.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { isAmbiguous } from './ambiguity.ts';
import type { CheckContext } from './check-context.ts';
import { examineAll } from './confirm-findings.ts';
import type { RequestToSend } from './exchange.ts';
import type { Finding } from './findings.ts';
import { createAcceptedInvalid } from './request-places.ts';
import { getBodyType, type RequestValues, toPath, toRequest, validateValues } from './requests.ts';
import type { Violation } from './rules.ts';
import { isWriteOperation } from './selection.ts';
import type { Session } from './session.ts';
import { isTooLarge } from './undocumented-responses.ts';

/** A string that is unlikely to occur in a body. */
const PLACEHOLDER = 'replaced-7f3c9a52e1d84b06';

/**
 * Serializes `value` as JSON, and replaces the first number or string (see `type`) with the text `raw`: for `1e400`,
 * `{"a":1}` becomes `{"a":1e400}`.
 * Returns undefined if there is nothing to replace.
 */
export function replaceFirst(type: 'number' | 'string', value: unknown, raw: string): string | undefined {
  let isFound = false;
  const json = JSON.stringify(value, (_, one: unknown) => {
    if (isFound || typeof one !== type) return one;
    isFound = true;
    return PLACEHOLDER;
  });
  return isFound ? json.replace(`"${PLACEHOLDER}"`, () => raw) : undefined;
}

/**
 * Parses JSON.
 * A number that is too large for JavaScript becomes the largest number with the same sign, so that schemas validate it
 * as a number.
 */
export function parseFinite(text: string): unknown {
  return JSON.parse(text, (_, value: unknown) =>
    typeof value === 'number' && !Number.isFinite(value) ? Math.sign(value) * Number.MAX_VALUE : value,
  );
}

/** A request with input that schemas can't describe, such as invalid escapes or invalid JSON. */
interface HostileRequest {
  readonly request: RequestToSend;
  /** Why the server must refuse the request, although schemas can't describe this; undefined if it need not. */
  readonly reason?: string;
  /** The violations of the contract, if the request can be parsed and is invalid. */
  readonly invalid?: RequestViolations;
  /**
   * The status with which the server must refuse the request.
   * Compared only if a behaviour model describes the contract, and the operation documents the status.
   */
  readonly status?: number;
}

/** Percent-encoded texts that servers often decode incorrectly: invalid escapes, and escapes of special characters. */
const ESCAPES = ['%', '%00', '%E0%A4%A', '%ff', '%ED%A0%80', '%uD800', '%2F..%2F', '..%2f', '%0d%0a', '%F0%9F%98%80'];

/**
 * Texts that are inserted in a path or a query without percent-encoding: escapes, special characters, and a long text.
 */
const RAW_TEXTS = [...ESCAPES, "'", ';', '{}', 'a'.repeat(8_000)];

/** Bodies that are not valid JSON. */
export const INVALID_JSON = ['{"', '{a:1}', "{'a':1}", '[1,]', 'NaN', '{}{}', '{"a":01}', '"\\x"', '\u0000', '<a/>'];

/** The depth of nested arrays in a body. It exceeds the limit of many JSON parsers. */
const DEPTH = 5_000;

/**
 * Sends unusual input to an operation, such as invalid escapes or deeply nested JSON.
 * The response must have a documented status other than 5xx.
 * Input that can't be parsed must be refused.
 */
export async function checkHostileInput(
  { session, requests, seed, prepare }: CheckContext,
  route: Route,
): Promise<void> {
  await prepare();
  const base = requests.createValid(route, seed);
  const bodies = base ? createHostileBodies(session.contract, route, base) : [];
  const targets = createHostileTargets(route, base ?? requests.createPath(route, seed));
  const all = [...targets.filter((hostile) => !canReachOther(session.contract, route, hostile)), ...bodies];
  await examineHostile({ session, prepare }, route, all);
}

/**
 * Sends deeply nested bodies to an operation.
 * A server may store them, and then fail for other requests, so no other check should run after this one.
 */
export async function checkNestedInput(
  { session, requests, seed, prepare }: CheckContext,
  route: Route,
): Promise<void> {
  await prepare();
  const base = requests.createValid(route, seed);
  const template = base && createBodyTemplate(route, base);
  if (!template) return;
  const bodies = nestDeeply(template.validBody).map(([body, printCommand]) => ({
    request: { ...template.createRequest(body), printCommand },
  }));
  await examineHostile({ session, prepare }, route, bodies);
}

async function examineHostile(
  { session, prepare }: Pick<CheckContext, 'session' | 'prepare'>,
  route: Route,
  requests: readonly HostileRequest[],
): Promise<void> {
  await examineAll(session, requests, {
    examine: (hostile) => examine(session, route, hostile),
    prepare,
    mustRunAlone: ({ reason, invalid }) => isWriteOperation(route) && reason === undefined && !invalid,
  });
}

/** Sends a request with unusual input. Returns the findings about the response. */
async function examine(session: Session, route: Route, hostile: HostileRequest): Promise<readonly Finding[]> {
  if (hostile.reason !== undefined) session.results.coverage.countRule('unparsable-refused', route);
  if (hostile.invalid) session.results.coverage.countRule('invalid-refused', route);
  const { exchange, findings } = await session.send('input', route, hostile.request, (_, { response }) =>
    findStatusViolations(session, route, hostile, response.status),
  );
  // The contract need not document the refusal of very long input.
  return exchange && isTooLarge(exchange.request, exchange.response) ? [] : findings;
}

/** Statuses of access checks and rate limits. A server may return them before it reads the input. */
const GATEWAY_STATUSES: readonly number[] = [401, 403, 429];

function findStatusViolations(
  { hasModel, contract }: Session,
  route: Route,
  { reason, status, invalid }: HostileRequest,
  actual: number,
): readonly Violation[] {
  if (invalid && actual < 400) return [createAcceptedInvalid(contract, route, invalid, actual)];
  if (reason === undefined || actual >= 500 || GATEWAY_STATUSES.includes(actual)) return [];
  const pointer = `${route.pointer}/requestBody`;
  // If a behaviour model describes the contract, the contract defines the status of each refusal.
  // Any other API may use any error status.
  const isDefined = hasModel && route.responses.some(({ name }) => name === String(status));
  if (isDefined && actual !== status)
    return [
      {
        rule: 'model',
        title: `${status} if ${reason}`,
        message: `Status ${actual} instead of ${status}: ${reason}`,
        pointer,
      },
    ];
  if (actual >= 400) return [];
  return [
    {
      rule: 'unparsable-refused',
      title: `refused if ${reason}`,
      message: `Status ${actual} instead of an error: ${reason}`,
      pointer,
    },
  ];
}

function createHostileTargets(route: Route, base: RequestValues): readonly HostileRequest[] {
  const { target, ...rest } = toRequest(route, base);
  const [path = '', query = ''] = target.split('?');
  const inPath = route.pathNames.flatMap((name) =>
    RAW_TEXTS.map((text) => toPath(route, base, { [name]: text }) + (query === '' ? '' : `?${query}`)),
  );
  const inQuery = route.parameters
    .filter((parameter) => parameter.in === 'query')
    .flatMap(({ name }) => RAW_TEXTS.map((text) => `${path}?${encodeURIComponent(name)}=${text}`));
  const unusualQueries = ['?', '?&&=&', `?${'a=1&'.repeat(500)}`].map((text) => path + text);
  return [...inPath, ...inQuery, ...unusualQueries].map((changed) => ({ request: { ...rest, target: changed } }));
}

/**
 * Returns whether a server may route a request with hostile input to another operation.
 * For example, some servers read the `%` of an invalid escape as a literal character.
 */
function canReachOther(contract: Contract, { operationId }: Route, { request }: HostileRequest): boolean {
  const path = request.target.split('?')[0] ?? '';
  return [path, toDecodablePath(path)].some((one) => {
    const found = tryOrUndefined(() => contract.route(request.method, one));
    return found?.kind === 'operation' && found.route.operationId !== operationId;
  });
}

/**
 * Returns a valid JSON body, and a function that creates a request with another body.
 * Returns undefined for an operation without a JSON body.
 */
function createBodyTemplate(route: Route, base: RequestValues) {
  const type = getBodyType(route);
  if (type === undefined || !isJsonType(type) || base.body === undefined) return undefined;
  const { method, target, headers } = toRequest(route, base);
  const createRequest = (body: string | Buffer, contentType = type): RequestToSend => ({
    method,
    target,
    headers: { ...headers, 'content-type': contentType },
    body,
  });
  return { validBody: JSON.stringify(base.body), createRequest };
}

function createHostileBodies(contract: Contract, route: Route, base: RequestValues): readonly HostileRequest[] {
  const template = createBodyTemplate(route, base);
  if (!template) return [];
  const { validBody, createRequest } = template;
  // A number is not truncated, because it can still be a number without its last digit.
  const truncated = /["\]}]$/.test(validBody) ? [validBody.slice(0, -1)] : [];
  const requests = [
    createRequest(Buffer.from([0x22, 0xff, 0xfe, 0x22])),
    ...createUnusualJson(validBody).map((text) => createRequest(text)),
  ];
  return [
    ...[...INVALID_JSON, `${validBody},`, `${validBody}}`, ...truncated].map((text) => ({
      request: createRequest(text),
      reason: 'the request body is not valid JSON',
      status: 400,
    })),
    ...requests.map((request) => ({ request })),
    ...createUnusualValues(validBody).map((text) => {
      const values = { ...base, body: parseFinite(text) };
      const result = validateValues(contract, route, values);
      const isInvalid = result.kind === 'violations' && !isAmbiguous(contract, route, values);
      return { request: createRequest(text), ...(isInvalid ? { invalid: result } : {}) };
    }),
    ...['text/plain', 'application/xml']
      .filter((other) => findMediaType(Object.keys(route.bodyMedia), other) === undefined)
      .map((other) => ({ request: createRequest(validBody, other), ...getTypeRejection(route, other) })),
    { request: createRequest(validBody, 'application/json;;=') },
  ];
}

/**
 * Returns why an operation must refuse a body of the undocumented media type `type`, and the expected status.
 * Returns an empty object if the operation does not document 415.
 */
function getTypeRejection({ responses }: Route, type: string): Pick<HostileRequest, 'reason' | 'status'> {
  return responses.some(({ name }) => name === '415') ? { reason: `the content type is ${type}`, status: 415 } : {};
}

/**
 * Returns bodies with deeply nested arrays, and for each body a shell command that prints it.
 * The first body consists only of the arrays.
 * If the valid body is an object, the second body is this object with the arrays as an additional property.
 */
function nestDeeply(validBody: string): readonly (readonly [body: string, printCommand: string])[] {
  const nested = '['.repeat(DEPTH) + ']'.repeat(DEPTH);
  const toPrintCommand = (start: string, end: string) =>
    `node -p '${JSON.stringify(start).replaceAll("'", String.raw`'\''`)}+"[".repeat(${DEPTH})+"]".repeat(${DEPTH})+${JSON.stringify(end)}'`;
  const enclosings: [start: string, end: string][] = [['', '']];
  if (validBody.startsWith('{')) enclosings.push([`${openObject(validBody)}"unknownProperty":`, '}']);
  return enclosings.map(([start, end]) => [start + nested + end, toPrintCommand(start, end)]);
}

/** Returns the JSON of an object without its last brace, so that a property can be appended. */
function openObject(json: string): string {
  return json === '{}' ? '{' : `${json.slice(0, -1)},`;
}

/**
 * Returns bodies with valid JSON that often causes errors: names with a special meaning, repeated names, and a byte
 * order mark.
 */
function createUnusualJson(validBody: string): readonly string[] {
  if (!validBody.startsWith('{')) return [];
  const properties = [...SPECIAL_PROPERTIES, validBody.slice(1, -1) || '"a":1,"a":2'];
  return [...properties.map((property) => `${openObject(validBody)}${property}}`), `\ufeff${validBody}`];
}

/** JSON properties whose names are blank or have a special meaning in JavaScript. */
const SPECIAL_PROPERTIES = [
  '"__proto__":{"quantity":1,"toString":1}',
  '"constructor":{"prototype":{"x":1}}',
  '"toString":1,"hasOwnProperty":1,"then":1',
  '"":1," ":2',
];

/** Numbers in JSON that often cause errors. */
const UNUSUAL_NUMBERS = ['1e400', '9'.repeat(400), '-0'];

/** Strings in JSON that often cause errors. */
const UNUSUAL_TEXTS = ['"\\ud800"', '"\\u0000"'];

/** Returns copies of a valid body. In each copy, an unusual number or string replaces the first number or string. */
function createUnusualValues(validBody: string): readonly string[] {
  const body: unknown = JSON.parse(validBody);
  const texts = [
    ...UNUSUAL_NUMBERS.map((raw) => replaceFirst('number', body, raw)),
    ...UNUSUAL_TEXTS.map((raw) => replaceFirst('string', body, raw)),
  ];
  return texts.filter((text) => text !== undefined).filter((text) => text !== validBody);
}
