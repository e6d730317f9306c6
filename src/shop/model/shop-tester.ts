import { createJsonRequest, type Exchange, type ReceivedResponse, type RequestToSend } from '../../check/exchange.ts';
import { type CheckName, type Finding, getFindingKey, getResponseName } from '../../check/findings.ts';
import type { Session } from '../../check/session.ts';
import type { Route } from '../../openapi/routes.ts';
import type { OperationId } from '../types.ts';
import type { Model } from './model.ts';
import { findDifference } from './model.ts';

/**
 * Thrown if a response differs from the model, the expected state of the shop.
 * Ends the current test sequence.
 * `findings`: the errors for the report of the check; empty if the report already contains all of them.
 */
export class ModelMismatchError extends Error {
  override readonly name = 'ModelMismatchError';

  constructor(readonly findings: readonly Finding[]) {
    super('A response of the shop differs from the model.');
  }
}

/** Runs a function. Returns its result as `value`, or the `findings` of a `ModelMismatchError` that it throws. */
export async function catchMismatch<Value>(
  run: () => Promise<Value>,
): Promise<{ readonly value?: Value; readonly findings?: readonly Finding[] }> {
  try {
    return { value: await run() };
  } catch (error) {
    if (error instanceof ModelMismatchError) return { findings: error.findings };
    throw error;
  }
}

/**
 * Returns whether a finding means that the response body can't be compared with the expected body.
 * This is so for invalid JSON, a missing property or a wrong type.
 */
export function isUnusableBody({ title }: Finding): boolean {
  const isOfBody = title.startsWith('body') && !title.endsWith('additionalProperties');
  return isOfBody || ['JSON', 'content type documented', 'status documented'].includes(title);
}

/** A request and the expected status of its response. `id`: the operationId, which determines the HTTP method. */
export interface RequestCase extends Omit<RequestToSend, 'method'> {
  readonly id: OperationId;
  /** The request body before it is converted to JSON. Use `json` or `body`, not both. */
  readonly json?: unknown;
  readonly status: number;
  /** JSON Pointers to the invalid values in the request body. The response must list each of them as a violation. */
  readonly pointers?: readonly string[];
  /** The reason for the expected status, such as "the product does not exist" for 404. */
  readonly why: string;
}

/** The maximum number of requests that a finding lists with their responses. */
const MAX_EXCHANGES = 200;

/**
 * Sends requests to a shop one after another, and compares the responses with the model (the expected state of the
 * shop).
 */
export class ShopTester {
  readonly routes: Readonly<Record<OperationId, Route>>;
  /** The expected state of the shop after a reset. */
  readonly defaultModel: Model;
  /** The ids that cart items have had since the last reset. */
  readonly usedItemIds = new Set<number>();
  private readonly exchanges: Exchange[] = [];
  private readonly statuses = new Map<OperationId, number>();

  /**
   * Creates a tester for a shop.
   * `headers`: headers that each request has.
   * `model`: the default data of the shop, which later test steps change.
   */
  constructor(
    private readonly options: {
      readonly session: Session;
      readonly check: CheckName;
      readonly headers?: Readonly<Record<string, string>>;
      /** A finding to reproduce. The tester reports it even if the results contain it. */
      readonly target?: Finding | undefined;
    },
    public model: Model,
  ) {
    this.defaultModel = model;
    const { routes } = options.session.contract;
    this.routes = Object.fromEntries(routes.map((route) => [route.operationId, route])) as ShopTester['routes'];
  }

  /** Whether the contract forbids undocumented query parameters and properties. */
  get isStrict(): boolean {
    const { document, enforced } = this.options.session.contract;
    return enforced.document !== document;
  }

  /**
   * Sends a request.
   * Throws `ModelMismatchError` if there is no response, or if its body can't be compared.
   * Also throws it if the response violates the contract and the results of the check do not contain this violation
   * yet.
   */
  async send(id: OperationId, request: RequestToSend): Promise<ReceivedResponse> {
    const { session, check, headers } = this.options;
    const requestWithHeaders = { ...request, headers: { ...headers, ...request.headers } };
    const { exchange, findings } = await session.send(check, this.routes[id], requestWithHeaders);
    const before = this.exchanges.slice(-MAX_EXCHANGES);
    if (exchange) {
      this.exchanges.push(exchange);
      this.statuses.set(id, exchange.response.status);
    }
    const reported = exchange ? findings.filter((finding) => !this.isKnown(finding)) : findings;
    const newFindings = reported.map((finding) => ({ ...finding, exchanges: [...before, ...finding.exchanges] }));
    if (!exchange || newFindings.length > 0 || findings.some(isUnusableBody)) throw new ModelMismatchError(newFindings);
    return exchange.response;
  }

  /** Sends a request with a JSON body or without a body. Throws the same errors as `send`. */
  sendJson(id: OperationId, target: string, body?: unknown): Promise<ReceivedResponse> {
    return this.send(id, createJsonRequest(this.routes[id].method, target, body));
  }

  /**
   * Sends a request.
   * Throws the same errors as `send`.
   * Also throws `ModelMismatchError` if the response does not have the expected status.
   */
  async sendCase({ id, status, why, json, pointers: _, ...request }: RequestCase): Promise<ReceivedResponse> {
    const { method } = this.routes[id];
    const response = await this.send(id, { ...createJsonRequest(method, request.target, json), ...request });
    this.expectStatus(id, response, status, why);
    return response;
  }

  /** Throws `ModelMismatchError` with a finding (an error for the report) about the last response of an operation. */
  fail(id: OperationId, rule: string, message: string): never {
    throw new ModelMismatchError([this.createFinding(id, rule, message)]);
  }

  /** Throws `ModelMismatchError` with a finding whose message names the broken rule first. */
  failRule(id: OperationId, rule: string, detail: string): never {
    this.fail(id, rule, toRuleMessage(rule, detail));
  }

  /**
   * Runs a function and returns its result.
   * Returns undefined if it throws a `ModelMismatchError` about differences that are already in the results of the
   * check.
   */
  async ignoreKnown<Value>(run: () => Promise<Value>): Promise<Value | undefined> {
    const { value, findings } = await catchMismatch(run);
    if (findings?.some((finding) => !this.isKnown(finding))) throw new ModelMismatchError(findings);
    return value;
  }

  /**
   * Throws `ModelMismatchError` if a response does not have the expected status.
   * `why`: the reason for the expected status, for the message.
   */
  expectStatus(id: OperationId, response: ReceivedResponse, status: number, why: string): void {
    if (response.status !== status)
      this.fail(id, `${status} if ${why}`, `Status ${response.status} instead of ${status}: ${why}`);
  }

  /** Throws `ModelMismatchError` if the `type` of a problem document ends with none of the expected codes. */
  expectProblemType(id: OperationId, { body }: ReceivedResponse, codes: readonly string[]): void {
    const type = String((body as { type?: unknown } | undefined)?.type);
    if (codes.some((code) => type.endsWith(code))) return;
    const message = `The problem type is ${type} instead of ${codes.join(' or ')}`;
    this.fail(id, 'the problem type names the missing resource', message);
  }

  /**
   * Throws `ModelMismatchError` if two values differ.
   * Throws nothing if the difference is already in the results of the check.
   * `context`: the start of the message, such as "In the response to GET /api/orders".
   */
  expectEqual(
    id: OperationId,
    rule: string,
    { expected, actual }: { readonly expected: unknown; readonly actual: unknown },
    context?: string,
  ): void {
    const difference = findDifference(expected, actual);
    if (difference === undefined) return;
    const detail = context === undefined ? difference : `${context}: ${difference}`;
    const finding = this.createFinding(id, rule, toRuleMessage(rule, detail));
    if (!this.isKnown(finding)) throw new ModelMismatchError([finding]);
  }

  /** Returns whether the results contain a finding that is not the target. */
  private isKnown(finding: Finding): boolean {
    const { session, target } = this.options;
    const isTarget = target !== undefined && getFindingKey(finding) === getFindingKey(target);
    return !isTarget && session.results.has(finding);
  }

  private createFinding(id: OperationId, title: string, message: string): Finding {
    const { pointer } = this.routes[id];
    const status = getResponseName(this.routes[id], this.statuses.get(id) ?? 0);
    const exchanges = this.exchanges.slice(-MAX_EXCHANGES);
    return { check: this.options.check, operationId: id, status, rule: 'model', title, message, pointer, exchanges };
  }
}

function toRuleMessage(rule: string, detail: string): string {
  return `Rule: ${rule}. ${detail}`;
}
