import type { Contract } from '../openapi/contract.ts';
import { findMediaType, isJsonType } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import type { CheckContext } from './check-context.ts';
import { examineAll } from './confirm-findings.ts';
import type { RequestToSend } from './exchange.ts';
import type { Finding, Violation } from './findings.ts';
import { parseFinite, replaceFirst } from './json-edits.ts';
import { getBodyType, type RequestValues, toPath, toRequest, validateValues } from './requests.ts';
import { isWriting } from './selection.ts';
import type { Session } from './session.ts';
import { isTooLarge } from './undocumented-responses.ts';

/** A request that no schema describes. */
interface HostileRequest {
  readonly request: RequestToSend;
  /** Why the server must reject it; undefined if it need not. */
  readonly reason?: string;
  /** The expected status, if it is documented. */
  readonly status?: number;
}

/** Raw parts of a path or a query: invalid escapes, escapes with a special meaning, other characters, a long text. */
const ESCAPES = ['%', '%00', '%E0%A4%A', '%ff', '%ED%A0%80', '%uD800', '%2F..%2F', '..%2f', '%0d%0a', '%F0%9F%98%80'];
const RAW_TEXTS = [...ESCAPES, "'", ';', '{}', 'a'.repeat(8_000)];

/** Texts that are not valid JSON. */
const INVALID_JSON = ['{"', '{a:1}', "{'a':1}", '[1,]', 'NaN', '{"a":1}{"b":2}', '{"a":01}', '"\\x"', '\u0000', '<a/>'];

/** The depth of a value that is nested too deeply. */
const DEPTH = 5_000;

/** Checks that an operation responds to hostile input with a documented status other than 5xx, and rejects what can't be parsed. */
export async function checkHostileInput(
  { session, requests, seed, prepare }: CheckContext,
  route: Route,
): Promise<void> {
  await prepare();
  const base = requests.createValid(route, seed);
  const bodies = base ? hostileBodies(session.contract, route, base) : [];
  const all = [...hostileTargets(route, base ?? requests.createPath(route, seed)), ...bodies];
  await examineAll(session, all, {
    examine: (hostile) => examine(session, route, hostile),
    prepare,
    mustRunAlone: ({ reason }) => isWriting(route) && reason === undefined,
  });
}

/** Sends a request. Returns the findings in its response. */
async function examine(session: Session, route: Route, hostile: HostileRequest): Promise<readonly Finding[]> {
  const { exchange, findings } = await session.send('input', route, hostile.request, (_, { response }) =>
    findStatusViolations(session, route, hostile, response.status),
  );
  // The rejection of very long input need not be documented.
  return exchange && isTooLarge(exchange.request, exchange.response) ? [] : findings;
}

/** Statuses that precede any other: of an access check (a violation where a model applies, by its rules) and of a rate limit. */
const GATEWAY_STATUSES: readonly number[] = [401, 403, 429];

function findStatusViolations(
  { hasModel }: Session,
  route: Route,
  { reason, status }: HostileRequest,
  actual: number,
): readonly Violation[] {
  if (reason === undefined || actual >= 500 || GATEWAY_STATUSES.includes(actual)) return [];
  const pointer = `${route.pointer}/requestBody`;
  // The contract of a model defines the status of each rejection; any other API may choose it.
  const isDefined = hasModel && route.responses.some(({ name }) => name === String(status));
  if (isDefined && actual !== status)
    return [{ rule: `${status} if ${reason}`, message: `Status ${actual} instead of ${status}: ${reason}`, pointer }];
  if (actual >= 400) return [];
  return [{ rule: `rejected if ${reason}`, message: `Status ${actual} instead of an error: ${reason}`, pointer }];
}

function hostileTargets(route: Route, base: RequestValues): readonly HostileRequest[] {
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

function hostileBodies(contract: Contract, route: Route, base: RequestValues): readonly HostileRequest[] {
  const type = getBodyType(route);
  if (type === undefined || !isJsonType(type) || base.body === undefined) return [];
  const { method, target, headers } = toRequest(route, base);
  const createRequest = (body: string | Buffer, contentType = type): RequestToSend => ({
    method,
    target,
    headers: { ...headers, 'content-type': contentType },
    body,
  });
  const validBody = JSON.stringify(base.body);
  // A number without its last digit may still be a number.
  const cut = /["\]}]$/.test(validBody) ? [validBody.slice(0, -1)] : [];
  const requests = [
    createRequest(Buffer.from([0x22, 0xff, 0xfe, 0x22])),
    ...nestDeeply(validBody).map(([body, printCommand]) => ({ ...createRequest(body), printCommand })),
    ...createUnusualJson(validBody).map((text) => createRequest(text)),
  ];
  return [
    ...[...INVALID_JSON, `${validBody},`, `${validBody}}`, ...cut].map((text) => ({
      request: createRequest(text),
      reason: 'the body is not valid JSON',
      status: 400,
    })),
    ...requests.map((request) => ({ request })),
    ...createUnusualValues(validBody).map((text) => {
      const received = validateValues(contract, route, { ...base, body: parseFinite(text) });
      const [first] = received.kind === 'violations' ? received.violations : [];
      const reason = first && `${first.pointer} in the body violates ${first.rule}`;
      return { request: createRequest(text), reason };
    }),
    ...['text/plain', 'application/xml']
      .filter((other) => findMediaType(Object.keys(route.bodyMedia), other) === undefined)
      .map((other) => ({ request: createRequest(validBody, other), ...getTypeRejection(route, other) })),
    { request: createRequest(validBody, 'application/json;;=') },
  ];
}

/** Returns why a body of an undocumented type must be rejected; nothing if the operation does not document it. */
function getTypeRejection({ responses }: Route, type: string): Pick<HostileRequest, 'reason' | 'status'> {
  return responses.some(({ name }) => name === '415') ? { reason: `the content type is ${type}`, status: 415 } : {};
}

/** Returns deeply nested bodies, alone and within a valid one, each with the command that prints it. */
function nestDeeply(validBody: string): readonly (readonly [body: string, printCommand: string])[] {
  const nested = '['.repeat(DEPTH) + ']'.repeat(DEPTH);
  const toPrintCommand = (start: string, end: string) =>
    `node -p '${JSON.stringify(start).replaceAll("'", String.raw`'\''`)}+"[".repeat(${DEPTH})+"]".repeat(${DEPTH})+${JSON.stringify(end)}'`;
  const surroundings: [start: string, end: string][] = [['', '']];
  if (validBody.startsWith('{')) surroundings.push([`${openObject(validBody)}"unknownProperty":`, '}']);
  return surroundings.map(([start, end]) => [start + nested + end, toPrintCommand(start, end)]);
}

/** Returns the JSON of an object up to the place of a further property. */
function openObject(json: string): string {
  return json === '{}' ? '{' : `${json.slice(0, -1)},`;
}

/** Returns valid bodies with legal but error-prone JSON: names with a special meaning, and repeated names. */
function createUnusualJson(validBody: string): readonly string[] {
  if (!validBody.startsWith('{')) return [];
  const properties = [...SPECIAL_PROPERTIES, validBody.slice(1, -1) || '"a":1,"a":2'];
  return [...properties.map((more) => `${openObject(validBody)}${more}}`), `\ufeff${validBody}`];
}

/** Properties whose names have a special meaning in JavaScript, and blank ones, in JSON. */
const SPECIAL_PROPERTIES = [
  '"__proto__":{"quantity":1,"toString":1}',
  '"constructor":{"prototype":{"x":1}}',
  '"toString":1,"hasOwnProperty":1,"then":1',
  '"":1," ":2',
];

/** Error-prone numbers and texts, in JSON. */
const UNUSUAL_NUMBERS = ['1e400', '9'.repeat(400), '-0'];
const UNUSUAL_TEXTS = ['"\\ud800"', '"\\u0000"'];

/** Returns valid bodies with a number or text replaced by an error-prone one. */
function createUnusualValues(validBody: string): readonly string[] {
  const body: unknown = JSON.parse(validBody);
  const texts = [
    ...UNUSUAL_NUMBERS.map((raw) => replaceFirst('number', body, raw)),
    ...UNUSUAL_TEXTS.map((raw) => replaceFirst('string', body, raw)),
  ];
  return texts.filter((text) => text !== undefined).filter((text) => text !== validBody);
}
