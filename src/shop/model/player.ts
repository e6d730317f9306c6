import type { Ask, Exchange, Reply } from '../../check/exchange.ts';
import type { Finding, Judge } from '../../check/findings.ts';
import { nameOf, type Session } from '../../check/session.ts';
import type { Route } from '../../openapi/routes.ts';
import type { OperationId } from '../types.ts';
import { difference } from './difference.ts';
import type { Model } from './model.ts';

/** What went wrong in a sequence; it ends there. */
export class ModelMismatchError extends Error {
  override readonly name = 'ModelMismatchError';
  readonly findings: readonly Finding[];

  constructor(findings: readonly Finding[]) {
    super('The shop does not match its model.');
    this.findings = findings;
  }
}

/** Plays a sequence of requests against a shop, beside a model of what it has to hold. */
export interface Player {
  /** What the shop has to hold now. */
  model: Model;
  readonly routes: Readonly<Record<OperationId, Route>>;
  /** Sends a request to an operation and holds the answer against the contract. Throws `ModelMismatchError` where it breaks it in a way that isn't known yet, or isn't there. */
  ask(id: OperationId, ask: Ask): Promise<Reply>;
  /** Throws `ModelMismatchError`, which says that the last answer of an operation breaks a rule of the shop. */
  off(id: OperationId, rule: string, said: string): never;
  /** What some work gives, beside the sequence; undefined where it finds only what is known already. */
  unlessKnown<Value>(work: () => Promise<Value>): Promise<Value | undefined>;
  /** Sees that an answer has a status. */
  expectStatus(id: OperationId, reply: Reply, status: number, why: string): void;
  /** Throws `ModelMismatchError` if a value differs from that of the model and this is no known finding; `context` starts the message. */
  expectSame(
    id: OperationId,
    rule: string,
    values: { readonly expected: unknown; readonly actual: unknown },
    context?: string,
  ): void;
}

/** Whether an answer is such that nothing can be told of its body: it is no JSON, lacks what it has to have, or has it of another type. */
export function isBroken({ rule }: Finding): boolean {
  const isOfBody = rule.startsWith('body') && !rule.endsWith('additionalProperties');
  return isOfBody || ['JSON', 'content type documented', 'status documented'].includes(rule);
}

/** How many of the last exchanges a finding shows. */
const SHOWN = 200;

/** A player with headers that all of its requests carry. */
export function createPlayer(
  session: Session,
  judge: Judge,
  model: Model,
  headers: Readonly<Record<string, string>> = {},
): Player {
  const steps: Exchange[] = [];
  const statuses = new Map<OperationId, number>();
  const routes = Object.fromEntries(
    session.contract.routes.map((route) => [route.operationId, route]),
  ) as Player['routes'];
  const findingOf = (id: OperationId, rule: string, said: string): Finding => {
    const status = nameOf(routes[id], statuses.get(id) ?? 0);
    return {
      judge,
      operationId: id,
      status,
      rule,
      message: said,
      pointer: routes[id].pointer,
      exchanges: steps.slice(-SHOWN),
    };
  };
  const player: Player = {
    model,
    routes,
    async ask(id, ask) {
      const { exchange, findings } = await session.ask(judge, routes[id], {
        ...ask,
        headers: { ...headers, ...ask.headers },
      });
      const before = steps.slice(-SHOWN);
      if (exchange) {
        steps.push(exchange);
        statuses.set(id, exchange.reply.status);
      }
      const fresh = findings.filter((finding) => !session.ledger.knows(finding));
      const told = (exchange ? fresh : findings).map((finding) => ({
        ...finding,
        exchanges: [...before, ...finding.exchanges],
      }));
      if (!exchange || told.length > 0 || findings.some(isBroken)) throw new ModelMismatchError(told);
      return exchange.reply;
    },
    off(id, rule, said) {
      throw new ModelMismatchError([findingOf(id, rule, said)]);
    },
    async unlessKnown(work) {
      try {
        return await work();
      } catch (error) {
        if (error instanceof ModelMismatchError && error.findings.every((finding) => session.ledger.knows(finding)))
          return undefined;
        throw error;
      }
    },
    expectStatus(id, reply, status, why) {
      if (reply.status !== status)
        player.off(id, `${status} if ${why}`, `Status ${reply.status} instead of ${status}: ${why}`);
    },
    expectSame(id, rule, { expected, actual }, context) {
      const found = difference(expected, actual);
      const detail = context === undefined ? found : `${context}: ${found}`;
      const finding = found === undefined ? undefined : findingOf(id, rule, `Rule: ${rule}. ${detail}`);
      if (finding && !session.ledger.knows(finding)) throw new ModelMismatchError([finding]);
    },
  };
  return player;
}
