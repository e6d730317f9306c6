import { createContext, Script } from 'node:vm';

/** A regular expression that takes too long: `message` says on what. */
export class PatternFault extends Error {
  override readonly name = 'PatternFault';
}

/** How long a regular expression may take for a text, in ms: one that backtracks without end would hold up all that the server does. */
const LONGEST_MS = 250;

const TEST = new Script('pattern.test(text)');

/** Whether a text matches a regular expression. Throws a `PatternFault` where that takes too long, and from then on each time. */
export function matcher(source: string): (text: string) => boolean {
  const pattern = new RegExp(source, 'u');
  // Code in a context of its own can be interrupted, which takes 90 µs; most patterns need no such care.
  if (isHarmless(source)) return (text) => pattern.test(text);
  const context = createContext({ pattern, text: '' });
  let fault: PatternFault | undefined;
  return (text) => {
    if (fault) throw fault;
    try {
      return TEST.runInContext(Object.assign(context, { text }), { timeout: LONGEST_MS }) === true;
    } catch (cause) {
      fault = new PatternFault(`the expression ${source} takes over ${LONGEST_MS} ms for a text: make it simpler`, {
        cause,
      });
      throw fault;
    }
  };
}

/** Whether nothing in an expression is repeated that has repetitions or choices in it, and at most one thing without a bound. */
function isHarmless(source: string): boolean {
  return !/\)[*+?{]|\\[1-9k]/.test(source) && (source.match(/[*+]|,\}/g) ?? []).length <= 1;
}

/** The longest regular expression, in characters. */
const LONGEST_PATTERN = 1_000;

/** Whether a value is a regular expression, and not too long. */
export function isPattern(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > LONGEST_PATTERN) return false;
  try {
    return new RegExp(value, 'u') instanceof RegExp;
  } catch {
    // The only way in which it fails is that it is no regular expression.
    return false;
  }
}

/** Whether a text is like another one, in which `*` stands for any text; in time that grows with both lengths alone. */
export function likeness(wanted: string): (text: string) => boolean {
  const [first = '', ...rest] = wanted.split('*');
  const last = rest.pop();
  if (last === undefined) return (text) => text === wanted;
  return (text) => {
    if (!text.startsWith(first)) return false;
    let at = first.length;
    for (const part of rest) {
      const found = text.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return text.length - last.length >= at && text.endsWith(last);
  };
}
