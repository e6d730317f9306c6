import { findInexactIntegers, isInexactInteger } from '../util/exact-numbers.ts';
import type { Issue } from '../util/issue.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { isNode, type Node } from './node.ts';
import { getKind } from './walk-schemas.ts';

/**
 * An integer of a YAML file that JavaScript can't represent.
 * It is a part of the parsed content until `removeInexactData` replaces it.
 */
export class InexactNumber {
  constructor(readonly text: string) {}
}

/** Returns the value of an integer in YAML. `value`: the number that the parser returns for it. */
export function toExactNumber(text: string, value: number): number | InexactNumber {
  const decimal = text.replace(/^\+/, '');
  return /^-?\d+$/.test(decimal) && isInexactInteger(decimal) ? new InexactNumber(decimal) : value;
}

/** The parsed content of a file, and a warning for each example that was removed. */
export interface ParsedSource {
  readonly content: unknown;
  readonly issues: readonly Issue[];
}

/**
 * Removes the examples, defaults and allowed values with integers that JavaScript can't represent, because a response
 * would have other numbers.
 * Other integers, such as a `maximum`, are rounded.
 * `json`: the text of the file, if it is JSON.
 */
export function removeInexactData(content: unknown, json: string | undefined): ParsedSource {
  const places = json === undefined ? findMarkers(content) : findInexactIntegers(json);
  const rounded = json === undefined && places.length > 0 ? roundMarkers(content) : content;
  // Starts with the last place, because the entries after a removed one get other indexes.
  return places.reduceRight(
    (source: ParsedSource, { path, text }) => {
      const removed = remove(source.content, path, false);
      if (removed === source.content) return source;
      const message = `has the integer ${text}, which JavaScript can't represent exactly, so the server does not use this value: write it as a string`;
      return { content: removed, issues: [{ pointer: formatPointer(...path), message }, ...source.issues] };
    },
    { content: rounded, issues: [] },
  );
}

interface Place {
  readonly path: readonly string[];
  readonly text: string;
}

function findMarkers(content: unknown, path: readonly string[] = []): readonly Place[] {
  if (content instanceof InexactNumber) return [{ path, text: content.text }];
  if (typeof content !== 'object' || content === null) return [];
  return Object.entries(content).flatMap(([key, value]) => findMarkers(value, [...path, key]));
}

function roundMarkers(content: unknown): unknown {
  if (content instanceof InexactNumber) return Number(content.text);
  if (Array.isArray(content)) return content.map(roundMarkers);
  if (!isNode(content)) return content;
  return Object.fromEntries(Object.entries(content).map(([key, value]) => [key, roundMarkers(value)]));
}

/** The keywords with data for responses, and with the allowed values. */
const DATA_KEYWORDS: readonly string[] = ['example', 'examples', 'default', 'enum'];

/**
 * Returns a copy of a node without the example, default or allowed value at a path.
 * Returns the node itself if the path leads to no such data.
 */
function remove(node: unknown, [key = '', ...rest]: readonly string[], isNames: boolean): unknown {
  if (typeof node !== 'object' || node === null || !Object.hasOwn(node, key)) return node;
  const child = (node as Node)[key];
  const isKeyword = !Array.isArray(node) && !isNames;
  const isData = isKeyword && DATA_KEYWORDS.includes(key);
  if (isData) return replace(node, key, key === 'example' || key === 'default' ? undefined : removeEntry(child, rest));
  if (isKeyword && getKind(key, false) === 'value') return node;
  const changed = remove(child, rest, isKeyword && getKind(key, false) === 'names');
  return changed === child ? node : replace(node, key, changed);
}

/**
 * Returns `examples` or `enum` without the entry at a path.
 * A named example only loses its value, because references can point to it.
 */
function removeEntry(list: unknown, [key = '']: readonly string[]): unknown {
  if (Array.isArray(list)) return list.filter((_, index) => index !== Number(key));
  return isNode(list) ? { ...list, [key]: replace(list[key] as Node, 'value', undefined) } : undefined;
}

/** Returns a copy of a node with another child, or without it if `child` is undefined. */
function replace(node: object, key: string, child: unknown): unknown {
  if (Array.isArray(node)) return node.map((entry, index) => (index === Number(key) ? child : entry));
  const { [key]: _old, ...others } = node as Node;
  return child === undefined ? others : { ...node, [key]: child };
}
