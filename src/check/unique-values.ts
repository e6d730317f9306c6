import type { Contract } from '../openapi/contract.ts';
import { getNode, isNode, type Node, toNode } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import { getPartProperties, getSchemaParts } from '../openapi/schema-parts.ts';
import { joinWords } from '../util/names.ts';
import { sendAccepted, withOrderedDates } from './accepted-requests.ts';
import type { CheckContext } from './check-context.ts';
import { addConfirmed } from './confirm-findings.ts';
import { type Exchange, isMocked, isSuccess } from './exchange.ts';
import type { Finding } from './findings.ts';
import { isPathValue } from './ids.ts';
import { documents, getEntry } from './life-cycle-rules.ts';
import { getCreatedId, type LifeCycle } from './life-cycles.ts';
import { getBodySchema, type RequestValues, toRequest, validateValues } from './requests.ts';
import { createViolation, type RuleName } from './rules.ts';
import { createFinding } from './session.ts';
import { withId } from './updates.ts';

/** The status of a request that contradicts the state of a resource (RFC 9110, section 15.5.10). */
const CONFLICT = 409;

/** The difference between the seeds of two resources with different values. */
const SEED_STEP = 4_001;

/** The difference between the seeds of two attempts. Other parts of the check use the seeds near the first one. */
const TRIAL_STEP = 577;

/** How many requests create the same resource at once, and how often: the defect shows only if they meet. */
const CONCURRENT = 4;
const ROUNDS = 3;

/** The maximum number of properties that are tried as the unique one. */
const MAX_PROPERTIES = 8;

/** Returns whether an operation documents 409. */
export function documentsConflict(route: Route): boolean {
  return documents(route, CONFLICT);
}

/**
 * Checks values that must be unique.
 * If the server refuses a second resource with the same values with 409, it must also refuse it if two requests create
 * it at once, and if an update that documents 409 gives another resource the unique value.
 * A second resource must not overwrite the first one, and must be refused if the contract says that a value is unique.
 */
export async function checkUniqueValues(context: CheckContext, cycle: LifeCycle): Promise<void> {
  let attempt = 0;
  const examine = async () => {
    await context.prepare();
    const seed = context.seed + attempt++ * SEED_STEP * 2;
    return new UniqueValuesCheck({ ...context, seed }, cycle).examine();
  };
  await addConfirmed(context.session, await examine(), examine);
}

/** A resource that a request has created. */
interface Created {
  readonly values: RequestValues;
  readonly exchange: Exchange;
}

class UniqueValuesCheck {
  readonly #context: CheckContext;
  readonly #cycle: LifeCycle;
  readonly #findings: Finding[] = [];

  constructor(context: CheckContext, cycle: LifeCycle) {
    this.#context = context;
    this.#cycle = cycle;
  }

  async examine(): Promise<readonly Finding[]> {
    const { seed } = this.#context;
    const { create, updates } = this.#cycle;
    const { coverage } = this.#context.session.results;
    coverage.countSequence(create);
    const first = await this.#create(seed + TRIAL_STEP);
    const repeated = first && (await this.#send(create, first.values, [first.exchange]));
    if (!first || !repeated) return this.#findings;
    coverage.countRule('create-overwrites', create);
    if (isSuccess(repeated.response)) await this.#checkOverwritten(first, repeated);
    this.#checkRefused(first, repeated);
    const reason = 'the server accepts a second resource with the same values';
    for (const route of [create, ...updates])
      coverage.skipRule(route === create ? 'unique-concurrent' : 'unique-update', route, reason);
    if (repeated.response.status !== CONFLICT) return this.#findings;
    const before = [first.exchange, repeated];
    const winner = await this.#sendConcurrently(first, before);
    if (!winner) return this.#findings;
    coverage.countRule('unique-concurrent', create);
    const property = await this.#findUniqueProperty(first);
    for (const update of updates.filter(documentsConflict)) {
      const values = this.#toUpdate(update, first, { winner, property });
      const exchange = values && (await this.#send(update, values, [...before, winner]));
      if (exchange) coverage.countRule('unique-update', update);
      else coverage.skipRule('unique-update', update, 'no valid update has the unique property');
      if (exchange && isSuccess(exchange.response))
        this.#checkUpdate(update, exchange, { first, property, before, winner });
    }
    return this.#findings;
  }

  /** Sends a request. Adds the findings in its response, such as status 500 for a conflict. */
  async #send(route: Route, values: RequestValues, before: readonly Exchange[]): Promise<Exchange | undefined> {
    const { exchange, findings } = await this.#context.session.send('behaviour', route, toRequest(route, values));
    this.#findings.push(...findings.map((one) => ({ ...one, exchanges: [...before, ...one.exchanges] })));
    return exchange && !isMocked(exchange.response) ? exchange : undefined;
  }

  /** Creates a resource. Tries other values if the server already has the first ones, or refuses them. */
  async #create(seed: number): Promise<Created | undefined> {
    const { create } = this.#cycle;
    let exchange: Exchange | undefined;
    const accepted = await sendAccepted({ ...this.#context, seed }, create, async (values) => {
      exchange = await this.#send(create, values, []);
      return exchange?.response;
    });
    return accepted && exchange && { values: accepted.values, exchange };
  }

  /**
   * Creates the same resource with several requests at once, in some rounds with other values.
   * Returns the exchange that created the last one.
   */
  async #sendConcurrently({ values }: Created, before: readonly Exchange[]): Promise<Exchange | undefined> {
    const { session, requests, seed } = this.#context;
    const { create, read } = this.#cycle;
    let winner: Exchange | undefined;
    for (let round = 0; round < ROUNDS; round++) {
      const generated = requests.createValid(create, seed + SEED_STEP + round);
      const second = generated && (withOrderedDates(session.contract, create, generated) ?? generated);
      if (!second) return winner;
      const other = { ...second, path: values.path };
      const all = await Promise.all(Array.from({ length: CONCURRENT }, () => this.#send(create, other, before)));
      const created = all.flatMap((one) => (one && isSuccess(one.response) ? [one] : []));
      const [one] = created;
      winner = one ?? winner;
      const getId = ({ response }: Exchange) => String(getCreatedId(create, read, response));
      const two = created.find((exchange) => one && getId(exchange) !== getId(one));
      if (!one || !two) continue;
      const message = `Concurrent requests created two resources with the same values. The server refuses such values with ${CONFLICT} in sequential requests`;
      this.#add('unique-concurrent', message, create, [...before, one, two]);
      return one;
    }
    return winner;
  }

  /**
   * Returns the property that must be unique: a new resource with the value of an existing one is refused with 409.
   * Returns undefined if no single property must be unique.
   */
  async #findUniqueProperty(first: Created): Promise<string | undefined> {
    const { create } = this.#cycle;
    for (const [name, values] of this.#createSimilar(first)) {
      const exchange = await this.#send(create, values, [first.exchange]);
      if (exchange?.response.status === CONFLICT) return name;
    }
    return undefined;
  }

  /** Adds a finding if a second resource gets a value that is unique by the words of the contract. */
  #checkRefused(first: Created, repeated: Exchange): void {
    const { create, read } = this.#cycle;
    const { contract, results } = this.#context.session;
    const name = findUniqueName(contract, create);
    if (name === undefined) {
      results.coverage.skipRule('create-unique', create, 'no property is described as unique');
      return;
    }
    results.coverage.countRule('create-unique', create);
    const [one, other] = [first.exchange, repeated].map(({ response }) => ({
      id: getCreatedId(create, read, response),
      value: getEntry(read, response.body)[name],
    }));
    const areBoth = isSuccess(repeated.response) && one?.id !== undefined && String(one.id) !== String(other?.id);
    if (!areBoth || one?.value === undefined || one.value !== other?.value) return;
    const message = `The server created two resources with the ${name} ${JSON.stringify(one.value)}: respond with ${CONFLICT}, as the contract documents`;
    this.#add('create-unique', message, create, [first.exchange, repeated]);
  }

  /** Adds a finding if a request for a new resource changes the first one, which has the same value of a property. */
  async #checkOverwritten(first: Created, repeated: Exchange): Promise<void> {
    const { create, read } = this.#cycle;
    const id = getCreatedId(create, read, first.exchange.response);
    // The id in the `Location` header is a text, and that in the body can be a number.
    const isFirst = ({ response }: Exchange) =>
      isSuccess(response) && String(getCreatedId(create, read, response)) === String(id);
    if (id === undefined || !isFirst(repeated)) return;
    for (const [name, values] of this.#createSimilar(first)) {
      const exchange = await this.#send(create, values, [first.exchange]);
      if (!exchange || !isFirst(exchange)) continue;
      const [before, after] = [first.exchange, exchange].map(({ response }) => getEntry(read, response.body));
      const isChanged = (one: string) => after?.[one] !== before?.[one] && after?.[one] === toNode(values.body)[one];
      const changed = Object.keys(toNode(values.body)).find(isChanged);
      if (changed === undefined) continue;
      const message = `A request to create a resource with the same ${name} changed ${changed} of the existing resource ${JSON.stringify(id)}: respond with ${CONFLICT}, as the contract documents`;
      return this.#add('create-overwrites', message, create, [first.exchange, exchange]);
    }
  }

  /** Returns requests for new resources, each with the value that one property of the first resource has. */
  #createSimilar({ values: first }: Created): readonly (readonly [name: string, values: RequestValues])[] {
    const { session, requests, seed } = this.#context;
    const { create, read } = this.#cycle;
    const body = toNode(first.body);
    const names = Object.keys(body).filter(
      (name) => typeof body[name] === 'string' && isFreeText(session.contract, create, name),
    );
    return names.slice(0, MAX_PROPERTIES).flatMap((name, index) => {
      const generated = requests.createValid(create, seed + SEED_STEP * 3 + index);
      if (!generated || !isNode(generated.body) || name === read.pathNames.at(-1)) return [];
      const ordered = withOrderedDates(session.contract, create, generated) ?? generated;
      const values = { ...ordered, path: first.path, body: { ...toNode(ordered.body), [name]: body[name] } };
      return validateValues(session.contract, create, values).kind === 'call' ? [[name, values] as const] : [];
    });
  }

  /**
   * Returns an update that gives the resource of `winner` the unique property of another one; all its properties if no
   * single property must be unique.
   */
  #toUpdate(
    update: Route,
    first: Created,
    { winner, property }: { readonly winner: Exchange; readonly property: string | undefined },
  ): RequestValues | undefined {
    const { session, requests, seed } = this.#context;
    const { create, read } = this.#cycle;
    const id = getCreatedId(create, read, winner.response);
    const own = isPathValue(id) ? withId(requests.createValid(update, seed), update, id, first.values.path) : undefined;
    const sent = toNode(first.values.body);
    const shared: Node = property === undefined ? sent : { [property]: sent[property] };
    const known = getProperties(session.contract, update);
    const hasId = [read.pathNames.at(-1) ?? '', 'id'].some((name) => Object.hasOwn(shared, name));
    if (!own || hasId || Object.keys(shared).some((name) => !known.has(name))) return undefined;
    const rest = property !== undefined && update.method === 'PATCH' ? {} : toNode(own.body);
    const values = { ...own, body: { ...rest, ...shared } };
    const ordered = withOrderedDates(session.contract, update, values) ?? values;
    return validateValues(session.contract, update, ordered).kind === 'call' ? ordered : undefined;
  }

  #checkUpdate(
    update: Route,
    exchange: Exchange,
    {
      first,
      property,
      before,
      winner,
    }: {
      readonly first: Created;
      readonly property: string | undefined;
      readonly before: readonly Exchange[];
      readonly winner: Exchange;
    },
  ): void {
    const { create, read } = this.#cycle;
    const shown = getEntry(read, exchange.response.body);
    const sent = toNode(first.values.body);
    const names = property === undefined ? Object.keys(sent) : [property];
    // A server can ignore a value that it does not change.
    if (!names.every((name) => shown[name] === sent[name])) return;
    const change =
      property === undefined
        ? 'gave a resource all values of another one'
        : `changed ${property} to ${JSON.stringify(sent[property])}, which another resource has`;
    const message = `${update.operationId} ${change}, but ${create.operationId} refuses this with ${CONFLICT}`;
    this.#add('unique-update', message, update, [...before, winner, exchange]);
  }

  #add(name: RuleName, message: string, route: Route, exchanges: readonly Exchange[]): void {
    const last = exchanges.at(-1) as Exchange;
    const finding = createFinding('behaviour', route, last, createViolation(name, { message, pointer: route.pointer }));
    this.#findings.push({ ...finding, exchanges });
  }
}

/** Matches words after the name of a value that another resource already has: `is already in use`. */
const TAKEN = /^(?: (?:is|already|must|be|not))* (?:in use|exists?|taken|used|registered|unique)\b/;

/**
 * Returns the property of a new resource that is unique by the words of the contract: its description says so, or the
 * description of the 409 response names it, as in "the code is in use".
 */
function findUniqueName(contract: Contract, create: Route): string | undefined {
  const { normalized } = contract;
  const conflict = create.responses.find(({ name }) => name === String(CONFLICT));
  const { description = '' } = toNode(getNode(normalized, conflict?.pointer ?? ''));
  const words = ` ${joinWords(String(description))} `;
  return [...getProperties(contract, create)].find(([name, schema]) => {
    const parts = getSchemaParts(normalized, schema).map(({ node }) => node);
    if (!parts.some(({ type, enum: values }) => type === 'string' && values === undefined)) return false;
    if (parts.some((node) => /^(?:a |the |globally )?unique\b|\bmust be unique\b/i.test(String(node.description))))
      return true;
    const [, ...after] = words.split(` ${joinWords(name)}`);
    return after.some((rest) => TAKEN.test(rest)) || words.includes(` duplicate ${joinWords(name)} `);
  })?.[0];
}

/** Returns whether a property in the body of an operation is not one of a few documented values, and no date. */
export function isFreeText(contract: Contract, route: Route, name: string): boolean {
  const schema = getProperties(contract, route).get(name);
  const nodes = schema === undefined ? [] : getSchemaParts(contract.normalized, schema).map(({ node }) => node);
  return nodes.every(
    (node) => node.enum === undefined && node.const === undefined && !/^date/.test(String(node.format)),
  );
}

/** Returns the JSON Pointers of the schemas of the properties in the body of an operation. */
function getProperties(contract: Contract, route: Route): ReadonlyMap<string, string> {
  return getPartProperties(getSchemaParts(contract.normalized, getBodySchema(route) ?? ''));
}
