import { getNode, isNode, type Node, toNode } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import { ALL_PARTS, getPartProperties, getSchemaParts } from '../openapi/schema-parts.ts';
import { sendAccepted } from './accepted-requests.ts';
import type { CheckContext } from './check-context.ts';
import { isSuccess, type ReceivedResponse } from './exchange.ts';
import { findId, isPathValue } from './ids.ts';
import {
  createActionRule,
  createKeptRule,
  createNullRule,
  createReplacedRule,
  createStoredRule,
  createVersionRule,
  documents,
  getEntry,
  isSameValue,
  replaceObject,
} from './life-cycle-rules.ts';
import { describesPartialUpdate } from './partial-updates.ts';
import { getBodySchema, type RequestValues, validateValues } from './requests.ts';
import { type Confidence, createViolation } from './rules.ts';
import { isServerName } from './server-names.ts';
import { NO_ETAG, type Rule, type Session } from './session.ts';

/** Sends a request of a life cycle. Returns the response; undefined if there is none. */
export type Send = (route: Route, values: RequestValues, rule?: Rule) => Promise<ReceivedResponse | undefined>;

/** The functions that a life cycle calls. */
export interface Recorder {
  readonly send: Send;
  /**
   * Records the body that a change sent, the response that read the resource before, and the response that then read
   * it.
   */
  readonly record: (
    route: Route,
    sent: unknown,
    previous: ReceivedResponse | undefined,
    current: ReceivedResponse,
  ) => void;
}

/**
 * A resource that a life cycle has created.
 * `path`: the path parameters of its collection.
 * `readValues`: the request that reads the resource.
 * `current`: the response to the last request that read the resource.
 */
interface CreatedResource {
  readonly read: Route;
  readonly readValues: RequestValues;
  readonly id: unknown;
  readonly path: RequestValues['path'];
  readonly current: ReceivedResponse;
}

/** The difference between the seeds of two updates with other values. */
const OTHER_VALUES = 8_009;

const MERGE_PATCH = 'application/merge-patch+json';

/** Returns how sure it is that a PATCH keeps other properties, and removes those that are `null`. */
function getPatchConfidence({ bodyMedia }: Route): Confidence {
  return Object.hasOwn(bodyMedia, MERGE_PATCH) ? 'certain' : 'likely';
}

/** The precondition of a request that changes only a known version, in lower case. */
const IF_MATCH = 'if-match';

/** Updates a resource in several ways, and reads it after each of them. */
export class ResourceUpdates {
  /** The response to the last request that read the resource; undefined if it got no response. */
  current: ReceivedResponse | undefined;
  readonly #context: CheckContext;
  readonly #recorder: Recorder;
  readonly #resource: CreatedResource;

  constructor(context: CheckContext, recorder: Recorder, resource: CreatedResource) {
    this.#context = context;
    this.#recorder = recorder;
    this.#resource = resource;
    this.current = resource.current;
  }

  /** Sends a PUT or a PATCH with all properties, with other versions, and with some of the properties. */
  async update(route: Route): Promise<void> {
    const { requests, seed } = this.#context;
    const accepted = await this.#sendAll(route, seed + 1);
    const values = accepted ?? this.#toOwn(route, requests.createValid(route, seed + 1));
    if (!values) return;
    await this.sendWithOldVersion(route, values);
    if (!accepted) return;
    await this.#sendWithoutVersion(route, values);
    if (route.method === 'PUT') await this.#sendRequired(route, values);
    if (route.method !== 'PATCH') return;
    await this.#sendPart(route, values);
    await this.#sendNulls(route, values);
  }

  /**
   * Sends an action, and reads the resource: what the response to the action shows as changed must be stored.
   * Reads nothing if the action shows no change.
   */
  async act(action: Route): Promise<void> {
    const { requests, seed } = this.#context;
    const { read, id } = this.#resource;
    const values = this.#toOwn(action, requests.createValid(action, seed));
    if (!values || !this.current || !isSuccess(this.current)) return;
    const response = await this.#recorder.send(action, values);
    const shownId = response && findId(read.pathNames.at(-1) ?? '', response.body)?.id;
    const isShown = response && isSuccess(response) && String(shownId) === String(id);
    if (!isShown || response.status === 202) return;
    const before = getEntry(read, this.current.body);
    const shown = getEntry(read, response.body);
    const changed = Object.entries(shown).filter(
      ([name, value]) => Object.hasOwn(before, name) && before[name] !== value,
    );
    const { coverage } = this.#context.session.results;
    if (changed.length === 0) coverage.skipRule('stored-change', action, 'its responses show no change');
    else coverage.countRule('stored-change', action);
    if (changed.length > 0)
      await this.#read(createActionRule(read, { action, before, shown: Object.fromEntries(changed) }));
  }

  /**
   * Sends an update or a deletion with the version of another resource in `If-Match`.
   * If the contract documents the header and 412, and responses have an `ETag`, it must not succeed.
   */
  async sendWithOldVersion(route: Route, values: RequestValues): Promise<void> {
    const hasHeader = route.parameters.some((one) => one.in === 'header' && one.name.toLowerCase() === IF_MATCH);
    const { coverage } = this.#context.session.results;
    if (!hasHeader) coverage.skipRule('if-match', route, 'no documented If-Match');
    else if (this.current?.headers.etag === undefined) coverage.skipRule('if-match', route, NO_ETAG);
    if (!hasHeader || !documents(route, 412) || this.current?.headers.etag === undefined) return;
    coverage.countRule('if-match', route);
    const conditional = { ...values, headers: { ...values.headers, [IF_MATCH]: '"storefront-check-0"' } };
    await this.#recorder.send(route, conditional, ({ pointer }, { response }) => {
      const message = `Status ${response.status} for an If-Match header with another ETag: respond with 412, as the contract documents`;
      return isSuccess(response) ? [createViolation('if-match', { message, pointer })] : [];
    });
  }

  /** Sends an update with all properties. Returns the values that the server accepted. */
  async #sendAll(route: Route, seed: number): Promise<RequestValues | undefined> {
    const { session, requests } = this.#context;
    const { read } = this.#resource;
    const { current } = this;
    const accepted = await sendAccepted(
      { session, requests, seed },
      route,
      (values) => this.#recorder.send(route, values),
      (values) => this.#toOwn(route, values),
    );
    // Status 202 means that the server may update the resource later.
    if (!accepted || accepted.response.status === 202) return undefined;
    const { values, response } = accepted;
    const change = { sent: values.body, before: current?.body, returned: response.body };
    const isStored = createStoredRule({
      route,
      read,
      ...change,
      canReturn: createReturnTest(session, route, response),
    });
    const isNewVersion = createVersionRule(read, values.body, current);
    const { coverage } = session.results;
    coverage.countRule('stored-change', route);
    if (current?.headers.etag === undefined) coverage.skipRule('etag-changes', route, NO_ETAG);
    else coverage.countRule('etag-changes', route);
    await this.#read((...received) => [...isStored(...received), ...isNewVersion(...received)]);
    if (this.current && isSuccess(this.current)) this.#recorder.record(route, values.body, current, this.current);
    return values;
  }

  /** Sends an update without `If-Match`. If the contract documents 428, the update must not succeed (RFC 6585). */
  async #sendWithoutVersion(route: Route, values: RequestValues): Promise<void> {
    if (!documents(route, 428) || values.headers[IF_MATCH] === undefined) return;
    this.#context.session.results.coverage.countRule('if-match-required', route);
    const { [IF_MATCH]: _, ...headers } = values.headers;
    await this.#recorder.send(route, { ...values, headers }, ({ pointer }, { response }) => {
      const message = `Status ${response.status} for an update without If-Match: respond with 428, as the contract documents`;
      return isSuccess(response) ? [createViolation('if-match-required', { message, pointer })] : [];
    });
  }

  /** Sends a PATCH with one property: the other properties must not change (RFC 5789). */
  async #sendPart(route: Route, values: RequestValues): Promise<void> {
    const { read, id } = this.#resource;
    const body = toNode(values.body);
    const before = getEntry(read, this.current?.body);
    const isPart = (one: string) => this.#isValid(route, { ...values, body: { [one]: body[one] } });
    const name = Object.keys(body).find((one) => body[one] !== id && isPart(one));
    const { coverage } = this.#context.session.results;
    if (name === undefined || Object.keys(body).length < 2)
      return coverage.skipRule('patch-keeps', route, 'no PATCH with a part of the properties is valid');
    coverage.countRule('patch-keeps', route);
    // A property that does not have the sent value is set by the server, such as `updatedAt`.
    const known = Object.keys(body).filter((one) => isSameValue(body[one], before[one]));
    await this.#sendBody(
      route,
      values,
      { [name]: body[name] },
      createKeptRule(read, { update: route, sent: [name], known, before, confidence: getPatchConfidence(route) }),
    );
  }

  /** Sends a PATCH with `null` for all properties that can be `null`: they must not keep their values. */
  async #sendNulls(route: Route, values: RequestValues): Promise<void> {
    const { read } = this.#resource;
    const before = getEntry(read, this.current?.body);
    const names = this.#findSettable(route, before, toNode(values.body)).filter(
      (name) =>
        this.#allowsNull(route, name) &&
        this.#canRemove(name) &&
        this.#isValid(route, { ...values, body: { [name]: null } }),
    );
    const { coverage } = this.#context.session.results;
    if (names.length === 0)
      return coverage.skipRule(
        'null-removes',
        route,
        'no property with a value can be null in the PATCH and in the resource',
      );
    coverage.countRule('null-removes', route);
    const body = Object.fromEntries(names.map((name) => [name, null]));
    await this.#sendBody(
      route,
      values,
      body,
      createNullRule(read, { update: route, names, before, confidence: getPatchConfidence(route) }),
    );
  }

  /**
   * Sends a PUT without the optional properties: none must keep its value (RFC 9110, section 9.3.4).
   * If one does, tries other values, because the first ones can be those that the server sets by default.
   */
  async #sendRequired(route: Route, values: RequestValues): Promise<void> {
    const { read } = this.#resource;
    const before = getEntry(read, this.current?.body);
    const { body, omitted } = this.#omit(route, values, before);
    const { coverage } = this.#context.session.results;
    const reason = this.#isPartial(route) ? 'the contract allows partial updates' : 'no property can be left out';
    if (omitted.length === 0 || this.#isPartial(route)) return coverage.skipRule('put-replaces', route, reason);
    coverage.countRule('put-replaces', route);
    await this.#sendBody(route, values, body, () => []);
    const after = getEntry(read, this.current?.body);
    const unchanged = omitted.filter((name) => isSameValue(after[name], before[name]));
    if (!this.current || unchanged.length === 0) return;
    const others = await this.#sendAll(route, this.#context.seed + OTHER_VALUES);
    if (!others) return;
    const changed = getEntry(read, this.current?.body);
    const second = this.#omit(route, others, changed);
    const kept = second.omitted.filter((name) => unchanged.includes(name) && !isSameValue(changed[name], before[name]));
    const rule = createReplacedRule(read, { update: route, omitted: kept, before: changed });
    if (kept.length > 0) await this.#sendBody(route, others, second.body, rule);
  }

  /** Returns the body of an update without the optional properties that it has set, and their names. */
  #omit(route: Route, values: RequestValues, current: Node): { readonly body: Node; readonly omitted: string[] } {
    let body = toNode(values.body);
    const omitted: string[] = [];
    for (const name of this.#findSettable(route, current, body)) {
      if (!isSameValue(body[name], current[name]) || this.#hasDefault(route, name)) continue;
      const { [name]: _, ...others } = body;
      if (!this.#isValid(route, { ...values, body: others })) continue;
      body = others;
      omitted.push(name);
    }
    return { body, omitted };
  }

  /**
   * Returns whether a PUT need not have all properties: the description says so, or no property is required, as in the
   * schema of a partial update.
   */
  #isPartial(route: Route): boolean {
    const { normalized } = this.#context.session.contract;
    const { summary, description } = toNode(getNode(normalized, route.pointer));
    const parts = getSchemaParts(normalized, getBodySchema(route) ?? '', ALL_PARTS);
    const isRequired = parts.some(({ node: { required } }) => Array.isArray(required) && required.length > 0);
    return !isRequired || describesPartialUpdate(`${summary}. ${description}`);
  }

  /** Sends an update with another body, and reads the resource. `rule` applies to the response that reads it. */
  async #sendBody(route: Route, values: RequestValues, body: Node, rule: Rule): Promise<void> {
    const response = await this.#recorder.send(route, { ...values, body });
    if (response && isSuccess(response) && response.status !== 202) await this.#read(rule);
  }

  async #read(rule: Rule): Promise<void> {
    const { read, readValues } = this.#resource;
    this.current = await this.#recorder.send(read, readValues, rule);
  }

  /**
   * Returns the documented properties of an update that clients set, and that have a value.
   * `entry`: the resource after an update with the body `sent`.
   */
  #findSettable(route: Route, entry: Node, sent: Node): readonly string[] {
    // Clients also set a property such as `author` if the server stores what they send.
    return [...this.#getProperties(route).keys()].filter(
      (name) =>
        hasValue(entry[name]) &&
        (isSameValue(entry[name], sent[name]) || !isServerName(this.#resource.read, name, false)),
    );
  }

  #getProperties(route: Route): ReadonlyMap<string, string> {
    const { normalized } = this.#context.session.contract;
    return getPartProperties(getSchemaParts(normalized, getBodySchema(route) ?? '', ALL_PARTS));
  }

  #getParts(route: Route, name: string): readonly Node[] {
    const { normalized } = this.#context.session.contract;
    const schema = this.#getProperties(route).get(name);
    return schema === undefined ? [] : getSchemaParts(normalized, schema, ALL_PARTS).map(({ node }) => node);
  }

  #allowsNull(route: Route, name: string): boolean {
    return this.#getParts(route, name).some(({ type }) => [type].flat().includes('null'));
  }

  /** Returns whether the contract allows the resource without a property, or with `null`, as far as it is valid now. */
  #canRemove(name: string): boolean {
    const { read } = this.#resource;
    const { current } = this;
    if (!current) return false;
    const canReturn = createReturnTest(this.#context.session, read, current);
    const entry = getEntry(read, current.body);
    const { [name]: _, ...others } = entry;
    const changed = [others, { ...entry, [name]: null }].map((one) => replaceObject(current.body, entry, one));
    return changed.some(canReturn) || !canReturn(current.body);
  }

  #hasDefault(route: Route, name: string): boolean {
    return this.#getParts(route, name).some((node) => node.default !== undefined);
  }

  #isValid(route: Route, values: RequestValues): boolean {
    return validateValues(this.#context.session.contract, route, values).kind === 'call';
  }

  /** Returns a copy of a request for this resource. */
  #toOwn(route: Route, values: RequestValues | undefined): RequestValues | undefined {
    const { read, id, path } = this.#resource;
    const own = withId(values, route, id, path);
    return own && (own.body === undefined ? own : { ...own, body: replaceOwnId(own.body, read, id) });
  }
}

function hasValue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== null && value !== '';
}

/**
 * Creates a function that returns whether the contract allows a body in the response of an operation.
 * The status and headers are those of the received response.
 */
export function createReturnTest(
  { contract, hasModel }: Session,
  route: Route,
  { status, headers }: ReceivedResponse,
): (body: unknown) => boolean {
  return (body) =>
    contract.verifyResponse(route, { status, headers, body }, { closed: hasModel, isReceived: true }).length === 0;
}

/**
 * Replaces the id in the body of an update with the id in the path, because an update must not change the id.
 * Returns a body without an id unchanged.
 */
function replaceOwnId(body: unknown, read: Route, id: unknown): unknown {
  const [name] = ['id', read.pathNames.at(-1) ?? ''].filter((one) => isNode(body) && one in body);
  return name === undefined ? body : { ...toNode(body), [name]: id };
}

/**
 * Returns a copy of a request with other path parameters: the values in `path`, and `id` as the last parameter.
 * Returns undefined if the id can't be part of a path.
 */
export function withId(
  values: RequestValues | undefined,
  { pathNames }: Route,
  id: unknown,
  path: RequestValues['path'],
): RequestValues | undefined {
  const name = pathNames.at(-1);
  if (!values || name === undefined || !isPathValue(id)) return undefined;
  return { ...values, path: { ...values.path, ...path, [name]: String(id) } };
}
