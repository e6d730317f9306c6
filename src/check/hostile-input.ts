import type { Contract } from '../openapi/contract.ts';
import { findMediaType, isJsonType } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import type { CheckContext } from './check-context.ts';
import { examineAll } from './confirm-findings.ts';
import type { RequestToSend } from './exchange.ts';
import type { Finding } from './findings.ts';
import { parseFinite, replaceFirst } from './json-edits.ts';
import { getBodyType, type RequestValues, toPath, toRequest, validateValues } from './requests.ts';
import { isWriting } from './selection.ts';
import { createFinding, type Session } from './session.ts';
import { isTooLarge } from './undocumented-responses.ts';

/** A request that no schema describes. */
interface HostileRequest {
  readonly request: RequestToSend;
  /** Why the server must reject it; undefined if it need not. */
  readonly reason?: string;
  /** The expected status, if it is documented. */
  readonly status?: number;
}

/** Raw parts of a path or a query: invalid escapes, escapes with a special meaning, long texts. */
const RAW_TEXTS = [
  '%',
  '%00',
  '%E0%A4%A',
  '%ff',
  '%ED%A0%80',
  '%uD800',
  '%2F..%2F',
  '..%2f',
  '%0d%0a',
  '%F0%9F%98%80',
  "'",
  ';',
  '{}',
  'a'.repeat(8_000),
];

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
    mustBeAlone: ({ reason }) => isWriting(route) && reason === undefined,
  });
}

/** Sends a request. Returns the findings in its response. */
async function examine(session: Session, route: Route, hostile: HostileRequest): Promise<readonly Finding[]> {
  const { exchange, findings } = await session.send('input', route, hostile.request);
  if (!exchange) return findings;
  // The rejection of very long input need not be documented.
  const own = isTooLarge(hostile.request, exchange.response) ? [] : findings;
  const violation = findStatusViolation(session, route, hostile, exchange.response.status);
  const pointer = `${route.pointer}/requestBody`;
  return violation ? [...own, createFinding('input', route, exchange, { ...violation, pointer })] : own;
}

/** Statuses that precede any other: of an access check (a violation in the shop, by its own rules) and of a rate limit. */
const GATEWAY_STATUSES: readonly number[] = [401, 403, 429];

function findStatusViolation(
  { hasModel }: Session,
  route: Route,
  { reason, status }: HostileRequest,
  actual: number,
): { readonly rule: string; readonly message: string } | undefined {
  if (reason === undefined || actual >= 500 || GATEWAY_STATUSES.includes(actual)) return undefined;
  // The shop's contract defines the status of each rejection; any other API may choose it.
  const expectedStatus = hasModel && route.responses.some(({ name }) => name === String(status)) ? status : undefined;
  if (expectedStatus !== undefined && actual !== expectedStatus)
    return {
      rule: `${expectedStatus} if ${reason}`,
      message: `Status ${actual} instead of ${expectedStatus}: ${reason}`,
    };
  return actual < 400
    ? { rule: `rejected if ${reason}`, message: `Status ${actual} instead of an error: ${reason}` }
    : undefined;
}

function hostileTargets(route: Route, base: RequestValues): readonly HostileRequest[] {
  const { target, ...rest } = toRequest(route, base);
  const [path = '', query = ''] = target.split('?');
  const inPath = route.pathNames.flatMap((name) =>
    RAW_TEXTS.map((text) => ({
      ...rest,
      target: toPath(route, base, { [name]: text }) + (query === '' ? '' : `?${query}`),
    })),
  );
  const names = route.parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name }) => encodeURIComponent(name));
  const inQuery = names.flatMap((name) => RAW_TEXTS.map((text) => ({ ...rest, target: `${path}?${name}=${text}` })));
  const unusualQueries = ['?', '?&&=&', `?${'a=1&'.repeat(500)}`].map((text) => ({ ...rest, target: path + text }));
  return [...inPath, ...inQuery, ...unusualQueries].map((request) => ({ request }));
}

function hostileBodies(contract: Contract, route: Route, base: RequestValues): readonly HostileRequest[] {
  const type = getBodyType(route);
  if (type === undefined || !isJsonType(type) || base.body === undefined) return [];
  const { method, target, headers } = toRequest(route, base);
  const sent = (body: string | Buffer, printCommand?: string): RequestToSend => ({
    method,
    target,
    headers: { ...headers, 'content-type': type },
    body,
    ...(printCommand === undefined ? {} : { printCommand }),
  });
  const validBody = JSON.stringify(base.body);
  return [
    ...INVALID_JSON.map((text) => ({ request: sent(text), reason: 'the body is not valid JSON', status: 400 })),
    // A number without its last digit may still be a number.
    ...[`${validBody},`, `${validBody}}`, ...(/["\]}]$/.test(validBody) ? [validBody.slice(0, -1)] : [])].map(
      (text) => ({
        request: sent(text),
        reason: 'the body is not valid JSON',
        status: 400,
      }),
    ),
    { request: sent(Buffer.from([0x22, 0xff, 0xfe, 0x22])) },
    ...nestDeeply(validBody).map(([body, printCommand]) => ({ request: sent(body, printCommand) })),
    ...createUnusualJson(validBody).map((text) => ({ request: sent(text) })),
    ...createUnusualValues(validBody).map((text) => {
      const received = validateValues(contract, route, { ...base, body: parseFinite(text) });
      const [first] = received.kind === 'violations' ? received.violations : [];
      return {
        request: sent(text),
        ...(first ? { reason: `${first.pointer} in the body violates ${first.rule}` } : {}),
      };
    }),
    ...['text/plain', 'application/xml']
      .filter((other) => findMediaType(Object.keys(route.bodyMedia), other) === undefined)
      .map((other) => ({
        request: { method, target, headers: { ...headers, 'content-type': other }, body: validBody },
        ...(route.responses.some(({ name }) => name === '415')
          ? { reason: `the content type is ${other}`, status: 415 }
          : {}),
      })),
    { request: { method, target, headers: { ...headers, 'content-type': 'application/json;;=' }, body: validBody } },
  ];
}

/** Returns deeply nested bodies, alone and within a valid one, each with the command that prints it. */
function nestDeeply(validBody: string): readonly (readonly [body: string, printCommand: string])[] {
  const nested = '['.repeat(DEPTH) + ']'.repeat(DEPTH);
  const printed = (start: string, end: string) =>
    `node -p '${JSON.stringify(start).replaceAll("'", String.raw`'\''`)}+"[".repeat(${DEPTH})+"]".repeat(${DEPTH})+${JSON.stringify(end)}'`;
  const start = `${validBody.slice(0, -1)}${validBody === '{}' ? '' : ','}"unknownProperty":`;
  return validBody.startsWith('{')
    ? [
        [nested, printed('', '')],
        [`${start}${nested}}`, printed(start, '}')],
      ]
    : [[nested, printed('', '')]];
}

/** Returns valid bodies with legal but error-prone JSON: names with a special meaning, and repeated names. */
function createUnusualJson(validBody: string): readonly string[] {
  if (!validBody.startsWith('{')) return [];
  const addProperties = (more: string) => `${validBody.slice(0, -1)}${validBody === '{}' ? '' : ','}${more}}`;
  return [
    addProperties('"__proto__":{"quantity":1,"toString":1}'),
    addProperties('"constructor":{"prototype":{"x":1}}'),
    addProperties('"toString":1,"hasOwnProperty":1,"then":1'),
    addProperties('"":1," ":2'),
    addProperties(validBody.slice(1, -1) || '"a":1,"a":2'),
    `\ufeff${validBody}`,
  ];
}

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
