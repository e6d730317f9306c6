import type { ErrorObject } from 'ajv';
import type { Violation } from '../shop/types.ts';
import { MAX_JSON_DEPTH } from '../util/json-limits.ts';
import { pointerTo, stepsOf } from '../util/json-pointer.ts';
import { GIVE_IT_ONCE, getRemedy } from './remedies.ts';

/** What is wrong with a request: every violation, and all of them in one sentence. */
export interface Findings {
  readonly violations: readonly Violation[];
  readonly detail: string;
}

/** What of a request a violation is found in, by the name that openapi-backend has for it. */
const PARTS: Readonly<Record<string, Violation['in']>> = {
  requestBody: 'body',
  path: 'path',
  query: 'query',
  header: 'header',
};

/**
 * What ajv found in a request, one violation for each place. Needs ajv's `verbose` errors, which carry the value and the schema, and `allErrors`.
 * Of several at one place that of an `anyOf` or `oneOf` speaks for its branches, else the first.
 */
export function toViolations(errors: readonly ErrorObject[]): Findings {
  const chosen = [...onePerPlace(errors)].map(([place, error]) => ({ error, violation: violationAt(place, error) }));
  return {
    violations: chosen.map(({ violation }) => violation),
    detail: firstOf(
      chosen.map(({ error, violation }) => `${subject(violation)} ${wrongness(error)}: ${violation.remedy}`),
    ).join('; '),
  };
}

/** How many sentences of a kind are told; the rest are counted. A client can send any number of names that nobody knows. */
const SENTENCES_TOLD = 5;

/** The first of some sentences, and how many more there are. */
export function firstOf(sentences: readonly string[]): readonly string[] {
  const rest = sentences.length - SENTENCES_TOLD;
  return rest > 0 ? [...sentences.slice(0, SENTENCES_TOLD), `and ${rest} more`] : sentences;
}

/** The errors by the JSON Pointer of what is wrong: for a property that is missing or unknown, that of the property. */
export function onePerPlace(errors: readonly ErrorObject[]): ReadonlyMap<string, ErrorObject> {
  const places = new Map<string, ErrorObject>();
  for (const error of errors) {
    if (isOfBranch(error)) continue;
    const place = placeOf(error);
    if (!places.has(place) || error.keyword === 'anyOf' || error.keyword === 'oneOf') places.set(place, error);
  }
  return places;
}

/** Whether a property is missing by a branch of an `anyOf` or `oneOf` that only asks for properties: the error of the whole tells all branches. */
function isOfBranch({ keyword, schemaPath, parentSchema = {} }: ErrorObject): boolean {
  return (
    keyword === 'required' && /\/(?:anyOf|oneOf)\/\d+\/required$/.test(schemaPath) && !('properties' in parentSchema)
  );
}

function placeOf({ instancePath, keyword, params, propertyName }: ErrorObject): string {
  if (keyword === 'propertyNames') return instancePath + pointerTo(params.propertyName);
  if (propertyName !== undefined) return instancePath + pointerTo(propertyName);
  if (keyword === 'required') return instancePath + pointerTo(params.missingProperty);
  if (keyword === 'additionalProperties') return instancePath + pointerTo(params.additionalProperty);
  return instancePath;
}

function violationAt(place: string, error: ErrorObject): Violation {
  const [, part = '', ...steps] = place.split('/');
  const value = valueSeen(error);
  return {
    in: PARTS[part] ?? 'header',
    pointer: steps.map((step) => `/${step}`).join(''),
    rule: error.keyword,
    ...(value === undefined ? {} : { value: shortened(value) }),
    remedy: getRemedy(error),
  };
}

function valueSeen({ keyword, params, data }: ErrorObject): unknown {
  if (keyword === 'required') return undefined;
  if (keyword === 'additionalProperties') return (data as Record<string, unknown>)[params.additionalProperty];
  return data;
}

function subject({ in: part, pointer }: Violation): string {
  const name = shortened(stepsOf(pointer).join('.'));
  if (part === 'body') return `${name || 'the body'}`;
  return `${part === 'header' ? part : `${part} parameter`} ${name}`;
}

/** What is wrong, as the end of a sentence that begins with the place. */
export function wrongness(error: ErrorObject): string {
  const { keyword, params } = error;
  if (keyword === 'required') return 'is missing';
  if (keyword === 'additionalProperties') return 'is not known here';
  if (error.propertyName !== undefined) return 'is not allowed as a name';
  if (keyword === 'depth') return `is nested deeper than ${MAX_JSON_DEPTH} levels`;
  if (typeof error.data === 'number' && !Number.isFinite(error.data)) return 'is a number too large to be represented';
  if (keyword === 'maximum') return `${error.data} is above the maximum of ${params.limit}`;
  if (keyword === 'minimum') return `${error.data} is below the minimum of ${params.limit}`;
  return getRemedy(error) === GIVE_IT_ONCE ? 'is given more than once' : `is ${JSON.stringify(shortened(error.data))}`;
}

/** How much of a value is shown: characters of a text, entries of a list or object, levels of nesting. */
const SHOWN = { characters: 200, entries: 10, levels: 3 };

/** A value cut to what a reader needs, at a cost that doesn't grow with it: bodies may be nested deeper than JSON.stringify can follow. */
export function shortened(value: unknown, levels = SHOWN.levels): unknown {
  if (typeof value === 'string')
    return value.length > SHOWN.characters ? `${value.slice(0, SHOWN.characters)}…` : value;
  // JSON has no infinity: it would show as null.
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return '…';
  if (Array.isArray(value)) return value.slice(0, SHOWN.entries).map((entry) => shortened(entry, levels - 1));
  const entries = Object.entries(value).slice(0, SHOWN.entries);
  return Object.fromEntries(entries.map(([key, entry]) => [shortened(key), shortened(entry, levels - 1)]));
}
