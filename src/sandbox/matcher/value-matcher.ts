import type { StateIssue } from '../../store/validate-state.ts';
import { pointerTo } from '../../util/json-pointer.ts';
import { isSecretName, redactSecrets } from '../journal/redact-secrets.ts';
import type { Comparison } from './comparison.ts';
import { compilePattern, createGlob, type Pattern, PatternError } from './patterns.ts';

/** A condition that makes no sense: where, and why. */
export class InvalidMatcherError extends Error {
  override readonly name = 'InvalidMatcherError';

  constructor(readonly flaws: readonly StateIssue[]) {
    super(flaws.map(({ pointer, trouble }) => `${pointer} ${trouble}`).join('; '));
  }
}

/** Why a value isn't as expected, with the place where it stands. */
export type ValueMatcher = (seen: unknown, place: string) => readonly string[];

/** How deep what is expected may be. */
const DEEPEST = 100;

/** What is expected of a value, by what stands for it in `where`. Throws a `InvalidMatcherError`. */
export function createValueMatcher(wanted: unknown, comparing: Comparison, depth = 0): ValueMatcher {
  if (depth > DEEPEST) throw flaw(comparing, 'is too deep');
  if (Array.isArray(wanted)) return ofList(wanted, comparing, depth);
  if (typeof wanted !== 'object' || wanted === null) return ofValue(wanted, comparing);
  const names = Object.keys(wanted);
  if (!names.some((name) => name.startsWith('$'))) return ofProperties(wanted, comparing, depth);
  const parts = names.map((name) => ofOperator(name, (wanted as Record<string, unknown>)[name], comparing, depth));
  return (seen, place) => parts.flatMap((part) => part(seen, place));
}

function ofValue(wanted: unknown, { isSame, meets }: Comparison): ValueMatcher {
  const isMet = (seen: unknown) => isSame(seen, wanted);
  return (seen, place) => (meets(seen, isMet) ? [] : [`${place} is ${told(seen)}, not ${told(wanted)}`]);
}

function ofProperties(wanted: object, comparing: Comparison, depth: number): ValueMatcher {
  const parts = Object.entries(wanted).map(
    ([name, value]) => [name, redactMismatch(name, propertyOf(name, value, comparing, depth))] as const,
  );
  return (seen, place) => {
    if (typeof seen !== 'object' || seen === null || Array.isArray(seen))
      return [`${place} is ${told(seen)}, no object`];
    const properties = seen as Readonly<Record<string, unknown>>;
    return parts.flatMap(([name, part]) =>
      part(Object.hasOwn(properties, name) ? properties[name] : undefined, place + pointerTo(name)),
    );
  };
}

function propertyOf(name: string, wanted: unknown, comparing: Comparison, depth: number): ValueMatcher {
  return createValueMatcher(wanted, { ...comparing, pointer: comparing.pointer + pointerTo(name) }, depth + 1);
}

/** An expectation that doesn't tell the value of what may be secret. */
export function redactMismatch(name: string, expectation: ValueMatcher): ValueMatcher {
  if (!isSecretName(name)) return expectation;
  return (seen, place) => (expectation(seen, place).length === 0 ? [] : [`${place} is not as wanted`]);
}

function ofList(wanted: readonly unknown[], comparing: Comparison, depth: number): ValueMatcher {
  const parts = wanted.map((value, at) => propertyOf(String(at), value, comparing, depth));
  return (seen, place) => {
    const entries = comparing.listOf(seen);
    if (!entries) return [`${place} is ${told(seen)}, no list`];
    if (entries.length !== parts.length) return [`${place} has ${entries.length} entries, not ${parts.length}`];
    return parts.flatMap((part, at) => part(entries[at], place + pointerTo(at)));
  };
}

/** What a condition says beside plain values: what its own value has to be, and what it demands. */
interface Operator {
  readonly takes: string;
  readonly isTaken: (value: unknown) => boolean;
  /** Whether a value meets it. */
  readonly meets: (value: never, comparing: Comparison, depth: number) => (seen: unknown) => boolean;
  readonly says: string;
}

const isNumber = (value: unknown) => typeof value === 'number';

const OPERATORS: Readonly<Record<string, Operator>> = {
  $eq: {
    takes: 'any value',
    isTaken: () => true,
    meets:
      (wanted: unknown, { isSame }) =>
      (seen) =>
        isSame(seen, wanted),
    says: 'not just',
  },
  $glob: {
    takes: 'a text with * for any text',
    isTaken: (value) => typeof value === 'string',
    meets: (wanted: string) => {
      const isLike = createGlob(wanted);
      return (seen) => typeof seen === 'string' && isLike(seen);
    },
    says: 'not like',
  },
  $regex: {
    takes: 'a regular expression as a text',
    isTaken: (value) => typeof value === 'string',
    meets: (wanted: string, comparing) => {
      const { isMatch, size } = patternIn(wanted, comparing);
      comparing.addPatternSize(size);
      return (seen) => typeof seen === 'string' && isMatch(seen);
    },
    says: 'which does not match',
  },
  $gt: {
    takes: 'a number',
    isTaken: isNumber,
    meets:
      (wanted: number, { numberOf }) =>
      (seen) =>
        numberOf(seen) > wanted,
    says: 'not above',
  },
  $lt: {
    takes: 'a number',
    isTaken: isNumber,
    meets:
      (wanted: number, { numberOf }) =>
      (seen) =>
        numberOf(seen) < wanted,
    says: 'not below',
  },
  $exists: {
    takes: 'true or false',
    isTaken: (value) => typeof value === 'boolean',
    meets: (wanted: boolean) => (seen) => (seen !== undefined) === wanted,
    says: 'and is to exist:',
  },
  $in: {
    takes: 'a list of values',
    isTaken: Array.isArray,
    meets: (wanted: readonly unknown[], comparing, depth) => {
      const some = wanted.map((value) => createValueMatcher(value, comparing, depth + 1));
      return (seen) => some.some((expectation) => expectation(seen, '').length === 0);
    },
    says: 'not in',
  },
  $not: {
    takes: 'any value',
    isTaken: () => true,
    meets: (wanted: unknown, comparing, depth) => {
      const expectation = createValueMatcher(wanted, comparing, depth + 1);
      return (seen) => expectation(seen, '').length > 0;
    },
    says: 'which is what it is not to be:',
  },
};

/** Operators that look at all values of a query or a header that came several times, not at each. */
const OF_ALL = ['$not', '$exists'];

function ofOperator(name: string, wanted: unknown, comparing: Comparison, depth: number): ValueMatcher {
  const operator = Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined;
  const here = { ...comparing, pointer: comparing.pointer + pointerTo(name) };
  if (!operator) throw flaw(here, `is no operator: there are ${Object.keys(OPERATORS).join(', ')}`);
  if (isDeeper(wanted, DEEPEST)) throw flaw(here, 'is too deep');
  if (!operator.isTaken(wanted)) throw flaw(here, `is ${told(wanted)}: give ${operator.takes}`);
  const isMet = operator.meets(wanted as never, here, depth);
  const holds = (seen: unknown) => (OF_ALL.includes(name) ? isMet(seen) : here.meets(seen, isMet));
  return (seen, place) => (holds(seen) ? [] : [`${place} is ${told(seen)}, ${operator.says} ${told(wanted)}`]);
}

function patternIn(source: string, comparing: Comparison): Pattern {
  try {
    return compilePattern(source);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    throw flaw(comparing, error.message);
  }
}

function isDeeper(value: unknown, most: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return most === 0 || Object.values(value).some((inner) => isDeeper(inner, most - 1));
}

/** How much of a value is told. */
const TOLD = 100;

function told(value: unknown): string {
  if (value === undefined) return 'missing';
  const text = JSON.stringify(redactSecrets(value));
  return text.length > TOLD ? `${text.slice(0, TOLD)}…` : text;
}

function flaw({ pointer }: Comparison, trouble: string): InvalidMatcherError {
  return new InvalidMatcherError([{ pointer, trouble }]);
}
