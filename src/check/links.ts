import { at, type Document, isNode, type Node, pointerTo, settledPointer } from '../contract/document.ts';
import { responseTo } from '../contract/responses.ts';
import type { Route } from '../contract/routes.ts';
import type { Bases } from './bases.ts';
import type { Ask, Exchange, Reply } from './exchange.ts';
import type { Finding } from './findings.ts';
import { askOf, type Values, withParameter } from './requests.ts';
import { nameOf, type Session } from './session.ts';

/** A link of a response to another operation (OpenAPI 3.0, Link Object). */
interface Link {
  readonly name: string;
  readonly pointer: string;
  readonly target: Route;
  readonly parameters: Node;
  readonly requestBody: unknown;
}

export interface LinkParts {
  readonly session: Session;
  readonly bases: Bases;
  readonly seed: number;
  readonly prepare: () => Promise<void>;
  /** Whether an operation may be asked. */
  readonly isAsked: (route: Route) => boolean;
}

/** Follows the links of an operation's success, each from an answer of its own: what a link leads to is there, and is no wrong request. */
export async function judgeLinks(parts: LinkParts, route: Route): Promise<void> {
  const { session, bases, seed, prepare, isAsked } = parts;
  await prepare();
  const values = bases.base(route, seed);
  for (const link of values ? linksOf(session, route) : []) {
    if (!values || !isAsked(link.target)) continue;
    await prepare();
    const ask = askOf(route, values);
    const { exchange, findings } = await session.ask('links', route, ask);
    for (const finding of findings) session.ledger.add(finding);
    const followed = exchange && isSuccess(exchange.reply) ? askOfLink(parts, link, values, exchange) : undefined;
    if (!exchange || !followed) continue;
    for (const finding of await follow(session, link, followed, exchange)) session.ledger.add(finding);
  }
}

async function follow(
  session: Session,
  { name, pointer, target }: Link,
  ask: Ask,
  before: Exchange,
): Promise<readonly Finding[]> {
  const { exchange, reply, findings } = await session.ask('links', target, ask);
  const found = findings.map((finding) => ({ ...finding, exchanges: [before, ...finding.exchanges] }));
  if (!exchange || !reply || ![400, 404, 410, 422].includes(reply.status)) return found;
  const dangling: Finding = {
    status: nameOf(target, reply.status),
    rule: `link ${name}`,
    said: `the link ${name}, made of the answer before, is answered ${reply.status}: what it leads to has to be there`,
    pointer,
    judge: 'links',
    operationId: target.operationId,
    exchanges: [before, exchange],
  };
  return [...found, dangling];
}

function isSuccess({ status }: Reply): boolean {
  return status >= 200 && status < 300;
}

function linksOf({ contract: { plain, routes } }: Session, route: Route): readonly Link[] {
  const success = responseTo(route.responses, route.successStatus);
  const holder = `${settledPointer(plain, `${route.pointer}/responses/${success?.name}`)}/links`;
  const links = at(plain, holder);
  return Object.keys(isNode(links) ? links : {}).flatMap((name) => {
    const pointer = settledPointer(plain, holder + pointerTo(name));
    const link = at(plain, pointer);
    if (!isNode(link)) return [];
    const target = routes.find(({ operationId, pointer: place }) =>
      link.operationId === undefined ? link.operationRef === `#${place}` : link.operationId === operationId,
    );
    const parameters = isNode(link.parameters) ? link.parameters : {};
    return target ? [{ name, pointer, target, parameters, requestBody: link.requestBody }] : [];
  });
}

/** The request of a link; undefined where the answer hasn't what it is made of. */
function askOfLink({ session, bases, seed }: LinkParts, link: Link, sent: Values, exchange: Exchange): Ask | undefined {
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

const NOTHING: Values = { path: {}, query: {}, headers: {} };

function isBodyRequired(plain: Document, { pointer }: Route): boolean {
  return at(plain, `${settledPointer(plain, `${pointer}/requestBody`)}/required`) === true;
}

function bodyOf(values: Values | undefined): { body?: unknown } {
  return values?.body === undefined ? {} : { body: values.body };
}

/** A value with its runtime expressions evaluated, in objects too; undefined where one has no value. */
function evaluatedWithin(value: unknown, sent: Values, exchange: Exchange): unknown {
  if (!isNode(value)) return evaluated(value, sent, exchange);
  const entries = Object.entries(value).map(([key, one]) => [key, evaluatedWithin(one, sent, exchange)] as const);
  return entries.some(([, one]) => one === undefined) ? undefined : Object.fromEntries(entries);
}

/** The value of a runtime expression (OpenAPI 3.0, Runtime Expressions); what is none stands for itself. */
function evaluated(expression: unknown, sent: Values, { ask, reply }: Exchange): unknown {
  if (typeof expression !== 'string') return expression;
  if (!expression.startsWith('$')) {
    return expression.replaceAll(/\{(\$[^}]*)\}/g, (_, inner: string) =>
      String(evaluated(inner, sent, { ask, reply })),
    );
  }
  const [, from, part = '', name = ''] =
    /^\$(request|response)\.(body|path|query|header)(?:[.#](.*))?$/.exec(expression) ?? [];
  if (expression === '$statusCode') return reply.status;
  if (expression === '$method') return ask.method;
  if (part === 'body') return at(from === 'request' ? sent.body : reply.body, name);
  if (part === 'header') return (from === 'request' ? sent.headers : reply.headers)[name.toLowerCase()];
  return from === 'request' ? { path: sent.path, query: sent.query }[part as 'path' | 'query']?.[name] : undefined;
}
