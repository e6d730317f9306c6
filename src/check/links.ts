import { type Document, getNode, isNode, type Node, resolvePointer, toPointer } from '../openapi/document.ts';
import { responseTo } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import { pointerTo } from '../util/json-pointer.ts';
import type { Judging } from './check-context.ts';
import { addConfirmed } from './confirm-findings.ts';
import { type Ask, type Exchange, isSuccess } from './exchange.ts';
import type { Finding } from './findings.ts';
import { askOf, NOTHING, type Values, withParameter } from './requests.ts';
import { findingIn, type Session } from './session.ts';

/** A link of a response to another operation (OpenAPI 3.0, Link Object). */
interface Link {
  readonly name: string;
  readonly pointer: string;
  readonly target: Route;
  readonly parameters: Node;
  readonly requestBody: unknown;
}

/** Follows the links of an operation's success, each from an answer of its own: what a link leads to is there, and is no wrong request. */
export async function checkLinks(judging: Judging, route: Route): Promise<void> {
  const { session, bases, seed, prepare, asked } = judging;
  await prepare();
  const values = bases.base(route, seed);
  const links = values ? linksOf(session, route).filter(({ target }) => asked.includes(target)) : [];
  for (const link of links) {
    const examine = async (): Promise<readonly Finding[]> => {
      await prepare();
      const { exchange, findings } = await session.ask('links', route, askOf(route, values ?? NOTHING));
      const followed = exchange && isSuccess(exchange.reply) && askOfLink(judging, link, values ?? NOTHING, exchange);
      return followed ? [...findings, ...(await follow(session, link, followed, exchange))] : findings;
    };
    await addConfirmed(session, await examine(), examine);
  }
}

async function follow(
  session: Session,
  { name, pointer, target }: Link,
  ask: Ask,
  before: Exchange,
): Promise<readonly Finding[]> {
  const { exchange, findings } = await session.ask('links', target, ask);
  const isDangling = exchange && [400, 404, 410, 422].includes(exchange.reply.status);
  const said = `The link ${name} leads to status ${exchange?.reply.status}: the target of a link must exist`;
  const dangling = isDangling
    ? [findingIn('links', target, exchange, { rule: `link ${name}`, message: said, pointer })]
    : [];
  return [...findings, ...dangling].map((finding) => ({ ...finding, exchanges: [before, ...finding.exchanges] }));
}

function linksOf({ contract: { plain, routes } }: Session, route: Route): readonly Link[] {
  const success = responseTo(route.responses, route.successStatus);
  const holder = `${resolvePointer(plain, success?.pointer ?? '')}/links`;
  const links = getNode(plain, holder);
  return Object.keys(isNode(links) ? links : {}).flatMap((name) => {
    const pointer = resolvePointer(plain, holder + pointerTo(name));
    const link = getNode(plain, pointer);
    if (!isNode(link)) return [];
    const target = routes.find(({ operationId, pointer: place }) =>
      link.operationId === undefined
        ? toPointer(String(link.operationRef)) === place
        : link.operationId === operationId,
    );
    const parameters = isNode(link.parameters) ? link.parameters : {};
    return target ? [{ name, pointer, target, parameters, requestBody: link.requestBody }] : [];
  });
}

/** The request of a link; undefined where the answer hasn't what it is made of. */
function askOfLink({ session, bases, seed }: Judging, link: Link, sent: Values, exchange: Exchange): Ask | undefined {
  const { target, parameters, requestBody } = link;
  const { plain } = session.contract;
  let values: Values = {
    ...NOTHING,
    ...(requestBody === undefined && isBodyRequired(plain, target) ? bodyOf(bases.base(target, seed)) : {}),
  };
  for (const [key, expression] of Object.entries(parameters)) {
    const name = key.replace(/^(path|query|header|cookie)\./, '');
    const parameter = target.parameters.find((one) => one.name === name && (key === name || key.startsWith(one.in)));
    const value = evaluated(expression, sent, exchange);
    const given = parameter && value !== undefined ? withParameter(values, parameter, value) : undefined;
    if (!given) return undefined;
    values = given;
  }
  if (target.pathNames.some((name) => values.path[name] === undefined)) return undefined;
  if (requestBody === undefined) return askOf(target, values);
  const body = evaluatedWithin(requestBody, sent, exchange);
  return body === undefined ? undefined : askOf(target, { ...values, body });
}

function isBodyRequired(plain: Document, { pointer }: Route): boolean {
  return getNode(plain, `${resolvePointer(plain, `${pointer}/requestBody`)}/required`) === true;
}

function bodyOf(values: Values | undefined): { body?: unknown } {
  return values?.body === undefined ? {} : { body: values.body };
}

/** A value with its runtime expressions evaluated, in objects and lists too; undefined where one has no value. */
function evaluatedWithin(value: unknown, sent: Values, exchange: Exchange): unknown {
  if (Array.isArray(value)) {
    const list = value.map((one) => evaluatedWithin(one, sent, exchange));
    return list.includes(undefined) ? undefined : list;
  }
  if (!isNode(value)) return evaluated(value, sent, exchange);
  const entries = Object.entries(value).map(([key, one]) => [key, evaluatedWithin(one, sent, exchange)] as const);
  return entries.some(([, one]) => one === undefined) ? undefined : Object.fromEntries(entries);
}

/** An expression within a text. */
const WITHIN = /\{(\$[^}]*)\}/g;

/** The value of a runtime expression (OpenAPI 3.0, Runtime Expressions); what is none stands for itself. */
function evaluated(expression: unknown, sent: Values, { ask, reply }: Exchange): unknown {
  if (typeof expression !== 'string') return expression;
  if (!expression.startsWith('$')) {
    const inner = [...expression.matchAll(WITHIN)].map(([, one = '']) => evaluated(one, sent, { ask, reply }));
    // Without a part of it there is no whole.
    return inner.includes(undefined) ? undefined : expression.replaceAll(WITHIN, () => String(inner.shift()));
  }
  const [, from, part = '', name = ''] =
    /^\$(request|response)\.(body|path|query|header)(?:[.#](.*))?$/.exec(expression) ?? [];
  if (expression === '$statusCode') return reply.status;
  if (expression === '$method') return ask.method;
  if (part === 'body') return getNode(from === 'request' ? sent.body : reply.body, name);
  if (part === 'header') return (from === 'request' ? sent.headers : reply.headers)[name.toLowerCase()];
  return from === 'request' ? { path: sent.path, query: sent.query }[part as 'path' | 'query']?.[name] : undefined;
}
