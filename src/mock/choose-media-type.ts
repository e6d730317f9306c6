import { isJsonType, removeTypeParameters } from '../openapi/media-types.ts';
import { toContentType } from './media-types.ts';

/** A media range in an `Accept` header (RFC 9110, section 12.5.1), such as `text/*;q=0.5`. */
interface MediaRange {
  readonly type: string;
  /** The parameters before `q`, such as `version=1`, by name. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

/**
 * Chooses a documented media type by an `Accept` header.
 * The quality of a type is that of the most specific range that includes it.
 * Prefers JSON if several types are equally acceptable, or if no type is acceptable.
 * Returns undefined if `types` is empty.
 */
export function chooseMediaType(types: readonly string[], accept: string): string | undefined {
  const jsonFirst = types.toSorted((a, b) => Number(isJsonType(b)) - Number(isJsonType(a)));
  if (accept === '' || types.length < 2) return jsonFirst[0];
  const [best] = findAcceptable(jsonFirst, accept).sort((a, b) => b.quality - a.quality || a.index - b.index);
  return best?.type ?? jsonFirst[0];
}

/**
 * Returns whether an `Accept` header admits one of the media types.
 * A documented range such as `image/*` can be any type, so it is always acceptable.
 */
export function isAcceptable(types: readonly string[], accept: string): boolean {
  return types.some((type) => type.includes('*')) || findAcceptable(types, accept).length > 0;
}

/**
 * Returns the acceptable types, with their quality and the index of their range in the header.
 * A header without a range accepts all types.
 */
function findAcceptable(types: readonly string[], accept: string) {
  const ranges = parseAccept(accept);
  const known = ranges.length > 0 ? ranges : [ANY];
  return types.flatMap((type) => {
    const range = findMostSpecific(known, parseRange(toContentType(type)));
    return range && range.quality > 0 ? [{ type, quality: range.quality, index: known.indexOf(range) }] : [];
  });
}

const ANY: MediaRange = { type: '*/*', parameters: new Map(), quality: 1 };

/** Parses an `Accept` header. A comma or a semicolon within quotes separates nothing. */
function parseAccept(accept: string): readonly MediaRange[] {
  const parts = accept.match(/(?:"(?:\\.|[^"\\])*"?|[^",])+/g) ?? [];
  return parts.map(parseRange).filter(({ type }) => type.includes('/') || type === '*');
}

function parseRange(text: string): MediaRange {
  const [, ...pairs] = text.match(/(?:"(?:\\.|[^"\\])*"?|[^";])+/g) ?? [];
  const parsed = pairs.map((pair) => {
    const [name = '', value = ''] = pair.split(/=(.*)/s);
    return [name.trim().toLowerCase(), value.trim().replaceAll('"', '').toLowerCase()] as const;
  });
  const position = parsed.findIndex(([name]) => name === 'q');
  const [, weight = ''] = parsed[position] ?? [];
  return {
    type: removeTypeParameters(text),
    parameters: new Map(position < 0 ? parsed : parsed.slice(0, position)),
    quality: /^(?:\d+\.?\d*|\.\d+)$/.test(weight) ? Number(weight) : 1,
  };
}

function findMostSpecific(ranges: readonly MediaRange[], documented: MediaRange): MediaRange | undefined {
  const matching = ranges.flatMap((range) => ({ range, specificity: getSpecificity(range, documented) }));
  const [best] = matching.toSorted((a, b) => b.specificity - a.specificity);
  return best && best.specificity > 0 ? best.range : undefined;
}

/**
 * Returns how specific a range is for a documented type; 0 if it does not include the type.
 * A parameter with another value excludes the type.
 * Decision: a parameter that the contract does not document for the type, such as `charset`, does not.
 */
function getSpecificity(range: MediaRange, { type, parameters }: MediaRange): number {
  if (range.type === '*/*' || range.type === '*') return 1;
  if (range.type.endsWith('/*')) return type.startsWith(range.type.slice(0, -1)) ? 2 : 0;
  if (range.type !== type) return 0;
  const common = [...range.parameters].filter(([name]) => parameters.has(name));
  return common.every(([name, value]) => parameters.get(name) === value) ? 3 + common.length : 0;
}
