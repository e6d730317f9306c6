import { toNode } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import { ALL_PARTS, getPartProperties, getSchemaParts } from '../openapi/schema-parts.ts';
import type { CheckContext } from './check-context.ts';
import { addConfirmed } from './confirm-findings.ts';
import type { Finding } from './findings.ts';
import { getEntry, unwrap } from './life-cycle-rules.ts';
import type { LifeCycle } from './life-cycles.ts';
import { RequestSequence } from './request-sequence.ts';
import { getBodySchema, type RequestValues, validateValues } from './requests.ts';
import { createViolation, type RuleName } from './rules.ts';
import { isServerName } from './stored-values.ts';
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

const WORDS = ['meadow', 'lantern', 'copper', 'island', 'violin', 'harbor', 'willow', 'basket', 'thunder', 'pepper'];

/** A property that clients set, with any text up to `maxLength`. */
interface TextProperty {
  readonly name: string;
  readonly maxLength: number | undefined;
}

/** A kind of text, and how a server can damage it. */
interface TextKind {
  readonly name: RuleName;
  readonly create: (property: TextProperty, seed: number) => string;
  /** Returns the end of a sentence about a damaged text; undefined if the server can have stored the text. */
  readonly describe: (sent: string, got: string, property: TextProperty) => string | undefined;
}

const KINDS: readonly TextKind[] = [
  { name: 'long-text', create: createLongText, describe: describeShortened },
  { name: 'text-letters', create: (...one) => createForeignText(LETTERS, ...one), describe: describeReplaced },
  { name: 'text-letters', create: (...one) => createForeignText(RARE_LETTERS, ...one), describe: describeReplaced },
];

/**
 * Checks that a created resource has the texts that were sent: texts of the maximum length, and texts with letters that
 * Latin-1 does not have, or that need 4 bytes in UTF-8.
 * A server may refuse them, trim them or change their case.
 */
export async function checkStoredTexts(context: CheckContext, cycle: LifeCycle): Promise<void> {
  const properties = findTextProperties(context, cycle);
  const { coverage } = context.session.results;
  if (properties.length === 0)
    for (const { name } of KINDS) coverage.skipRule(name, cycle.create, 'no property can have any text');
  if (properties.length === 0) return;
  for (const kind of KINDS) {
    let attempt = 0;
    const examine = async () => {
      await context.prepare();
      const seed = context.seed + attempt++ * SEED_STEP;
      return examineTexts({ ...context, seed }, cycle, { kind, properties });
    };
    await addConfirmed(context.session, await examine(), examine);
  }
}

function findTextProperties({ session: { contract } }: CheckContext, { create, read }: LifeCycle) {
  const { normalized } = contract;
  const schemas = getPartProperties(getSchemaParts(normalized, getBodySchema(create) ?? '', ALL_PARTS));
  return [...schemas].flatMap(([name, schema]): readonly TextProperty[] => {
    const nodes = getSchemaParts(normalized, schema, ALL_PARTS).map(({ node }) => node);
    const isText = nodes.some(({ type }) => [type].flat().includes('string'));
    const isLimited = nodes.some((node) =>
      ['enum', 'const', 'format', 'pattern', 'readOnly', 'writeOnly'].some((keyword) => node[keyword] !== undefined),
    );
    if (!isText || isLimited || isServerName(read, name, false) || REFERENCE_NAME.test(name)) return [];
    const limits = nodes.flatMap(({ maxLength }) => (typeof maxLength === 'number' ? [maxLength] : []));
    return [{ name, maxLength: limits.length > 0 ? Math.min(...limits) : undefined }];
  });
}

async function examineTexts(
  context: CheckContext,
  cycle: LifeCycle,
  { kind, properties }: { readonly kind: TextKind; readonly properties: readonly TextProperty[] },
): Promise<readonly Finding[]> {
  const found = await examineTogether(context, cycle, { kind, properties });
  if (found || properties.length === 1) return found ?? [];
  // The server refused the texts of one property, so the others are examined alone.
  const findings: Finding[] = [];
  for (const property of properties)
    findings.push(...((await examineTogether(context, cycle, { kind, properties: [property] })) ?? []));
  return findings;
}

/**
 * Creates a resource with texts in some properties, and reads it.
 * Returns undefined if the server refuses the texts.
 */
async function examineTogether(
  context: CheckContext,
  cycle: LifeCycle,
  { kind, properties }: { readonly kind: TextKind; readonly properties: readonly TextProperty[] },
): Promise<readonly Finding[] | undefined> {
  const { create, read } = cycle;
  const sequence = new RequestSequence(context);
  const withTexts = (values: RequestValues) => {
    const texts = properties.map((one) => [one.name, kind.create(one, context.seed)] as const);
    const edited = { ...values, body: { ...toNode(values.body), ...Object.fromEntries(texts) } };
    return isValid(context, create, edited) ? edited : undefined;
  };
  const resource = await sequence.create(cycle, context.seed, withTexts);
  if (!resource) return undefined;
  await sequence.read(cycle, resource, ({ pointer }, { response }) => {
    if (response.status !== 200) return [];
    context.session.results.coverage.countRule(kind.name, create);
    const entry = getEntry(read, response.body);
    const sent = unwrap(resource.values.body, entry);
    const problems = properties.flatMap((property) => {
      const [one, other] = [sent[property.name], entry[property.name]];
      const problem = typeof one === 'string' && typeof other === 'string' && kind.describe(one, other, property);
      return problem ? [`${property.name} ${problem}`] : [];
    });
    return problems.length > 0 ? [createViolation(kind.name, { message: problems.join('; '), pointer })] : [];
  });
  return sequence.findings;
}

function isValid({ session: { contract } }: CheckContext, route: Route, values: RequestValues): boolean {
  return validateValues(contract, route, values).kind === 'call';
}

/** Creates a text of words with the maximum length. It is different for each seed and property. */
function createLongText({ name, maxLength = DEFAULT_LENGTH }: TextProperty, seed: number): string {
  const length = Math.min(maxLength, MAX_LENGTH);
  let text = `${seed.toString(36)} ${name}`;
  for (let index = seed; text.length < length; index += 3) text += ` ${WORDS[index % WORDS.length]}`;
  // A text must not end with a space, because many servers trim.
  return text.slice(0, length).replace(/ $/, 'x');
}

function describeShortened(sent: string, got: string, { maxLength }: TextProperty): string | undefined {
  const [one, other] = [normalizeText(sent), normalizeText(got)];
  if (other === '' || other.length >= one.length || !one.startsWith(other)) return undefined;
  const limit = maxLength === undefined ? '' : `, and the contract allows ${maxLength}`;
  return `was sent with ${sent.length} characters, but has ${got.length}${limit}`;
}

function createForeignText(letters: string, { maxLength = DEFAULT_LENGTH }: TextProperty, seed: number): string {
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
  return `was sent as ${JSON.stringify(sent)}, but is ${JSON.stringify(got)}: store and send texts as UTF-8`;
}

function normalizeText(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ').toLowerCase();
}
