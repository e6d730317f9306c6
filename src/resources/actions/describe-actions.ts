import { normalizeName } from '../../util/names.ts';
import { normalizeProperty } from '../document/entry-properties.ts';
import { listParticiples } from '../document/verb-forms.ts';
import type { Effect } from '../resource.ts';
import { removeFillers } from './states.ts';

/**
 * Describes what an action changes: `status → "done", completedAt → now`.
 * `flags`: the booleans that are different for each user.
 */
export function describeEffect(
  {
    values,
    time,
    clears = [],
    counter,
    setsBody,
    toggles,
    ignored = [],
    copies = [],
    assigns,
    takesBack,
    files = [],
  }: Effect,
  flags: readonly string[],
): string {
  if (toggles !== undefined)
    return [`${toggles} → true or false`, ...(time ? [`sets or removes ${time.property}`] : [])].join(', ');
  return [
    ...(setsBody
      ? [`sets the properties in the body${ignored.length > 0 ? ` except ${listNames(ignored)}` : ''}`]
      : []),
    ...values.map(({ property, value }) => {
      const whose = typeof value === 'boolean' && flags.includes(property) ? ' for the user who sends the request' : '';
      return `${property} → ${takesBack ? 'true or false' : JSON.stringify(value)}${whose}`;
    }),
    ...(time ? [time.isSet ? `${time.property} → now` : `removes ${time.property}`] : []),
    ...(assigns
      ? [
          assigns.from === undefined
            ? `removes ${assigns.to}`
            : `${assigns.to} → the ${assigns.target.singular} in ${assigns.from}`,
        ]
      : []),
    ...files.map((property) => `${property} → the URL of the file`),
    ...copies.map(({ from, to }) => `${to} → ${from} of the body`),
    ...clears.map((property) => `removes ${property}`),
    ...(counter
      ? [
          `${counter.property} ${takesBack ? '+ or -' : counter.step > 0 ? '+' : '-'} ${counter.isSent ? 'the number in the body' : '1'}`,
        ]
      : []),
    ...(!setsBody && ignored.length > 0 ? [`ignores ${listNames(ignored)} of the body`] : []),
  ].join(', ');
}

/** Returns names as a part of a sentence: `a, b and c`. */
function listNames(names: readonly string[]): string {
  return names.join(', ').replace(/, (?=[^,]*$)/, ' and ');
}

/** Describes the values that an action sets: `status "done"`. */
export function describeValues({ values }: Effect): string {
  return values.map(({ property, value }) => `${property} ${JSON.stringify(value)}`).join(' and ');
}

/**
 * Describes what an action does to an entry: `completes a task`, `marks a task as read`, and `changes the
 * status of a task`.
 * `entry`: the name of the entry with its article.
 * `sent`: the properties that the request body can have.
 */
export function describeAction(
  verb: string,
  { values, time, setsBody }: Effect,
  entry: string,
  sent: readonly string[],
) {
  const state = removeFillers(verb);
  const name = normalizeName(state);
  const isState = values.some(({ property, value }) => {
    const flags = value === true ? [name, `is${name}`] : [name.replace(/^un/, ''), `is${name.replace(/^un/, '')}`];
    return typeof value === 'boolean'
      ? (flags.includes(normalizeProperty(property)) && (value || name.startsWith('un'))) ||
          (!value && normalizeProperty(property) === `un${name}`)
      : normalizeName(String(value)) === name;
  });
  // `reads an alert` would be what a GET does.
  if (isState || (name === 'read' && time !== undefined))
    return `marks ${entry} as ${splitActionWords(state).join('-')}`;
  const participles = listParticiples(state);
  const participle = values
    .map(({ property, value }) => (value === true ? property : String(value)))
    .find((one) => participles.includes(normalizeProperty(one)));
  if (participle !== undefined) return `marks ${entry} as ${splitActionWords(participle).join('-')}`;
  const [first = '', ...rest] = splitActionWords(verb);
  const isNoun = setsBody && values.length === 0 && !time && sent.some((one) => normalizeName(one) === name);
  if (isNoun) return `changes the ${splitActionWords(verb).join(' ')} of ${entry}`;
  const isPhrase = rest.length === 0 || /^(?:in|out|up|off|on|down|back|as)$/.test(rest[0] ?? '');
  return [conjugate(first), ...(isPhrase ? rest : ['the', ...rest, 'of']), entry].join(' ');
}

/** Returns the words of a verb in a path in lower case: `check` and `in` for `check-in`. */
export function splitActionWords(text: string): readonly string[] {
  return text
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[\s_-]+/);
}

/** Returns the third person of a verb: `completes` for `complete`. */
function conjugate(verb: string): string {
  const ending = /(?:s|x|z|ch|sh)$/.test(verb) ? 'es' : 's';
  return /[^aeiou]y$/.test(verb) ? `${verb.slice(0, -1)}ies` : verb + ending;
}
