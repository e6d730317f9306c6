import { createJsonRequest, type Exchange, type ReceivedResponse, type RequestToSend } from '../../check/exchange.ts';
import type { CheckName, Finding } from '../../check/findings.ts';
import { getResponseName, type Session } from '../../check/session.ts';
import type { Route } from '../../openapi/routes.ts';
import type { OperationId } from '../types.ts';
import { findDifference } from './difference.ts';
import type { Model } from './model.ts';

/** Ends a sequence with its findings. */
export class ModelMismatchError extends Error {
  override readonly name = 'ModelMismatchError';

  constructor(readonly findings: readonly Finding[]) {
    super('The shop does not match its model.');
  }
}

/** The result of work, or the findings of the `ModelMismatchError` that ended it. */
type Outcome<Value> = { readonly value?: Value; readonly findings?: readonly Finding[] };

/** Runs work that a `ModelMismatchError` may end. */
export async function catchMismatch<Value>(work: () => Promise<Value>): Promise<Outcome<Value>> {
  try {
    return { value: await work() };
  } catch (error) {
    if (error instanceof ModelMismatchError) return { findings: error.findings };
    throw error;
  }
}

/** Whether a response has no usable body: invalid JSON, missing properties, or wrong types. */
export function isBroken({ rule }: Finding): boolean {
  const isOfBody = rule.startsWith('body') && !rule.endsWith('additionalProperties');
  return isOfBody || ['JSON', 'content type documented', 'status documented'].includes(rule);
}

/** A request to an operation, whose method it has, and the expected status. */
export interface RequestCase extends Omit<RequestToSend, 'method'> {
  readonly id: OperationId;
  /** The value of a JSON body, instead of `body` and its content type. */
  readonly json?: unknown;
  readonly status: number;
  /** Why this status is expected: the end of a sentence that starts with "if". */
  readonly why: string;
}

/** The maximum number of exchanges of a finding. */
const MAX_EXCHANGES = 200;

/** What a tester uses. */
interface ShopTesterOptions {
  readonly session: Session;
  readonly check: CheckName;
  /** Headers that all requests carry. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Plays a sequence of requests to a shop, and compares it with a model. */
export class ShopTester {
  readonly routes: Readonly<Record<OperationId, Route>>;
  private readonly steps: Exchange[] = [];
  private readonly statuses = new Map<OperationId, number>();

  /** `model`: the expected state of the shop. */
  constructor(
    private readonly parts: ShopTesterOptions,
    public model: Model,
  ) {
    const { routes } = parts.session.contract;
    this.routes = Object.fromEntries(routes.map((route) => [route.operationId, route])) as ShopTester['routes'];
  }

  /** Sends a request to an operation and validates the response. Throws `ModelMismatchError` if there is none, or if it has new violations or an unusable body. */
  async send(id: OperationId, request: RequestToSend): Promise<ReceivedResponse> {
    const { session, check, headers } = this.parts;
    const sent = { ...request, headers: { ...headers, ...request.headers } };
    const { exchange, findings } = await session.send(check, this.routes[id], sent);
    const before = this.steps.slice(-MAX_EXCHANGES);
    if (exchange) {
      this.steps.push(exchange);
      this.statuses.set(id, exchange.response.status);
    }
    const reported = exchange ? findings.filter((finding) => !session.ledger.has(finding)) : findings;
    const newFindings = reported.map((finding) => ({ ...finding, exchanges: [...before, ...finding.exchanges] }));
    if (!exchange || newFindings.length > 0 || findings.some(isBroken)) throw new ModelMismatchError(newFindings);
    return exchange.response;
  }

  /** The same for a request with the method of the operation, and a JSON body or none. */
  sendJson(id: OperationId, target: string, body?: unknown): Promise<ReceivedResponse> {
    return this.send(id, createJsonRequest(this.routes[id].method, target, body));
  }

  /** Sends a request and returns the response. Throws `ModelMismatchError` if it has another status. */
  async sendCase({ id, status, why, json, ...request }: RequestCase): Promise<ReceivedResponse> {
    const { method } = this.routes[id];
    const response = await this.send(id, { ...createJsonRequest(method, request.target, json), ...request });
    this.expectStatus(id, response, status, why);
    return response;
  }

  /** Throws `ModelMismatchError` with a finding about the last response of an operation. */
  fail(id: OperationId, rule: string, message: string): never {
    throw new ModelMismatchError([this.createFinding(id, rule, message)]);
  }

  /** The same for a violation; the message starts with the rule. */
  failRule(id: OperationId, rule: string, detail: string): never {
    this.fail(id, rule, `Rule: ${rule}. ${detail}`);
  }

  /** Returns the result of `work`; undefined if it has only known findings. */
  async ignoreKnown<Value>(work: () => Promise<Value>): Promise<Value | undefined> {
    const { value, findings } = await catchMismatch(work);
    if (findings?.some((finding) => !this.parts.session.ledger.has(finding))) throw new ModelMismatchError(findings);
    return value;
  }

  /** Throws `ModelMismatchError` if a response has another status. */
  expectStatus(id: OperationId, response: ReceivedResponse, status: number, why: string): void {
    if (response.status !== status)
      this.fail(id, `${status} if ${why}`, `Status ${response.status} instead of ${status}: ${why}`);
  }

  /** Throws `ModelMismatchError` if a value differs from that of the model and this is no known finding; `context` starts the message. */
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
    const exchanges = this.steps.slice(-MAX_EXCHANGES);
    return { check: this.parts.check, operationId: id, status, rule, message, pointer, exchanges };
  }
}
