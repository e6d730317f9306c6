import { isJsonType, responseTo } from '../contract/responses.ts';
import type { Route } from '../contract/routes.ts';
import type { Bases } from './bases.ts';
import type { Ask } from './exchange.ts';
import type { Finding } from './findings.ts';
import { askOf, bodyTypeOf, type Values } from './requests.ts';
import { nameOf, type Session } from './session.ts';

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
export async function judgeHostile(
  session: Session,
  bases: Bases,
  seed: number,
  prepare: () => Promise<void>,
  route: Route,
): Promise<void> {
  await prepare();
  const base = bases.base(route, seed);
  if (!base) return;
  for (const hostile of [...hostileTargets(route, base), ...hostileBodies(route, base)]) {
    await prepare();
    const { exchange, reply, findings } = await session.ask('input', route, hostile.ask);
    for (const finding of findings) session.ledger.add(finding);
    const said = reply && exchange ? wrongStatus(route, hostile, reply.status) : undefined;
    if (!said || !reply || !exchange) continue;
    const finding: Finding = {
      judge: 'input',
      operationId: route.operationId,
      status: nameOf(route, reply.status),
      rule: said.rule,
      said: said.said,
      pointer: `${route.pointer}/requestBody`,
      exchanges: [exchange],
    };
    session.ledger.add(finding);
  }
}

function wrongStatus(
  route: Route,
  { wrong, status }: Hostile,
  got: number,
): { rule: string; said: string } | undefined {
  if (wrong === undefined || got >= 500) return undefined;
  const wanted =
    status !== undefined && route.responses.some(({ name }) => name === String(status)) ? status : undefined;
  if (wanted !== undefined && got !== wanted)
    return { rule: `${wanted} for ${wrong}`, said: `answered ${got} instead of ${wanted}, though ${wrong}` };
  return got < 400 ? { rule: `refuses ${wrong}`, said: `answered ${got}, though ${wrong}` } : undefined;
}

function hostileTargets(route: Route, base: Values): readonly Hostile[] {
  const { target, ...rest } = askOf(route, base);
  const [path = '', query = ''] = target.split('?');
  const inPath = route.pathNames.flatMap((name) =>
    RAW_TEXTS.map((text) => ({
      ...rest,
      target: pathWith(route, base, name, text) + (query === '' ? '' : `?${query}`),
    })),
  );
  const names = route.parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name }) => encodeURIComponent(name));
  const inQuery = names.flatMap((name) => RAW_TEXTS.map((text) => ({ ...rest, target: `${path}?${name}=${text}` })));
  const odd = ['?', '?&&=&', `?${'a=1&'.repeat(500)}`].map((text) => ({ ...rest, target: path + text }));
  return [...inPath, ...inQuery, ...odd].map((ask) => ({ ask }));
}

function pathWith({ path }: Route, values: Values, name: string, text: string): string {
  return path.replaceAll(/\{(.*?)\}/g, (_, other: string) =>
    other === name ? text : encodeURIComponent(values.path[other] ?? ''),
  );
}

function hostileBodies(route: Route, base: Values): readonly Hostile[] {
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
    ...NO_JSON.map((text) => ({ ask: sent(text), wrong: 'the body is no JSON', status: 400 })),
    ...[right.slice(0, -1), `${right}}`].map((text) => ({
      ask: sent(text),
      wrong: 'the body is no JSON',
      status: 400,
    })),
    { ask: sent(Buffer.from([0x22, 0xff, 0xfe, 0x22])) },
    ...deep(right).map(([body, printedBy]) => ({ ask: sent(body, printedBy) })),
    ...oddJson(right).map((text) => ({ ask: sent(text) })),
    ...['text/plain', 'application/xml'].map((other) => ({
      ask: { method, target, headers: { ...headers, 'content-type': other }, body: right },
      ...(responseTo(route.responses, 415) ? { wrong: `the body is announced as ${other}`, status: 415 } : {}),
    })),
    { ask: { method, target, headers: { ...headers, 'content-type': 'application/json;;=' }, body: right } },
  ];
}

/** Bodies that are nested very deeply, alone and in a right one, with what prints them. */
function deep(right: string): readonly (readonly [body: string, printedBy: string])[] {
  const nested = '['.repeat(DEPTH) + ']'.repeat(DEPTH);
  const printed = (start: string, end: string) =>
    `node -p '${JSON.stringify(start)}+"[".repeat(${DEPTH})+"]".repeat(${DEPTH})+${JSON.stringify(end)}'`;
  const start = `${right.slice(0, -1)}${right === '{}' ? '' : ','}"unknownProperty":`;
  return right.startsWith('{')
    ? [
        [nested, printed('', '')],
        [`${start}${nested}}`, printed(start, '}')],
      ]
    : [[nested, printed('', '')]];
}

/** A right body with what JSON allows and programs stumble over: names that mean something to them, names that stand twice, numbers and texts beyond their types. */
function oddJson(right: string): readonly string[] {
  if (!right.startsWith('{')) return [];
  const also = (more: string) => `${right.slice(0, -1)}${right === '{}' ? '' : ','}${more}}`;
  const numbers = right.replace(/:\s*-?\d+/, ':1e400');
  return [
    also('"__proto__":{"quantity":1,"toString":1}'),
    also('"constructor":{"prototype":{"x":1}}'),
    also('"toString":1,"hasOwnProperty":1,"then":1'),
    also('"":1," ":2'),
    also(right.slice(1, -1) || '"a":1,"a":2'),
    numbers,
    right.replace(/:\s*-?\d+/, `:${'9'.repeat(400)}`),
    right.replace(/:\s*-?\d+/, ':-0'),
    right.replace(/:\s*"[^"]*"/, ':"\\ud800"'),
    right.replace(/:\s*"[^"]*"/, ':"\\u0000"'),
    `\ufeff${right}`,
  ];
}
