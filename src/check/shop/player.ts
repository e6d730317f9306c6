import type { OperationId } from '../../contract/operation.ts';
import type { Route } from '../../contract/routes.ts';
import type { Ask, Exchange, Reply } from '../exchange.ts';
import type { Finding, Judge } from '../findings.ts';
import { nameOf, type Session } from '../session.ts';
import { difference } from './difference.ts';
import type { Model } from './model.ts';

/** What went wrong in a sequence; it ends there. */
export class Off extends Error {
  override readonly name = 'Off';
  readonly findings: readonly Finding[];

  constructor(findings: readonly Finding[]) {
    super('the shop is off its model');
    this.findings = findings;
  }
}

/** Plays a sequence of requests against a shop, beside a model of what it has to hold. */
export interface Player {
  /** What the shop has to hold now. */
  model: Model;
  readonly routes: Readonly<Record<OperationId, Route>>;
  /** Sends a request to an operation and holds the answer against the contract. Throws `Off` where it breaks it in a way that isn't known yet, or isn't there. */
  ask(id: OperationId, ask: Ask): Promise<Reply>;
  /** Throws `Off`, which says that the last answer of an operation breaks a rule of the shop. */
  off(id: OperationId, rule: string, said: string): never;
  /** Sees that an answer has a status. */
  expectStatus(id: OperationId, reply: Reply, status: number, why: string): void;
  /** Sees that a value is what the model has. */
  expectSame(id: OperationId, rule: string, expected: unknown, actual: unknown, why: string): void;
}

/** Whether a body is such that nothing can be told of it: it lacks what it has to have, or has it of another type. */
export function isBroken({ rule }: Finding): boolean {
  return rule === 'JSON' || (rule.startsWith('body') && !rule.endsWith('additionalProperties'));
}

/** How many of the last exchanges a finding shows. */
const SHOWN = 25;

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
  const player: Player = {
    model,
    routes,
    async ask(id, ask) {
      const { exchange, reply, findings } = await session.ask(judge, routes[id], {
        ...ask,
        headers: { ...headers, ...ask.headers },
      });
      const before = steps.slice(-SHOWN);
      if (exchange) steps.push(exchange);
      if (reply) statuses.set(id, reply.status);
      const fresh = findings.filter((finding) => !session.ledger.knows(finding));
      const told = (reply ? fresh : findings).map((finding) => ({
        ...finding,
        exchanges: [...before, ...finding.exchanges],
      }));
      if (!reply || told.length > 0 || findings.some(isBroken)) throw new Off(told);
      return reply;
    },
    off(id, rule, said) {
      const status = nameOf(routes[id], statuses.get(id) ?? 0);
      throw new Off([
        { judge, operationId: id, status, rule, said, pointer: routes[id].pointer, exchanges: steps.slice(-SHOWN) },
      ]);
    },
    expectStatus(id, reply, status, why) {
      if (reply.status !== status)
        player.off(id, `${status} where ${why}`, `answered ${reply.status} instead of ${status}, where ${why}`);
    },
    expectSame(id, rule, expected, actual, why) {
      const said = difference(expected, actual);
      if (said !== undefined) player.off(id, rule, `${why}: ${said}`);
    },
  };
  return player;
}
