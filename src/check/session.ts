import { setTimeout as sleep } from 'node:timers/promises';
import type { Contract } from '../openapi/contract.ts';
import { getNode } from '../openapi/document.ts';
import { bareType, isJsonType, mediaTypeFor, responseTo } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import type { ResponseViolation } from '../openapi/verify-response.ts';
import { type Client, NoResponseError, TOO_MANY_REQUESTS } from './client.ts';
import type { Ask, Exchange, Reply } from './exchange.ts';
import type { Finding, FindingKind, Judge, Ledger } from './findings.ts';
import { repeatedName } from './repeated-names.ts';
import { CheckStoppedError, Gone, Silent } from './stopped.ts';
import { UnansweredRequests } from './unanswered-requests.ts';
import { needsNoDocument } from './undocumented-responses.ts';

/** What the answers of an API have to hold by beside its schemas. */
export type Rule = (route: Route, exchange: Exchange) => readonly FindingKind[];

/** What a server is judged with. */
export interface SessionParts {
  readonly contract: Contract;
  readonly client: Client;
  readonly ledger: Ledger;
  /** Whether the contract is the shop's, of which more is known: answers may have no properties but its own, and it says what its schemas can't. */
  readonly isShop: boolean;
  readonly rules: readonly Rule[];
  /** How many requests that don't depend on each other are sent at once. */
  readonly atOnce: number;
  /** Aborted where judging has to end; its reason says why, as `CheckStoppedError` does. */
  readonly signal?: AbortSignal | undefined;
}

/** What came of a request: the exchange, undefined where no answer came or none but 429, and all that is wrong with it. */
export interface Examined {
  readonly exchange: Exchange | undefined;
  readonly findings: readonly Finding[];
}

/** A server under judgement. */
export interface Session extends SessionParts {
  /** Whether anything may have been changed since this was last made false. */
  isTouched: boolean;
  /** How many requests were answered 429 however often they were sent. */
  limited: number;
  /** Sends a request to an operation, counts its answer, and holds it against the contract; findings are given back, not taken in. */
  ask(judge: Judge, route: Route, ask: Ask): Promise<Examined>;
}

/** After how many rounds of requests without a response, and how many requests in a row with none but 429, the check ends. */
const MOST_UNANSWERED = 5;
const MOST_LIMITED = 20;

/** How often a refused connection is tried, and the pause between two attempts, in ms: the server may be starting again. */
const LOOKS = 5;
const PAUSE_MS = 200;

/** A session with a server. */
export function createSession(parts: SessionParts): Session {
  const { ledger, rules, signal } = parts;
  const unanswered = new UnansweredRequests();
  let limitedInRow = 0;
  const troublesIn = (route: Route, exchange: Exchange) => [
    ...troublesOf(parts, route, exchange),
    ...rules.flatMap((rule) => rule(route, exchange)),
  ];

  function takeIn(judge: Judge, route: Route, exchange: Exchange): Examined {
    const { ask, reply } = exchange;
    unanswered.takeResponse();
    session.isTouched ||= !SAFE.includes(ask.method) && (reply.status < 400 || reply.status >= 500);
    if (reply.status === TOO_MANY_REQUESTS) return limitedTo(reply);
    limitedInRow = 0;
    // OPTIONS is sent to a path, not to an operation: the operation doesn't document its response.
    if (ask.method !== 'OPTIONS' || route.method === 'OPTIONS')
      ledger.count(judge, route.operationId, nameOf(route, reply.status));
    const { operationId } = route;
    const findings = troublesIn(route, exchange).map((one) => ({ ...one, judge, operationId, exchanges: [exchange] }));
    return { exchange, findings };
  }

  function limitedTo({ headers }: Reply): Examined {
    session.limited++;
    if (++limitedInRow >= MOST_LIMITED)
      throw new CheckStoppedError(
        `${limitedInRow} consecutive requests received 429 (Retry-After: ${headers['retry-after']})`,
      );
    return { exchange: undefined, findings: [] };
  }

  function withoutAnswer(judge: Judge, route: Route, ask: Ask, { message }: NoResponseError): Examined {
    session.isTouched = true;
    const { operationId, pointer } = route;
    const trouble = { status: 'none', rule: 'responds', message, pointer };
    return {
      exchange: undefined,
      findings: [{ ...trouble, judge, operationId, exchanges: [{ ask, reply: NOTHING }] }],
    };
  }

  const session: Session = {
    ...parts,
    isTouched: true,
    limited: 0,
    async ask(judge, route, ask) {
      if (signal?.aborted) throw signal.reason;
      const requestNumber = unanswered.send();
      try {
        return takeIn(judge, route, { ask, reply: await sendUnlessGone(parts, ask) });
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        if (!(error instanceof NoResponseError)) throw error;
        const rounds = unanswered.takeFailure(requestNumber);
        if (rounds >= MOST_UNANSWERED)
          throw new Silent(`no response in ${rounds} rounds of requests: ${error.message}`);
        return withoutAnswer(judge, route, ask, error);
      }
    },
  };
  return session;
}

/** The answer to a request. Throws `Gone` where nobody listens any more. */
async function sendUnlessGone({ client, signal }: SessionParts, ask: Ask): Promise<Reply> {
  for (let look = 1; ; look++) {
    try {
      return await client.send(ask);
    } catch (error) {
      if (signal?.aborted || !(error instanceof NoResponseError && error.isRefused)) throw error;
      if (look === LOOKS) throw new Gone(`the server is gone: ${error.message}`);
      await sleep(PAUSE_MS);
    }
  }
}

/** Methods that change nothing (RFC 9110, section 9.2.1). */
export const SAFE: readonly string[] = ['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY'];

const NOTHING: Reply = { status: 0, headers: {}, text: '', body: undefined, notJson: undefined };

/** What a judge has found in an exchange with an operation. */
export function findingIn(
  judge: Judge,
  route: Route,
  exchange: Exchange,
  trouble: Omit<FindingKind, 'status'>,
): Finding {
  const status = nameOf(route, exchange.reply.status);
  return { ...trouble, status, judge, operationId: route.operationId, exchanges: [exchange] };
}

/** The name of the response that documents a status; the status itself where none does. */
export function nameOf({ responses }: Route, status: number): string {
  return responseTo(responses, status)?.name ?? String(status);
}

/** What is wrong with an answer, by what the contract documents of it. */
function troublesOf(
  { contract, isShop }: SessionParts,
  route: Route,
  { ask, reply }: Exchange,
): readonly FindingKind[] {
  const status = nameOf(route, reply.status);
  const pointer = responseTo(route.responses, reply.status)?.pointer ?? `${route.pointer}/responses`;
  const trouble = (rule: string, said: string, place = pointer): FindingKind => ({
    status,
    rule,
    message: said,
    pointer: place,
  });
  if (reply.notHttp !== undefined) return [trouble('HTTP', reply.notHttp)];
  if (reply.status >= 500) return [trouble('no server error', `The server responds with ${reply.status}`)];
  if (!isShop && needsNoDocument(contract, route, ask, reply)) return [];
  if (reply.notJson !== undefined) {
    return [
      trouble(
        'JSON',
        `The content type is ${reply.headers['content-type']}, but the body is not valid JSON: ${reply.notJson}`,
      ),
    ];
  }
  const repeated = isJsonType(reply.headers['content-type'] ?? '') ? repeatedName(reply.text) : undefined;
  // An answer to HEAD has no body, and needn't say of what type it would be (RFC 9110, section 9.3.2).
  const responseViolations = contract
    .verify(route, { status: reply.status, headers: reply.headers, body: reply.body }, { closed: isShop })
    .filter(({ where }) => ask.method !== 'HEAD' || !/^(body|content type)/.test(where))
    // Whether a response without `content` may have a body OpenAPI doesn't say; the shop's contract does.
    .filter(({ where, rule }) => isShop || where !== 'body' || rule !== 'documented');
  return [
    ...responseViolations.map((breach) =>
      trouble(ruleOf(breach), breach.message, placeOf(contract, route, reply, pointer, breach)),
    ),
    ...problemTroubles(reply).map((said) => trouble('problem status', said)),
    ...(repeated === undefined
      ? []
      : [trouble('unique names', `An object in the body has the name ${JSON.stringify(repeated)} twice`)]),
  ];
}

/** The rule and where, without places in lists, so that what is wrong with each entry counts as one. */
function ruleOf({ where, rule }: ResponseViolation): string {
  return `${where.replaceAll(/\/\d+(?=\/|$)/g, '/*')} ${rule}`;
}

/** Where the contract says what a breach breaks. */
function placeOf(
  { plain }: Contract,
  route: Route,
  { status, headers }: Reply,
  pointer: string,
  { where }: ResponseViolation,
): string {
  const response = responseTo(route.responses, status);
  if (!response) return pointer;
  const [, header] = /^header (.*)$/.exec(where) ?? [];
  if (header !== undefined) return response.headers.find(({ name }) => name === header)?.schema ?? pointer;
  const type = mediaTypeFor(Object.keys(response.media), headers['content-type'] ?? '');
  const schema = type === undefined ? undefined : response.media[type]?.schema;
  return where.startsWith('body') && schema !== undefined && getNode(plain, schema) !== undefined ? schema : pointer;
}

/** A problem document tells the status that it comes with (RFC 9457, section 3.1.2). */
function problemTroubles({ status, headers, body }: Reply): readonly string[] {
  if (bareType(headers['content-type'] ?? '') !== 'application/problem+json') return [];
  const told = (body as { status?: unknown } | null)?.status;
  return told === undefined || told === status
    ? []
    : [`The status of the problem document is ${told}, that of the response ${status}`];
}
