import type { Route } from '../openapi/routes.ts';
import { sendAccepted } from './accepted-requests.ts';
import type { CheckContext } from './check-context.ts';
import {
  type Exchange,
  isClientError,
  isMocked,
  isSuccess,
  type ReceivedResponse,
  type RequestToSend,
} from './exchange.ts';
import type { Finding } from './findings.ts';
import { isPathValue } from './ids.ts';
import { getCreatedId, type LifeCycle } from './life-cycles.ts';
import { type RequestValues, toRequest } from './requests.ts';
import type { Violation } from './rules.ts';
import { createFinding, type Rule } from './session.ts';
import { withId } from './updates.ts';

/** A resource that was created by a sequence. `values`: the accepted request. */
export interface SequenceResource {
  readonly id: string;
  readonly values: RequestValues;
  readonly response: ReceivedResponse;
}

/**
 * Sends requests one after another.
 * Collects the findings in the responses, each with the requests before it that were not refused.
 */
export class RequestSequence {
  readonly findings: Finding[] = [];
  readonly #context: CheckContext;
  readonly #exchanges: Exchange[] = [];

  constructor(context: CheckContext) {
    this.#context = context;
  }

  /** Returns a sequence that continues this one, without its findings. */
  fork(): RequestSequence {
    const fork = new RequestSequence(this.#context);
    fork.#exchanges.push(...this.#exchanges);
    return fork;
  }

  /** Sends a request. Returns the response; undefined if there is none, or if the operation is mocked. */
  async send(route: Route, values: RequestValues, rule?: Rule): Promise<ReceivedResponse | undefined> {
    return this.sendRequest(route, toRequest(route, values), rule);
  }

  /** Sends a request as `send` does. `request`: can have another target than the path of the operation. */
  async sendRequest(route: Route, request: RequestToSend, rule?: Rule): Promise<ReceivedResponse | undefined> {
    const ownRule: Rule = (one, received) => (isMocked(received.response) ? [] : (rule?.(one, received) ?? []));
    const { exchange, findings } = await this.#context.session.send('behaviour', route, request, ownRule);
    this.findings.push(...findings.map((one) => ({ ...one, exchanges: [...this.#exchanges, ...one.exchanges] })));
    if (!exchange || isMocked(exchange.response)) return undefined;
    if (!isClientError(exchange.response)) this.#exchanges.push(exchange);
    return exchange.response;
  }

  /**
   * Adds a finding about a response, with all requests that were not refused.
   * Default: the latest of their responses.
   */
  add(route: Route, violation: Violation, response?: ReceivedResponse): void {
    const last = this.#exchanges.find((one) => one.response === response) ?? this.#exchanges.at(-1);
    if (!last) return;
    const finding = createFinding('behaviour', route, last, violation);
    this.findings.push({ ...finding, exchanges: [...this.#exchanges] });
  }

  /**
   * Creates a resource of a collection, with other values if the server refuses the first ones.
   * Returns undefined if the server accepts none, or if the response has no id.
   */
  async create(
    cycle: LifeCycle,
    seed: number,
    edit?: (values: RequestValues) => RequestValues | undefined,
  ): Promise<SequenceResource | undefined> {
    const { create } = cycle;
    this.#context.session.results.coverage.countSequence(create);
    const send = (values: RequestValues) => this.send(create, values);
    const accepted = await sendAccepted({ ...this.#context, seed }, create, send, edit);
    const id = accepted && getCreatedId(cycle, accepted.values, accepted.response);
    // Status 202 means that the server may create the resource later.
    if (!accepted || accepted.response.status === 202 || !isPathValue(id)) return undefined;
    return { ...accepted, id: String(id) };
  }

  /** Reads a resource. Returns undefined if this fails. */
  async read(
    { read }: LifeCycle,
    resource: Pick<SequenceResource, 'id' | 'values'>,
    rule?: Rule,
  ): Promise<ReceivedResponse | undefined> {
    const values = this.toOwn(read, resource);
    const response = values && (await this.send(read, values, rule));
    return response && isSuccess(response) ? response : undefined;
  }

  /** Returns a valid request to an operation for a resource; undefined if there is none. */
  toOwn(route: Route, { id, values }: Pick<SequenceResource, 'id' | 'values'>): RequestValues | undefined {
    const { requests, seed } = this.#context;
    // Optional parameters can select properties of a resource that is read.
    const own = route.method === 'GET' ? requests.createMinimal(route, seed) : requests.createValid(route, seed);
    return withId(own, route, id, values.path);
  }
}
