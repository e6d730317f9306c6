import type { Contract } from '../openapi/contract.ts';
import { getOutgoingRequests, type OutgoingRequest } from '../openapi/outgoing-requests.ts';
import type { Route } from '../openapi/routes.ts';
import type { Issue } from '../util/issue.ts';
import { suggestOneOf } from '../util/names.ts';
import { HttpProblemError } from '../util/problem.ts';
import {
  describeTrigger,
  findEntry,
  findTrigger,
  findTriggerIssues,
  getPayloadSchema,
  type TriggerCollection,
  type TriggerResult,
} from './triggers.ts';

/** A webhook or a callback, and what sends it. */
export interface PlannedRequest extends OutgoingRequest {
  /** What sends a webhook. Undefined for a callback, which its operation sends. */
  readonly trigger: TriggerResult | undefined;
  /** The collections whose entries the payload can have, and the property names that lead to them. */
  readonly entries: readonly { readonly collection: string; readonly path: readonly string[] }[];
  /** What sends the request, such as `sent when an entry of pets is created`. */
  readonly explanation: string;
}

/** The webhooks and callbacks of a contract. */
export class Webhooks {
  /** The webhooks in the order of the document, and then the callbacks. */
  readonly list: readonly PlannedRequest[];
  readonly #triggered: readonly PlannedRequest[];
  readonly #callbacks = new Map<string, readonly PlannedRequest[]>();
  readonly #issues: readonly Issue[];

  /** `collections`: the collections of the state. */
  constructor({ normalized }: Pick<Contract, 'normalized'>, collections: readonly TriggerCollection[]) {
    const requests = getOutgoingRequests(normalized);
    const names = collections.map(({ name }) => name);
    this.#issues = requests.flatMap((request) => findTriggerIssues(normalized, request, names));
    this.list = requests.map((request) => {
      const { operation } = request;
      const schema = getPayloadSchema(request.route);
      const entries = collections.flatMap((collection) => {
        const path = schema === undefined ? undefined : findEntry(normalized, schema, collection.schema);
        return path ? [{ collection: collection.name, path }] : [];
      });
      if (operation)
        return { ...request, entries, trigger: undefined, explanation: `sent when ${operation.operationId} succeeds` };
      const trigger = findTrigger(normalized, request, collections);
      return { ...request, entries, trigger, explanation: describeTrigger(trigger) };
    });
    this.#triggered = this.list.filter(({ trigger }) => trigger && 'trigger' in trigger);
    for (const request of this.list) {
      const id = request.operation?.operationId;
      if (id !== undefined) this.#callbacks.set(id, [...(this.#callbacks.get(id) ?? []), request]);
    }
  }

  /** The errors in the `x-storefront` extensions of webhooks. */
  get issues(): readonly Issue[] {
    return this.#issues;
  }

  /** The webhooks that changes of entries send. */
  get triggered(): readonly PlannedRequest[] {
    return this.#triggered;
  }

  /** Returns the callbacks of an operation. */
  getCallbacks({ operationId }: Pick<Route, 'operationId'>): readonly PlannedRequest[] {
    return this.#callbacks.get(operationId) ?? [];
  }

  /** Returns the webhook or callback with a name. Throws an `HttpProblemError` if there is none. */
  find(name: string): PlannedRequest {
    const found = this.list.find((request) => request.name === name);
    if (found) return found;
    const names = this.list.map((request) => request.name);
    const remedy =
      names.length === 0 ? 'the contract has no webhooks and no callbacks' : suggestOneOf(name, names, 'names');
    throw new HttpProblemError({
      code: 'unknown-webhook',
      detail: `Webhook ${JSON.stringify(name)} does not exist: ${remedy}.`,
    });
  }
}

/** A webhook or a callback as data. */
export interface DescribedWebhook {
  readonly name: string;
  readonly kind: 'webhook' | 'callback';
  readonly method: string;
  /** The operationId of the operation of a callback. */
  readonly operation?: string;
  /** The URL of a callback, with runtime expressions. */
  readonly expression?: string;
  readonly explanation: string;
}

/** Describes the webhooks and callbacks of a contract as data. */
export function describeWebhooks({ list }: Webhooks): DescribedWebhook[] {
  return list.map(({ name, kind, route, operation, expression, explanation }) => ({
    name,
    kind,
    method: route.method,
    ...(operation && { operation: operation.operationId }),
    ...(expression !== undefined && { expression }),
    explanation,
  }));
}

/** Describes the webhooks and callbacks of a contract for a table: name, method, target and what sends them. */
export function formatWebhooks({ list }: Webhooks): readonly (readonly string[])[] {
  return list.map(({ kind, name, route, expression, explanation }) => [
    kind,
    name,
    `${route.method} ${expression ?? 'to each --webhook-url'}`,
    explanation,
  ]);
}
