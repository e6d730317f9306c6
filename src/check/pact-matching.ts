import { isJsonType, removeTypeParameters } from '../openapi/media-types.ts';
import { isSecretName, REDACTED, redactFullText } from '../util/redact-secrets.ts';
import type { ReceivedResponse } from './exchange.ts';
import {
  type Category,
  describeMatcher,
  findRule,
  getName,
  isEqual,
  KEEPS_PARTS,
  MATCHERS,
  type Matcher,
  type PactRules,
  readRules,
} from './pact-rules.ts';

/** A difference between a response and the one that a pact expects. */
export interface Mismatch {
  /** The place and the rule, such as `pact: body/text type`. Indexes of lists are `*`. */
  readonly title: string;
  readonly message: string;
}

/** The result of a comparison. */
interface Comparison {
  readonly mismatches: readonly Mismatch[];
  /** The names of matchers that were not applied: values that they match were not compared. */
  readonly unsupported: readonly string[];
}

/** A place in a response. */
interface Place {
  readonly category: Category;
  readonly path: readonly string[];
}

/**
 * Compares a response with the one that a pact expects, as the Pact Specification does: without a matcher, values are
 * equal and lists have the same length. The response can have other properties and headers.
 */
export function compareWithPact(
  expected: ReceivedResponse,
  actual: ReceivedResponse,
  { matchingRules, expectsNoBody }: { readonly matchingRules: unknown; readonly expectsNoBody: boolean },
): Comparison {
  const comparer = new PactComparer(readRules(matchingRules));
  const isExpected = comparer.compareStatus(expected.status, actual.status);
  // The body of another response is another one.
  if (isExpected) {
    for (const [name, value] of Object.entries(expected.headers))
      comparer.compareHeader(name, value, actual.headers[name]);
    if (expectsNoBody && actual.text !== '')
      comparer.add({ category: 'body', path: [] }, 'absence', 'exists, but the pact expects none');
    else if (expected.text !== '') comparer.compareBody(expected, actual);
  }
  return { mismatches: comparer.mismatches, unsupported: [...comparer.unsupported] };
}

/** Compares the parts of a response, and collects the mismatches. */
class PactComparer {
  readonly mismatches: Mismatch[] = [];
  readonly unsupported = new Set<string>();

  constructor(private readonly rules: PactRules) {}

  add({ category, path }: Place, keyword: string, problem: string): void {
    const steps = path.map((step) => (/^\d+$/.test(step) ? '*' : step));
    const message = `The response does not match the pact: ${[category, ...path].join('/')} ${problem}`;
    this.mismatches.push({ title: `pact: ${[category, ...steps].join('/')} ${keyword}`, message });
  }

  /** Returns whether the status is the expected one. */
  compareStatus(expected: number, actual: number): boolean {
    const place: Place = { category: 'status', path: [] };
    if (this.rules.status.length > 0) this.compareValue(place, expected, actual);
    else if (expected !== actual) this.add(place, 'equality', `is ${actual}, not ${expected}`);
    return this.mismatches.length === 0;
  }

  compareHeader(name: string, expected: string, actual: string | undefined): void {
    const place: Place = { category: 'header', path: [name] };
    if (actual === undefined) this.add(place, 'required', 'is missing');
    else if (findRule(this.rules.header, [name])) this.compareValue(place, expected, actual);
    else if (normalizeHeader(name, expected) !== normalizeHeader(name, actual))
      this.add(place, 'equality', `is ${show(place, actual)}, not ${show(place, expected)}`);
  }

  compareBody(expected: ReceivedResponse, actual: ReceivedResponse): void {
    const place: Place = { category: 'body', path: [] };
    const type = expected.headers['content-type'] ?? '';
    const isJson = isJsonType(type) && expected.jsonError === undefined;
    const isReceivedJson = isJsonType(actual.headers['content-type'] ?? '') && actual.jsonError === undefined;
    const hasWholeRule = this.rules.body.some(({ path }) => path.length === 0);
    if (actual.text === '') this.add(place, 'required', 'is missing');
    else if (isJson && !isReceivedJson) this.add(place, 'type', 'is not JSON');
    else if (isJson) this.compareValue(place, expected.body, actual.body);
    else if (hasWholeRule) this.compareValue(place, expected.text, actual.text);
    // The matchers of XML and forms have other paths.
    else if (this.rules.body.length > 0) this.unsupported.add(`matchers of ${removeTypeParameters(type)}`);
    else if (expected.text !== actual.text) this.add(place, 'equality', 'is another text');
  }

  private compareValue(place: Place, expected: unknown, actual: unknown): void {
    const { category, path } = place;
    const rule = findRule(this.rules[category], path);
    const matchers = rule?.matchers ?? [];
    const unknown = matchers.filter((matcher) => !Object.hasOwn(MATCHERS, getName(matcher)));
    for (const matcher of unknown) this.unsupported.add(getName(matcher));
    if (unknown.length > 0) return;
    const isCascaded = rule !== undefined && rule.path.length < path.length;
    const failed = matchers.filter((matcher) => !MATCHERS[getName(matcher)]?.(matcher, expected, actual, isCascaded));
    if (failed.length > 0 && (!rule?.isAny || failed.length === matchers.length)) {
      const [first = {}] = failed;
      this.add(place, getName(first), `is ${show(place, actual)}, but ${describeMatcher(first, expected)}`);
      return;
    }
    // Other matchers, such as a regular expression, replace the comparison of the parts.
    if (matchers.length > 0 && !matchers.some((one) => KEEPS_PARTS.includes(getName(one)))) return;
    if (isContainer(expected) && isContainer(actual) && Array.isArray(expected) === Array.isArray(actual))
      this.compareParts(place, { expected, actual, matchers });
    else if (matchers.length === 0 && !isEqual(expected, actual))
      this.add(place, 'equality', `is ${show(place, actual)}, not ${show(place, expected)}`);
  }

  private compareParts(
    { category, path }: Place,
    {
      expected,
      actual,
      matchers,
    }: { readonly expected: Container; readonly actual: Container; readonly matchers: readonly Matcher[] },
  ): void {
    const place = { category, path };
    const isList = Array.isArray(expected);
    const [example] = Object.values(expected);
    if (isList && matchers.length === 0 && expected.length !== actual.length) {
      this.add(place, 'length', `has ${actual.length} items, not ${expected.length}`);
      return;
    }
    // With `values`, the names are those of entries in a map. A list can have more items than the example.
    const isByExample = isList || matchers.some((one) => getName(one) === 'values');
    for (const name of Object.keys(isByExample ? actual : expected)) {
      const part = { category, path: [...path, name] };
      if (!Object.hasOwn(actual, name)) this.add(part, 'required', 'is missing');
      else if (Object.hasOwn(expected, name)) this.compareValue(part, expected[name], actual[name]);
      else if (example !== undefined) this.compareValue(part, example, actual[name]);
    }
  }
}

/** A list or an object. */
type Container = Readonly<Record<string, unknown>>;

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}

/** The maximum length of a value in a message, in characters. */
const MAX_LENGTH = 80;

/** Formats a value for a message. The value of a secret is redacted. */
function show({ path }: Place, value: unknown): string {
  if (path.some(isSecretName)) return REDACTED;
  const text = redactFullText(JSON.stringify(value) ?? 'missing');
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}

/** Returns a header without differences that have no meaning: spaces at commas, and the order of type parameters. */
function normalizeHeader(name: string, value: string): string {
  const parts = value.split(',').map((part) => part.trim());
  if (name !== 'content-type') return parts.join(',');
  const [type = '', ...parameters] = value.split(';').map((part) => part.trim().toLowerCase());
  return [type, ...parameters.toSorted()].join(';');
}
