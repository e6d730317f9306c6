import { getNode, type Node } from '../../../src/openapi/document.ts';
import type { Delta } from './change.ts';
import type { Compare } from './compared.ts';
import { contentChanges } from './content.ts';
import { type Operation, resolveNode } from './operation.ts';
import { readSchema, toCanonicalText } from './schema-parts.ts';

interface Parameter {
  readonly node: Node;
  readonly pointer: string;
  /**
   * Identifies the parameter in both versions: its location and its name, such as `query limit`. For a path parameter, the key contains the position in the
   * path instead of the name, because requests do not contain the name.
   */
  readonly key: string;
  readonly words: string;
}

/** Returns the changes of the parameters of an operation, including those of its path item. */
export function parameterChanges(before: Operation, after: Operation, compare: Compare): readonly Delta[] {
  const [old, now] = [getParameters(before), getParameters(after)];
  return [
    ...[...old.values()].flatMap((one) => {
      const other = now.get(one.key);
      if (other) return compareParameters({ before, after, compare }, one, other);
      // A path parameter that `parameters` does not describe still exists, because the path template is the same.
      const effect = one.node.in === 'path' ? 'wider' : 'removed';
      return [{ effect, pointer: one.pointer, message: `${one.words} is removed` } as const];
    }),
    ...[...now.values()].filter(({ key }) => !old.has(key)).map(added),
  ];
}

function added({ node, pointer, words }: Parameter): Delta {
  // A path segment can be any text, so a description of the parameter adds no requirement.
  if (node.required !== true || node.in === 'path') return { effect: 'added', pointer, message: `${words} is new` };
  return { effect: 'narrower', pointer, message: `${words} is new and required` };
}

interface Sides {
  readonly before: Operation;
  readonly after: Operation;
  readonly compare: Compare;
}

function compareParameters({ before, after, compare }: Sides, one: Parameter, other: Parameter): readonly Delta[] {
  const [old, now] = [one.node, other.node];
  const { words, pointer } = other;
  const hasContent = 'content' in old && 'content' in now;
  const sides = { old: before.document, now: after.document, root: words, direction: 'request', compare } as const;
  return [
    ...requiredChange(old, now, words, pointer),
    ...(getSerialization(old) === getSerialization(now)
      ? []
      : [
          {
            effect: 'different',
            pointer,
            message: `${words} has a different serialization (style, explode or media type)`,
          } as const,
        ]),
    ...(old.allowEmptyValue === true && now.allowEmptyValue !== true
      ? [{ effect: 'narrower', pointer, message: `${words} can no longer be empty` } as const]
      : []),
    ...(now.deprecated === true && old.deprecated !== true
      ? [{ effect: 'neutral', pointer: `${pointer}/deprecated`, message: `${words} is deprecated` } as const]
      : []),
    ...(hasContent
      ? contentChanges(sides, `${one.pointer}/content`, `${pointer}/content`)
      : compare({
          before: readSchema(before.document, `${one.pointer}/schema`),
          after: readSchema(after.document, `${pointer}/schema`),
          place: { steps: '', root: words },
          direction: 'request',
        })),
  ];
}

/** Returns the change of `required` for a parameter or a request body; an empty list if `required` has not changed. */
export function requiredChange(old: Node, now: Node, words: string, pointer: string): readonly Delta[] {
  if ((old.required === true) === (now.required === true)) return [];
  return now.required === true
    ? [{ effect: 'narrower', pointer: `${pointer}/required`, message: `${words} is now required` }]
    : [{ effect: 'wider', pointer, message: `${words} is no longer required` }];
}

const STYLES: Readonly<Record<string, string>> = { path: 'simple', header: 'simple', query: 'form', cookie: 'form' };

/**
 * Returns a text that identifies how a parameter is serialized. The text is equal for two combinations of `style` and `explode` if both serialize the type of
 * the parameter in the same way.
 */
function getSerialization({ in: place, style, explode, content, schema, allowReserved }: Node): string {
  if (content !== undefined) return 'content';
  const plain = style ?? STYLES[String(place)];
  const type = [getNode(schema, '/type')].flat();
  const isComposed = type.includes('array') || type.includes('object') || getNode(schema, '/$ref') !== undefined;
  return toCanonicalText([plain, isComposed ? (explode ?? plain === 'form') : true, allowReserved === true]);
}

/** Headers that are ignored as parameters (OpenAPI 3.0, Parameter Object). */
const IGNORED_HEADERS = ['accept', 'content-type', 'authorization'];

function getParameters(operation: Operation): ReadonlyMap<string, Parameter> {
  const { document, path, pointer, item } = operation;
  const names = [...path.matchAll(/\{(.*?)\}/g)].map(([, name]) => name);
  const parameters = [item, pointer].flatMap((holder) => {
    const list = getNode(document, `${holder}/parameters`);
    return (Array.isArray(list) ? [...list.keys()] : []).map((place) =>
      resolveNode(document, `${holder}/parameters/${place}`),
    );
  });
  // A parameter of the operation overrides the same parameter of the path item.
  return new Map(
    parameters
      .filter(({ node }) => !isIgnoredHeader(node))
      .map(({ node, pointer: own }) => {
        const name = String(node.name);
        const known =
          node.in === 'header' ? name.toLowerCase() : node.in === 'path' ? String(names.indexOf(name)) : name;
        const key = `${node.in} ${known}`;
        return [key, { node, pointer: own, key, words: `${node.in} parameter ${name}` }];
      }),
  );
}

function isIgnoredHeader({ in: place, name }: Node): boolean {
  return place === 'header' && IGNORED_HEADERS.includes(String(name).toLowerCase());
}
