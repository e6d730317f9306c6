import type { Contract } from '../openapi/contract.ts';
import { isNode, type Node, toNode } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import { getPartProperties, getSchemaParts } from '../openapi/schema-parts.ts';
import { joinWords, normalizeName, toSingular } from '../util/names.ts';
import { sendAccepted, withOrderedDates } from './accepted-requests.ts';
import type { CheckContext } from './check-context.ts';
import { addConfirmed } from './confirm-findings.ts';
import { CONFLICT, describeConflict, isGenericConflict } from './described-statuses.ts';
import { type Exchange, isMocked, isSuccess } from './exchange.ts';
import type { Finding } from './findings.ts';
import { isPathValue } from './ids.ts';
import { documents, getEntry } from './life-cycle-rules.ts';
import { getCollectionPath, getCreatedId, isKeyed, type LifeCycle } from './life-cycles.ts';
import { getBodySchema, type RequestValues, toRequest, validateValues } from './requests.ts';
import { type Confidence, createViolation, type RuleName } from './rules.ts';
import { createFinding } from './session.ts';
import { withId } from './updates.ts';

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
  readonly id: unknown;
  readonly values: RequestValues;
  readonly exchange: Exchange;
}

/** A request with the value that a property of another resource has, and one with another value. */
type SimilarRequest = readonly [name: string, values: RequestValues, other: RequestValues];

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
    const repeated = first && (await this.#sendNew(first.values, seed + TRIAL_STEP * 2, [first.exchange]));
    if (!first || !repeated) return this.#findings;
    // A resource with another key is another one.
    if (!isKeyed(this.#cycle)) coverage.countRule('create-overwrites', create);
    if (isSuccess(repeated.exchange.response)) await this.#checkOverwritten(first, repeated);
    this.#checkRefused(first, repeated);
    const reason = 'the server accepts a second resource with the same values';
    for (const route of [create, ...updates])
      coverage.skipRule(route === create ? 'unique-concurrent' : 'unique-update', route, reason);
    if (repeated.exchange.response.status !== CONFLICT) return this.#findings;
    const before = [first.exchange, repeated.exchange];
    const winner = await this.#sendConcurrently(first, before);
    if (!winner) return this.#findings;
    coverage.countRule('unique-concurrent', create);
    const property = await this.#findUniqueProperty(first);
    for (const update of updates.filter(documentsConflict)) {
      const values = this.#toUpdate(update, first, { winner, property });
      const exchange = values && (await this.#send(update, values, [...before, winner.exchange]));
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
    return accepted && exchange && this.#toCreated(accepted.values, exchange);
  }

  #toCreated(values: RequestValues, exchange: Exchange): Created {
    return { id: getCreatedId(this.#cycle, values, exchange.response), values, exchange };
  }

  /** Sends a request for a new resource: with another key, if clients choose the keys. */
  async #sendNew(values: RequestValues, seed: number, before: readonly Exchange[]): Promise<Created | undefined> {
    const { create } = this.#cycle;
    const own = isKeyed(this.#cycle) ? this.#context.requests.withNewKey(create, values, seed) : values;
    const exchange = await this.#send(create, own, before);
    return exchange && this.#toCreated(own, exchange);
  }

  /**
   * Creates the same resource with several requests at once, in some rounds with other values.
   * Returns the last one.
   */
  async #sendConcurrently({ values }: Created, before: readonly Exchange[]): Promise<Created | undefined> {
    const { session, requests, seed } = this.#context;
    const { create } = this.#cycle;
    let winner: Created | undefined;
    for (let round = 0; round < ROUNDS; round++) {
      const generated = requests.createValid(create, seed + SEED_STEP + round);
      const second = generated && (withOrderedDates(session.contract, create, generated) ?? generated);
      if (!second) return winner;
      const other = { ...second, path: { ...second.path, ...getCollectionPath(this.#cycle, values) } };
      const seeds = Array.from({ length: CONCURRENT }, (_, number) => seed + SEED_STEP + ROUNDS * (number + 1) + round);
      const all = await Promise.all(seeds.map((own) => this.#sendNew(other, own, before)));
      const created = all.flatMap((one) => (one && isSuccess(one.exchange.response) ? [one] : []));
      const [one] = created;
      winner = one ?? winner;
      const two = created.find(({ id }) => one && String(id) !== String(one.id));
      if (!one || !two) continue;
      const message = `Concurrent requests created two resources with the same values. The server refuses such values with ${CONFLICT} in sequential requests`;
      this.#add('unique-concurrent', message, create, [...before, one.exchange, two.exchange]);
      return one;
    }
    return winner;
  }

  /**
   * Returns the property that must be unique: a new resource with the value of an existing one is refused with 409, and
   * accepted with another value.
   * Returns undefined if no single property must be unique.
   */
  async #findUniqueProperty(first: Created): Promise<string | undefined> {
    const { create } = this.#cycle;
    for (const [name, values, other] of this.#createSimilar(first)) {
      const exchange = await this.#send(create, values, [first.exchange]);
      if (exchange?.response.status !== CONFLICT) continue;
      const accepted = await this.#send(create, other, [first.exchange]);
      if (accepted && isSuccess(accepted.response)) return name;
    }
    return undefined;
  }

  /** Adds a finding if a second resource gets a value that is unique by the words of the contract. */
  #checkRefused(first: Created, repeated: Created): void {
    const { create, read } = this.#cycle;
    const { contract, results } = this.#context.session;
    const { name, isDocumented } = findUniqueName(contract, create) ?? {};
    if (name === undefined) {
      results.coverage.skipRule('create-unique', create, 'no property is described as unique');
      return;
    }
    // A server that refuses other requests with 409 uses it for another rule, such as a quota.
    if (!isDocumented && isSuccess(repeated.exchange.response) && results.coverage.hasStatus(create, CONFLICT)) {
      results.coverage.skipRule('create-unique', create, `the server uses ${CONFLICT} for something else`);
      return;
    }
    results.coverage.countRule('create-unique', create);
    const [value, other] = [first, repeated].map(({ exchange }) => getEntry(read, exchange.response.body)[name]);
    const isOther = first.id !== undefined && String(first.id) !== String(repeated.id);
    if (!isSuccess(repeated.exchange.response) || !isOther || value === undefined || value !== other) return;
    const message = `The server created two resources with the ${name} ${JSON.stringify(value)}: respond with ${CONFLICT}, as the contract documents`;
    const confidence = isDocumented ? 'certain' : 'likely';
    this.#add('create-unique', message, create, [first.exchange, repeated.exchange], confidence);
  }

  /** Adds a finding if a request for a new resource changes the first one, which has the same value of a property. */
  async #checkOverwritten(first: Created, repeated: Created): Promise<void> {
    const { create, read } = this.#cycle;
    const { id } = first;
    // The id in the `Location` header is a text, and that in the body can be a number.
    const isFirst = (one: Created) => isSuccess(one.exchange.response) && String(one.id) === String(id);
    if (id === undefined || !isFirst(repeated)) return;
    for (const [name, values] of this.#createSimilar(first)) {
      const exchange = await this.#send(create, values, [first.exchange]);
      if (!exchange || !isFirst(this.#toCreated(values, exchange))) continue;
      const [before, after] = [first.exchange, exchange].map(({ response }) => getEntry(read, response.body));
      const isChanged = (one: string) => after?.[one] !== before?.[one] && after?.[one] === toNode(values.body)[one];
      const changed = Object.keys(toNode(values.body)).find(isChanged);
      if (changed === undefined) continue;
      const message = `A request to create a resource with the same ${name} changed ${changed} of the existing resource ${JSON.stringify(id)}: respond with ${CONFLICT}, as the contract documents`;
      return this.#add('create-overwrites', message, create, [first.exchange, exchange]);
    }
  }

  /**
   * Returns requests for new resources, each with the value that one property of the first resource has, and the same
   * requests with another value.
   */
  #createSimilar({ values: first }: Created): readonly SimilarRequest[] {
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
      const other = { ...ordered, path: { ...ordered.path, ...getCollectionPath(this.#cycle, first) } };
      const values = { ...other, body: { ...toNode(ordered.body), [name]: body[name] } };
      return validateValues(session.contract, create, values).kind === 'call' ? [[name, values, other] as const] : [];
    });
  }

  /**
   * Returns an update that gives the resource of `winner` the unique property of another one; all its properties if no
   * single property must be unique.
   */
  #toUpdate(
    update: Route,
    first: Created,
    { winner, property }: { readonly winner: Created; readonly property: string | undefined },
  ): RequestValues | undefined {
    const { session, requests, seed } = this.#context;
    const { read } = this.#cycle;
    const { id } = winner;
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
      readonly winner: Created;
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
    this.#add('unique-update', message, update, [...before, winner.exchange, exchange]);
  }

  #add(
    name: RuleName,
    message: string,
    route: Route,
    exchanges: readonly Exchange[],
    confidence: Confidence = 'certain',
  ): void {
    const last = exchanges.at(-1) as Exchange;
    const violation = createViolation(name, { message, pointer: route.pointer, confidence });
    const finding = createFinding('behaviour', route, last, violation);
    this.#findings.push({ ...finding, exchanges });
  }
}

/** Matches words after the name of a value that another resource already has: `is already in use`. */
const TAKEN = /^(?: (?:is|already|must|be|not))* (?:in use|exists?|taken|used|registered|unique)\b/;

/** Matches the description of a unique property: `Unique number of the room`, `Each doctor has another number`. */
const UNIQUE =
  /^(?:a |the |globally )?unique\b|\bmust be unique\b|\bunique (?:across|among|amongst|for|in|per|within)\b|\b(?:each|every) \w+ has (?:another|a different|a unique|its own|their own)\b|\bno two\b/i;

/** Matches normalized names of properties that identify a person. */
const IDENTITY = /^(?:e?mail|emailaddress|username|login|loginname|userhandle)$/;

/** Matches the singular of the names of collections of people with an account. */
const PEOPLE =
  /^(?:user|account|customer|client|member|patient|subscriber|student|teacher|employee|borrower|reader|player|admin|administrator)$/;

/**
 * Returns the property of a new resource that is unique: its description says so, or the description of the 409
 * response names it, as in "the code is in use".
 * If the 409 has no description, the e-mail address or the login of a person is likely unique.
 */
function findUniqueName(
  contract: Contract,
  create: Route,
): { readonly name: string; readonly isDocumented: boolean } | undefined {
  const description = describeConflict(contract, create);
  const words = ` ${joinWords(description)} `;
  const texts = [...getProperties(contract, create)].flatMap(([name, schema]) => {
    const parts = getSchemaParts(contract.normalized, schema).map(({ node }) => node);
    const isText = parts.some(({ type, enum: values }) => type === 'string' && values === undefined);
    return isText ? [{ name, isDescribed: parts.some((node) => UNIQUE.test(String(node.description))) }] : [];
  });
  const documented = texts.find(({ name, isDescribed }) => {
    const [, ...after] = words.split(` ${joinWords(name)}`);
    return isDescribed || after.some((rest) => TAKEN.test(rest)) || words.includes(` duplicate ${joinWords(name)} `);
  });
  if (documented) return { name: documented.name, isDocumented: true };
  const collection = joinWords(create.path.split('/').findLast((part) => part !== '' && !part.startsWith('{')) ?? '');
  const isPerson = PEOPLE.test(toSingular(collection)) && isGenericConflict(description, create.path);
  const identity = isPerson ? texts.find(({ name }) => IDENTITY.test(normalizeName(name))) : undefined;
  return identity && { name: identity.name, isDocumented: false };
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
