import type { Breach } from '../contract/answers.ts';
import type { Contract } from '../contract/contract.ts';
import { at } from '../contract/document.ts';
import { bareType, mediaTypeFor, responseTo } from '../contract/responses.ts';
import type { Route } from '../contract/routes.ts';
import { type Client, NoAnswer } from './client.ts';
import type { Ask, Exchange, Reply } from './exchange.ts';
import type { Finding, Judge, Ledger, Trouble } from './findings.ts';

/** What the answers of an API have to hold by beside its schemas. */
export type Rule = (route: Route, exchange: Exchange) => readonly Trouble[];

/** What a server is judged with. */
export interface SessionParts {
  readonly contract: Contract;
  readonly client: Client;
  readonly ledger: Ledger;
  /** Whether the contract is the shop's, of which more is known: answers may have no properties but its own, and it says what its schemas can't. */
  readonly isShop: boolean;
  readonly rules: readonly Rule[];
}

/** What came of a request: the exchange, undefined where no answer came, and all that is wrong with it. */
export interface Examined {
  readonly exchange: Exchange | undefined;
  readonly findings: readonly Finding[];
}

/** A server under judgement. */
export interface Session extends SessionParts {
  /** Whether anything may have been changed since this was last made false. */
  isTouched: boolean;
  /** Sends a request to an operation, counts its answer, and holds it against the contract; findings are given back, not taken in. */
  ask(judge: Judge, route: Route, ask: Ask): Promise<Examined>;
}

/** A server that answers no more: nothing else can be told of it. */
export class Silent extends Error {
  override readonly name = 'Silent';
}

/** How many requests in a row may get no answer. */
const MOST_UNANSWERED = 5;

/** A session with a server. */
export function createSession(parts: SessionParts): Session {
  const { client, ledger, rules } = parts;
  let unanswered = 0;
  const session: Session = {
    ...parts,
    isTouched: true,
    async ask(judge, route, ask) {
      const found = (troubles: readonly Trouble[], exchange: Exchange): readonly Finding[] =>
        troubles.map((trouble) => ({ ...trouble, judge, operationId: route.operationId, exchanges: [exchange] }));
      try {
        const exchange = { ask, reply: await client.send(ask) };
        unanswered = 0;
        session.isTouched ||= !SAFE.includes(ask.method) && exchange.reply.status < 400;
        // What an operation documents isn't of OPTIONS, which is asked of its path.
        if (ask.method !== 'OPTIONS' || route.method === 'OPTIONS')
          ledger.count(judge, route.operationId, nameOf(route, exchange.reply.status));
        const troubles = [...troublesOf(parts, route, exchange), ...rules.flatMap((rule) => rule(route, exchange))];
        return { exchange, findings: found(troubles, exchange) };
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        if (++unanswered >= MOST_UNANSWERED)
          throw new Silent(`${unanswered} requests in a row got no answer: ${error.message}`);
        const trouble = { status: 'none', rule: 'answers', said: error.message, pointer: route.pointer };
        return { exchange: undefined, findings: found([trouble], { ask, reply: NOTHING }) };
      }
    },
  };
  return session;
}

/** Methods that change nothing (RFC 9110, section 9.2.1). */
export const SAFE: readonly string[] = ['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY'];

const NOTHING: Reply = { status: 0, headers: {}, text: '', body: undefined, notJson: undefined };

/** What a judge has found in an exchange with an operation. */
export function findingIn(judge: Judge, route: Route, exchange: Exchange, trouble: Omit<Trouble, 'status'>): Finding {
  const status = nameOf(route, exchange.reply.status);
  return { ...trouble, status, judge, operationId: route.operationId, exchanges: [exchange] };
}

/** The name of the response that documents a status; the status itself where none does. */
export function nameOf({ responses }: Route, status: number): string {
  return responseTo(responses, status)?.name ?? String(status);
}

/** What is wrong with an answer, by what the contract documents of it. */
function troublesOf({ contract, isShop }: SessionParts, route: Route, { ask, reply }: Exchange): readonly Trouble[] {
  const status = nameOf(route, reply.status);
  const pointer = responseTo(route.responses, reply.status)?.pointer ?? `${route.pointer}/responses`;
  const trouble = (rule: string, said: string, place = pointer): Trouble => ({ status, rule, said, pointer: place });
  if (reply.status >= 500)
    return [trouble('no fault of the server', `the server answers ${reply.status} to this request`)];
  if (reply.notJson !== undefined) {
    return [trouble('JSON', `the body is announced as ${reply.headers['content-type']} and is none: ${reply.notJson}`)];
  }
  const answer = { status: reply.status, headers: reply.headers, body: reply.body };
  // An answer to HEAD has no body, and needn't say of what type it would be (RFC 9110, section 9.3.2).
  const breaches = contract
    .verify(route, answer, { closed: isShop })
    .filter(({ where }) => ask.method !== 'HEAD' || !/^(body|content type)/.test(where));
  return [
    ...breaches.map((breach) => trouble(ruleOf(breach), breach.said, placeOf(contract, route, reply, pointer, breach))),
    ...problemTroubles(reply).map((said) => trouble('status of the problem', said)),
  ];
}

/** The rule and where, without places in lists, so that what is wrong with each entry counts as one. */
function ruleOf({ where, rule }: Breach): string {
  return `${where.replaceAll(/\/\d+(?=\/|$)/g, '/*')} ${rule}`;
}

/** Where the contract says what a breach breaks. */
function placeOf(
  { plain }: Contract,
  route: Route,
  { status, headers }: Reply,
  pointer: string,
  { where }: Breach,
): string {
  const response = responseTo(route.responses, status);
  if (!response) return pointer;
  const [, header] = /^header (.*)$/.exec(where) ?? [];
  if (header !== undefined) return response.headers.find(({ name }) => name === header)?.schema ?? pointer;
  const type = mediaTypeFor(Object.keys(response.media), headers['content-type'] ?? '');
  const schema = type === undefined ? undefined : response.media[type]?.schema;
  return where.startsWith('body') && schema !== undefined && at(plain, schema) !== undefined ? schema : pointer;
}

/** A problem document tells the status that it comes with (RFC 9457, section 3.1.2). */
function problemTroubles({ status, headers, body }: Reply): readonly string[] {
  if (bareType(headers['content-type'] ?? '') !== 'application/problem+json') return [];
  const told = (body as { status?: unknown } | null)?.status;
  return told === undefined || told === status
    ? []
    : [`the problem document says status ${told}, the answer is ${status}`];
}
