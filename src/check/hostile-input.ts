import type { Contract } from '../openapi/contract.ts';
import { isJsonType, mediaTypeFor } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import type { Judging } from './check-context.ts';
import { examineAtOnce, examineEach } from './confirm-findings.ts';
import type { Ask } from './exchange.ts';
import type { Finding } from './findings.ts';
import { parsedFinite, withFirst } from './json-edits.ts';
import { askOf, bodyTypeOf, judged, pathOf, type Values } from './requests.ts';
import { isWriting } from './selection.ts';
import { findingIn, type Session } from './session.ts';
import { isTooLarge } from './undocumented-responses.ts';

/** A request that no schema describes, and whether it can't be done. */
interface Hostile {
  readonly ask: Ask;
  /** Why it has to be refused, the end of a sentence that begins with "though"; undefined where it needn't. */
  readonly wrong?: string;
  /** The status that it has to have where that is documented. */
  readonly status?: number;
}

/** Parts of a path or a query as they go out: escapes that are none, what is decoded into something else, what is long. */
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

/** What is no JSON. */
const NO_JSON = ['{"', '{a:1}', "{'a':1}", '[1,]', 'NaN', '{"a":1}{"b":2}', '{"a":01}', '"\\x"', '\u0000', '<a/>'];

/** How deep values are nested that are nested too deep. */
const DEPTH = 5_000;

/** Judges how an operation bears what is meant to break it: it answers, with a documented status and never with a fault of its own, and does nothing that can't be read. */
export async function checkHostileInput({ session, bases, seed, prepare }: Judging, route: Route): Promise<void> {
  await prepare();
  const base = bases.base(route, seed);
  const bodies = base ? hostileBodies(session.contract, route, base) : [];
  const all = [...hostileTargets(route, base ?? bases.path(route, seed)), ...bodies];
  const isAlone = ({ wrong }: Hostile) => isWriting(route) && wrong === undefined;
  const once = (hostile: Hostile) => examine(session, route, hostile);
  const repeat = async (hostile: Hostile) => {
    await prepare();
    return once(hostile);
  };
  const together = all.filter((one) => !isAlone(one));
  await examineAtOnce(session, together, { examine: once, repeat });
  await examineEach(session, all.filter(isAlone), repeat);
}

/** Sends a request, and says what is wrong with how it is answered. */
async function examine(session: Session, route: Route, hostile: Hostile): Promise<readonly Finding[]> {
  const { exchange, findings } = await session.ask('input', route, hostile.ask);
  if (!exchange) return findings;
  // That what is very long is too long needn't be documented.
  const own = isTooLarge(hostile.ask, exchange.reply) ? [] : findings;
  const trouble = wrongStatus(session, route, hostile, exchange.reply.status);
  const pointer = `${route.pointer}/requestBody`;
  return trouble ? [...own, findingIn('input', route, exchange, { ...trouble, pointer })] : own;
}

/** Statuses that come before any other: those of an access check (an error in the shop, by its own rules) and of a rate limit. */
const BEFORE_ALL: readonly number[] = [401, 403, 429];

function wrongStatus(
  { isShop }: Session,
  route: Route,
  { wrong, status }: Hostile,
  got: number,
): { readonly rule: string; readonly message: string } | undefined {
  if (wrong === undefined || got >= 500 || BEFORE_ALL.includes(got)) return undefined;
  // Of what is wrong with a request the shop's contract says which status it has; any other API may refuse it as it likes.
  const wanted = isShop && route.responses.some(({ name }) => name === String(status)) ? status : undefined;
  if (wanted !== undefined && got !== wanted)
    return { rule: `${wanted} if ${wrong}`, message: `Status ${got} instead of ${wanted}: ${wrong}` };
  return got < 400
    ? { rule: `rejected if ${wrong}`, message: `Status ${got} instead of an error: ${wrong}` }
    : undefined;
}

function hostileTargets(route: Route, base: Values): readonly Hostile[] {
  const { target, ...rest } = askOf(route, base);
  const [path = '', query = ''] = target.split('?');
  const inPath = route.pathNames.flatMap((name) =>
    RAW_TEXTS.map((text) => ({
      ...rest,
      target: pathOf(route, base, { [name]: text }) + (query === '' ? '' : `?${query}`),
    })),
  );
  const names = route.parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name }) => encodeURIComponent(name));
  const inQuery = names.flatMap((name) => RAW_TEXTS.map((text) => ({ ...rest, target: `${path}?${name}=${text}` })));
  const odd = ['?', '?&&=&', `?${'a=1&'.repeat(500)}`].map((text) => ({ ...rest, target: path + text }));
  return [...inPath, ...inQuery, ...odd].map((ask) => ({ ask }));
}

function hostileBodies(contract: Contract, route: Route, base: Values): readonly Hostile[] {
  const type = bodyTypeOf(route);
  if (type === undefined || !isJsonType(type) || base.body === undefined) return [];
  const { method, target, headers } = askOf(route, base);
  const sent = (body: string | Buffer, printedBy?: string): Ask => ({
    method,
    target,
    headers: { ...headers, 'content-type': type },
    body,
    ...(printedBy === undefined ? {} : { printedBy }),
  });
  const right = JSON.stringify(base.body);
  return [
    ...NO_JSON.map((text) => ({ ask: sent(text), wrong: 'the body is not valid JSON', status: 400 })),
    // A number that is cut short may be one still.
    ...[`${right},`, `${right}}`, ...(/["\]}]$/.test(right) ? [right.slice(0, -1)] : [])].map((text) => ({
      ask: sent(text),
      wrong: 'the body is not valid JSON',
      status: 400,
    })),
    { ask: sent(Buffer.from([0x22, 0xff, 0xfe, 0x22])) },
    ...deep(right).map(([body, printedBy]) => ({ ask: sent(body, printedBy) })),
    ...oddJson(right).map((text) => ({ ask: sent(text) })),
    ...oddValues(right).map((text) => {
      const received = judged(contract, route, { ...base, body: parsedFinite(text) });
      const [first] = received.kind === 'violations' ? received.violations : [];
      return {
        ask: sent(text),
        ...(first ? { wrong: `${first.pointer} in the body violates ${first.rule}` } : {}),
      };
    }),
    ...['text/plain', 'application/xml']
      .filter((other) => mediaTypeFor(Object.keys(route.bodyMedia), other) === undefined)
      .map((other) => ({
        ask: { method, target, headers: { ...headers, 'content-type': other }, body: right },
        ...(route.responses.some(({ name }) => name === '415')
          ? { wrong: `the content type is ${other}`, status: 415 }
          : {}),
      })),
    { ask: { method, target, headers: { ...headers, 'content-type': 'application/json;;=' }, body: right } },
  ];
}

/** Bodies that are nested very deeply, alone and in a right one, with what prints them. */
function deep(right: string): readonly (readonly [body: string, printedBy: string])[] {
  const nested = '['.repeat(DEPTH) + ']'.repeat(DEPTH);
  const printed = (start: string, end: string) =>
    `node -p '${JSON.stringify(start).replaceAll("'", String.raw`'\''`)}+"[".repeat(${DEPTH})+"]".repeat(${DEPTH})+${JSON.stringify(end)}'`;
  const start = `${right.slice(0, -1)}${right === '{}' ? '' : ','}"unknownProperty":`;
  return right.startsWith('{')
    ? [
        [nested, printed('', '')],
        [`${start}${nested}}`, printed(start, '}')],
      ]
    : [[nested, printed('', '')]];
}

/** A right body with what JSON allows and programs stumble over: names that mean something to them, names that stand twice. */
function oddJson(right: string): readonly string[] {
  if (!right.startsWith('{')) return [];
  const also = (more: string) => `${right.slice(0, -1)}${right === '{}' ? '' : ','}${more}}`;
  return [
    also('"__proto__":{"quantity":1,"toString":1}'),
    also('"constructor":{"prototype":{"x":1}}'),
    also('"toString":1,"hasOwnProperty":1,"then":1'),
    also('"":1," ":2'),
    also(right.slice(1, -1) || '"a":1,"a":2'),
    `\ufeff${right}`,
  ];
}

/** Numbers and texts that programs stumble over, as they stand in JSON. */
const ODD_NUMBERS = ['1e400', '9'.repeat(400), '-0'];
const ODD_TEXTS = ['"\\ud800"', '"\\u0000"'];

/** A right body with a number or a text in it replaced by one that programs stumble over. */
function oddValues(right: string): readonly string[] {
  const body: unknown = JSON.parse(right);
  const texts = [
    ...ODD_NUMBERS.map((raw) => withFirst('number', body, raw)),
    ...ODD_TEXTS.map((raw) => withFirst('string', body, raw)),
  ];
  return texts.filter((text) => text !== undefined).filter((text) => text !== right);
}
