import { type Node, toNode } from '../openapi/document.ts';
import { ALL_PARTS, getPartProperties, getSchemaParts } from '../openapi/schema-parts.ts';
import type { CheckContext } from './check-context.ts';
import { addConfirmed } from './confirm-findings.ts';
import type { Finding } from './findings.ts';
import { getEntry, unwrap } from './life-cycle-rules.ts';
import type { LifeCycle } from './life-cycles.ts';
import { RequestSequence } from './request-sequence.ts';
import { getBodySchema, type RequestValues, validateValues } from './requests.ts';
import { createViolation, type RuleName } from './rules.ts';
import { isServerName } from './server-names.ts';
import { REFERENCE_NAME } from './value-classes.ts';

/** The difference between the seeds of two attempts to confirm a finding. */
const SEED_STEP = 4_507;

/** The length of a long text if the contract has no `maxLength`. Most servers store texts of this length. */
const DEFAULT_LENGTH = 250;

/** The maximum length of a long text. */
const MAX_LENGTH = 2_000;

/** Letters that Latin-1 does not have. */
const LETTERS = 'Ωж東ż';

/** A letter of some names that needs 4 bytes in UTF-8. The charset `utf8` of MySQL, for example, has only 3. */
const RARE_LETTERS = '𠮷';

/** Characters of ordinary texts that HTML and SQL escape. */
const MARKUP = `Q&A's`;

const WORDS = ['meadow', 'lantern', 'copper', 'island', 'violin', 'harbor', 'willow', 'basket', 'thunder', 'pepper'];

/**
 * A property that clients set: with any text up to `maxLength`, with a number, or with a boolean.
 * `known`: a value that the server stores as it is; undefined if this was not tried.
 */
interface SentProperty {
  readonly name: string;
  readonly schema: string;
  readonly maxLength: number | undefined;
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
  readonly known?: unknown;
}

/** A kind of value, and how a server can damage it. */
interface ValueKind {
  readonly rule: RuleName;
  /** Default: the title of the rule. */
  readonly title?: string;
  /** Returns the value of a property; undefined if the property cannot have such a value. */
  readonly create: (property: SentProperty, seed: number) => unknown;
  /** Returns the end of a sentence about a damaged value; undefined if the server can have stored the value. */
  readonly describe: (sent: unknown, got: unknown, property: SentProperty) => string | undefined;
  /** What to do about damaged values. */
  readonly advice?: string;
}

const USE_UTF8 = 'store and send texts as UTF-8';

const TEXT_KINDS: readonly ValueKind[] = [
  { rule: 'long-text', create: createLongText, describe: describeTexts(describeShortened) },
  {
    rule: 'text-letters',
    create: (...one) => createForeignText(LETTERS, ...one),
    describe: describeTexts(describeReplaced),
    advice: USE_UTF8,
  },
  {
    rule: 'text-letters',
    create: (...one) => createForeignText(RARE_LETTERS, ...one),
    describe: describeTexts(describeReplaced),
    advice: USE_UTF8,
  },
  {
    rule: 'text-escapes',
    create: (...one) => createForeignText(MARKUP, ...one),
    describe: describeTexts(describeEscaped),
    advice: 'escape texts where a page or a query contains them',
  },
];

const PLAIN_KINDS: readonly ValueKind[] = [
  {
    rule: 'stored-value',
    title: '0 and false are stored',
    create: ({ known }) => (typeof known === 'boolean' ? false : 0),
    describe: describeOther,
  },
  {
    rule: 'stored-value',
    title: 'minimums are stored',
    create: ({ minimum }) => (minimum === 0 ? undefined : minimum),
    describe: describeOther,
  },
  { rule: 'stored-value', title: 'maximums are stored', create: ({ maximum }) => maximum, describe: describeOther },
];

/**
 * Checks that a created resource has the values that were sent: texts of the maximum length, texts with letters that
 * Latin-1 does not have, or that need 4 bytes in UTF-8, and the numbers 0, minimum and maximum.
 * A server may refuse them, and trim texts or change their case.
 */
export async function checkSpecialValues(context: CheckContext, cycle: LifeCycle): Promise<void> {
  const texts = findProperties(context, cycle, ['string']);
  const { coverage } = context.session.results;
  if (texts.length === 0)
    for (const { rule } of TEXT_KINDS) coverage.skipRule(rule, cycle.create, 'no property can have any text');
  for (const kind of TEXT_KINDS) await examineKind(context, cycle, { kind, properties: texts });
  const plain = await findStoredProperties(context, cycle);
  for (const kind of PLAIN_KINDS) await examineKind(context, cycle, { kind, properties: plain });
}

/** Examines a kind of value in all properties that can have it. */
async function examineKind(
  context: CheckContext,
  cycle: LifeCycle,
  { kind, properties }: { readonly kind: ValueKind; readonly properties: readonly SentProperty[] },
): Promise<void> {
  const { session, seed } = context;
  const canHave = (property: SentProperty) => {
    const value = kind.create(property, seed);
    return value !== property.known && value !== undefined && session.contract.isValid(property.schema, value);
  };
  const own = properties.filter(canHave);
  if (own.length === 0) return;
  let attempt = 0;
  const examine = async () => {
    await context.prepare();
    return examineValues({ ...context, seed: seed + attempt++ * SEED_STEP }, cycle, { kind, properties: own });
  };
  await addConfirmed(session, await examine(), examine);
}

/** Returns the properties that clients set, and that can have any value of a type. */
function findProperties(
  { session: { contract } }: CheckContext,
  { create, read }: LifeCycle,
  types: readonly string[],
): readonly SentProperty[] {
  const { normalized } = contract;
  const schemas = getPartProperties(getSchemaParts(normalized, getBodySchema(create) ?? '', ALL_PARTS));
  return [...schemas].flatMap(([name, schema]): readonly SentProperty[] => {
    const nodes = getSchemaParts(normalized, schema, ALL_PARTS).map(({ node }) => node);
    const hasType = nodes.some(({ type }) => [type].flat().some((one) => types.includes(String(one))));
    const isText = types.includes('string');
    const keywords = [...['enum', 'const', 'readOnly', 'writeOnly'], ...(isText ? ['format', 'pattern'] : [])];
    const isLimited = nodes.some((node) => keywords.some((keyword) => node[keyword] !== undefined));
    if (!hasType || isLimited || isServerName(read, name, false) || REFERENCE_NAME.test(name)) return [];
    const getLimits = (keyword: string) =>
      nodes.map((node) => node[keyword]).filter((limit): limit is number => typeof limit === 'number');
    const [minimum, maximum, maxLength] = ['minimum', 'maximum', 'maxLength'].map(getLimits);
    const least = (limits: readonly number[] = []) => (limits.length > 0 ? Math.min(...limits) : undefined);
    return [{ name, schema, maxLength: least(maxLength), minimum: minimum?.at(-1), maximum: least(maximum) }];
  });
}

/**
 * Creates a resource with ordinary numbers and booleans.
 * Returns the properties that then have the sent values, because a server can set others itself.
 */
async function findStoredProperties(context: CheckContext, cycle: LifeCycle): Promise<readonly SentProperty[]> {
  const numbers = findProperties(context, cycle, ['integer', 'number']);
  const booleans = findProperties(context, cycle, ['boolean']);
  if (numbers.length + booleans.length === 0) return [];
  await context.prepare();
  const values = Object.fromEntries(booleans.map(({ name }) => [name, true]));
  const sequence = new RequestSequence(context);
  const resource =
    (await sequence.create(cycle, context.seed, (one) => withBody(context, cycle, one, values))) ??
    (await sequence.create(cycle, context.seed));
  const response = resource && (await sequence.read(cycle, resource));
  if (!resource || !response) return [];
  const entry = getEntry(cycle.read, response.body);
  const sent = unwrap(resource.values.body, entry);
  const isStored = ({ name }: SentProperty) => sent[name] === entry[name];
  return [...numbers.filter(isStored), ...booleans.filter((one) => isStored(one) && sent[one.name] === true)].map(
    (property) => ({ ...property, known: sent[property.name] }),
  );
}

async function examineValues(
  context: CheckContext,
  cycle: LifeCycle,
  { kind, properties }: { readonly kind: ValueKind; readonly properties: readonly SentProperty[] },
): Promise<readonly Finding[]> {
  const found = await examineTogether(context, cycle, { kind, properties });
  if (found || properties.length === 1) return found ?? [];
  // The server refused the values of one property, so the others are examined alone.
  const findings: Finding[] = [];
  for (const property of properties)
    findings.push(...((await examineTogether(context, cycle, { kind, properties: [property] })) ?? []));
  return findings;
}

/**
 * Creates a resource with values of a kind in some properties, and reads it.
 * Returns undefined if the server refuses the values.
 */
async function examineTogether(
  context: CheckContext,
  cycle: LifeCycle,
  { kind, properties }: { readonly kind: ValueKind; readonly properties: readonly SentProperty[] },
): Promise<readonly Finding[] | undefined> {
  const { create, read } = cycle;
  const { rule, title } = kind;
  const sequence = new RequestSequence(context);
  const values = Object.fromEntries(properties.map((one) => [one.name, kind.create(one, context.seed)]));
  const resource = await sequence.create(cycle, context.seed, (one) => withBody(context, cycle, one, values));
  if (!resource) return undefined;
  await sequence.read(cycle, resource, ({ pointer }, { response }) => {
    if (response.status !== 200) return [];
    context.session.results.coverage.countRule(rule, create);
    const entry = getEntry(read, response.body);
    const sent = unwrap(resource.values.body, entry);
    const problems = properties.flatMap((property) => {
      const problem = kind.describe(sent[property.name], entry[property.name], property);
      return problem ? [{ property: property.name, text: `${property.name} ${problem}` }] : [];
    });
    const listed = problems.map(({ text }) => text).join('; ');
    const message = kind.advice === undefined ? listed : `${listed}: ${kind.advice}`;
    const [first] = problems;
    return first
      ? [createViolation(rule, { message, pointer, property: first.property, ...(title && { title }) })]
      : [];
  });
  return sequence.findings;
}

/** Returns a copy of a request to create a resource with some values; undefined if it is not valid. */
function withBody(
  { session: { contract } }: CheckContext,
  { create }: LifeCycle,
  request: RequestValues,
  values: Node,
): RequestValues | undefined {
  const edited = { ...request, body: { ...toNode(request.body), ...values } };
  return validateValues(contract, create, edited).kind === 'call' ? edited : undefined;
}

/** Returns a function that describes a damaged text. Values that are not texts are not described. */
function describeTexts(
  describe: (sent: string, got: string, property: SentProperty) => string | undefined,
): ValueKind['describe'] {
  return (sent, got, property) =>
    typeof sent === 'string' && typeof got === 'string' ? describe(sent, got, property) : undefined;
}

/** The greatest relative difference of two numbers that count as equal. A 32-bit floating-point number has 7 digits. */
const PRECISION = 1e-6;

/** Describes another number or boolean, or a missing number. A missing boolean can stand for `false`. */
function describeOther(sent: unknown, got: unknown, { known }: SentProperty): string | undefined {
  const start = `was sent as ${sent}, but is`;
  const end = `although ${JSON.stringify(known)} is stored`;
  if (typeof sent === 'boolean') return typeof got === 'boolean' && got !== sent ? `${start} ${got}` : undefined;
  if (got === undefined || got === null) return `${start} ${got === null ? 'null' : 'missing'}, ${end}`;
  const difference = Math.abs(Number(got) - Number(sent));
  return difference > PRECISION * Math.abs(Number(sent)) ? `${start} ${JSON.stringify(got)}, ${end}` : undefined;
}

/** Creates a text of words with the maximum length. It is different for each seed and property. */
function createLongText({ name, maxLength = DEFAULT_LENGTH }: SentProperty, seed: number): string {
  const length = Math.min(maxLength, MAX_LENGTH);
  let text = `${seed.toString(36)} ${name}`;
  for (let index = seed; text.length < length; index += 3) text += ` ${WORDS[index % WORDS.length]}`;
  // A text must not end with a space, because many servers trim.
  return text.slice(0, length).replace(/ $/, 'x');
}

function describeShortened(sent: string, got: string, { maxLength }: SentProperty): string | undefined {
  const [one, other] = [normalizeText(sent), normalizeText(got)];
  if (other === '' || other.length >= one.length || !one.startsWith(other)) return undefined;
  const limit = maxLength === undefined ? '' : `, and the contract allows ${maxLength}`;
  return `was sent with ${sent.length} characters, but has ${got.length}${limit}`;
}

function createForeignText(letters: string, { maxLength = DEFAULT_LENGTH }: SentProperty, seed: number): string {
  return [...`${letters} ${seed.toString(36)}`].slice(0, Math.max(1, maxLength)).join('').trim();
}

/** Matches escaped characters: of HTML and XML, and of JSON and JavaScript. */
const ESCAPED = /&#x?[\da-f]+;|\\u[\da-f]{4}/i;

function describeReplaced(sent: string, got: string): string | undefined {
  const [letters = '', ...rest] = sent.split(' ');
  const isReplaced = /[?\ufffd]/.test(got) || ESCAPED.test(got);
  const isDropped = rest.length > 0 && got.trim() === rest.join(' ') && letters !== '';
  const bytes = Buffer.from(sent);
  const damaged = [
    ...['latin1', 'windows-1252'].map((charset) => new TextDecoder(charset).decode(bytes)),
    // Only the lower byte of each UTF-16 code unit.
    Buffer.from(sent, 'latin1').toString('latin1'),
  ];
  if (!isReplaced && !isDropped && !damaged.includes(got)) return undefined;
  return `was sent as ${JSON.stringify(sent)}, but is ${JSON.stringify(got)}`;
}

function describeEscaped(sent: string, got: string): string | undefined {
  const isEscaped = !got.includes(sent) && /&(?:amp|apos|quot|#x?[\da-f]+);|\\'|''/i.test(got);
  return isEscaped ? `was sent as ${JSON.stringify(sent)}, but is ${JSON.stringify(got)}` : undefined;
}

function normalizeText(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ').toLowerCase();
}
