import type { Exchange, ReceivedResponse, RequestToSend } from '../../check/exchange.ts';
import type { CheckName, Finding } from '../../check/findings.ts';
import { getResponseName, type Session } from '../../check/session.ts';
import type { Route } from '../../openapi/routes.ts';
import type { OperationId } from '../types.ts';
import { findDifference } from './difference.ts';
import type { Model } from './model.ts';

/** Ends a sequence with its findings. */
export class ModelMismatchError extends Error {
  override readonly name = 'ModelMismatchError';
  readonly findings: readonly Finding[];

  constructor(findings: readonly Finding[]) {
    super('The shop does not match its model.');
    this.findings = findings;
  }
}

/** Plays a sequence of requests to a shop, and compares it with a model. */
export interface Player {
  /** The expected state of the shop. */
  model: Model;
  readonly routes: Readonly<Record<OperationId, Route>>;
  /** Sends a request and validates the response. Throws `ModelMismatchError` if there is none, or if it has new violations or an unusable body. */
  send(id: OperationId, request: RequestToSend): Promise<ReceivedResponse>;
  /** Throws `ModelMismatchError` with a finding about the last response of an operation. */
  fail(id: OperationId, rule: string, message: string): never;
  /** Returns the result of `work`; undefined if it has only known findings. */
  ignoreKnown<Value>(work: () => Promise<Value>): Promise<Value | undefined>;
  /** Throws `ModelMismatchError` if a response has another status. */
  expectStatus(id: OperationId, response: ReceivedResponse, status: number, why: string): void;
  /** Throws `ModelMismatchError` if a value differs from that of the model and this is no known finding; `context` starts the message. */
  expectEqual(
    id: OperationId,
    rule: string,
    values: { readonly expected: unknown; readonly actual: unknown },
    context?: string,
  ): void;
}

/** Whether a response has no usable body: invalid JSON, missing properties, or wrong types. */
export function isBroken({ rule }: Finding): boolean {
  const isOfBody = rule.startsWith('body') && !rule.endsWith('additionalProperties');
  return isOfBody || ['JSON', 'content type documented', 'status documented'].includes(rule);
}

/** The maximum number of exchanges of a finding. */
const SHOWN = 200;

/** Creates a player with headers that all of its requests carry. */
export function createPlayer(
  session: Session,
  check: CheckName,
  model: Model,
  headers: Readonly<Record<string, string>> = {},
): Player {
  return new SequencePlayer(model, { session, check, headers });
}

/** What a player uses. */
interface PlayerParts {
  readonly session: Session;
  readonly check: CheckName;
  readonly headers: Readonly<Record<string, string>>;
}

class SequencePlayer implements Player {
  readonly routes: Player['routes'];
  private readonly steps: Exchange[] = [];
  private readonly statuses = new Map<OperationId, number>();

  constructor(
    public model: Model,
    private readonly parts: PlayerParts,
  ) {
    const { routes } = parts.session.contract;
    this.routes = Object.fromEntries(routes.map((route) => [route.operationId, route])) as Player['routes'];
  }

  async send(id: OperationId, request: RequestToSend): Promise<ReceivedResponse> {
    const { session, check, headers } = this.parts;
    const sent = { ...request, headers: { ...headers, ...request.headers } };
    const { exchange, findings } = await session.send(check, this.routes[id], sent);
    const before = this.steps.slice(-SHOWN);
    if (exchange) {
      this.steps.push(exchange);
      this.statuses.set(id, exchange.response.status);
    }
    const reported = exchange ? findings.filter((finding) => !session.ledger.has(finding)) : findings;
    const newFindings = reported.map((finding) => ({ ...finding, exchanges: [...before, ...finding.exchanges] }));
    if (!exchange || newFindings.length > 0 || findings.some(isBroken)) throw new ModelMismatchError(newFindings);
    return exchange.response;
  }

  fail(id: OperationId, rule: string, message: string): never {
    throw new ModelMismatchError([this.createFinding(id, rule, message)]);
  }

  async ignoreKnown<Value>(work: () => Promise<Value>): Promise<Value | undefined> {
    const { ledger } = this.parts.session;
    try {
      return await work();
    } catch (error) {
      if (error instanceof ModelMismatchError && error.findings.every((finding) => ledger.has(finding)))
        return undefined;
      throw error;
    }
  }

  expectStatus(id: OperationId, response: ReceivedResponse, status: number, why: string): void {
    if (response.status !== status)
      this.fail(id, `${status} if ${why}`, `Status ${response.status} instead of ${status}: ${why}`);
  }

  expectEqual(
    id: OperationId,
    rule: string,
    { expected, actual }: { readonly expected: unknown; readonly actual: unknown },
    context?: string,
  ): void {
    const difference = findDifference(expected, actual);
    if (difference === undefined) return;
    const detail = context === undefined ? difference : `${context}: ${difference}`;
    const finding = this.createFinding(id, rule, `Rule: ${rule}. ${detail}`);
    if (!this.parts.session.ledger.has(finding)) throw new ModelMismatchError([finding]);
  }

  private createFinding(id: OperationId, rule: string, message: string): Finding {
    const { pointer } = this.routes[id];
    const status = getResponseName(this.routes[id], this.statuses.get(id) ?? 0);
    const exchanges = this.steps.slice(-SHOWN);
    return { check: this.parts.check, operationId: id, status, rule, message, pointer, exchanges };
  }
}
