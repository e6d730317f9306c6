import { getNode, type Node } from '../openapi/document.ts';
import type { Delta, Direction, Effect } from './change.ts';
import { contentChanges } from './content.ts';
import { type Operation, resolveNode } from './operation.ts';
import type { Compare } from './schema-pair.ts';
import { readSchema, toCanonicalText } from './schema-parts.ts';

interface Parameter {
  readonly node: Node;
  readonly pointer: string;
  /**
   * Identifies the parameter in both versions: its location and its name, such as `query limit`.
   * For a path parameter, the key contains the position in the path instead of the name, because requests do not
   * contain the name.
   */
  readonly key: string;
  readonly words: string;
}

/** Returns the changes of the parameters of an operation, including those of its path item. */
export function parameterChanges(before: Operation, after: Operation, compare: Compare): readonly Delta[] {
  const [old, now] = [getParameters(before), getParameters(after)];
  return [
    ...[...old.values()].flatMap((one): readonly Delta[] => {
      const other = now.get(one.key);
      if (other) return compareParameters({ before, after, compare }, one, other);
      // A path parameter that `parameters` does not describe still exists, because the path template is the same.
      const effect = one.node.in === 'path' ? 'wider' : 'removed';
      return [{ effect, before: one.pointer, after: after.pointer, message: `${one.words} is removed` }];
    }),
    ...[...now.values()].filter(({ key }) => !old.has(key)).map((one) => added(before, one)),
  ];
}

function added({ pointer: before }: Operation, { node, pointer: after, words }: Parameter): Delta {
  // A path segment can be any text, so a description of the parameter adds no requirement.
  if (node.required !== true || node.in === 'path')
    return { effect: 'added', before, after, message: `${words} is new` };
  return { effect: 'narrower', before, after, message: `${words} is new and required` };
}

interface Sides {
  readonly before: Operation;
  readonly after: Operation;
  readonly compare: Compare;
}

function compareParameters({ before, after, compare }: Sides, one: Parameter, other: Parameter): readonly Delta[] {
  const [old, now] = [one.node, other.node];
  const { words } = other;
  const hasContent = 'content' in old && 'content' in now;
  const direction = getDirection(after);
  const sides = { old: before.document, now: after.document, root: words, direction, compare };
  const toDelta = (effect: Effect, text: string, key = ''): Delta => {
    const [own, ownNow] = [old, now].map((node) => (key in node ? `/${key}` : ''));
    return { effect, before: one.pointer + own, after: other.pointer + ownNow, message: `${words} ${text}` };
  };
  return [
    ...requiredChange(one, other, words),
    ...serializationChange(one, other, words),
    ...(old.allowEmptyValue === true && now.allowEmptyValue !== true
      ? [toDelta('narrower', 'can no longer be empty', 'allowEmptyValue')]
      : []),
    ...(now.deprecated === true && old.deprecated !== true ? [toDelta('neutral', 'is deprecated', 'deprecated')] : []),
    ...(hasContent
      ? contentChanges(sides, `${one.pointer}/content`, `${other.pointer}/content`)
      : compare({
          before: readSchema(before.document, `${one.pointer}/schema`),
          after: readSchema(after.document, `${other.pointer}/schema`),
          place: { steps: '', root: words },
          direction,
        })),
  ];
}

/** Returns who sends the request of an operation. */
function getDirection({ isOutgoing }: Operation): Direction {
  return isOutgoing ? 'response' : 'request';
}

/** A parameter, header or request body, and its JSON Pointer. */
type Described = Pick<Parameter, 'node' | 'pointer'>;

/** Returns the change of how a parameter or header is serialized; an empty list if there is none. */
export function serializationChange(one: Described, other: Described, words: string): readonly Delta[] {
  const [old, now] = [one, other].map(({ node }) => getSerialization(node));
  if (old === now) return [];
  const message = `${words} has a different serialization (style, explode or media type)`;
  return [{ effect: 'different', before: one.pointer, after: other.pointer, message }];
}

/** Returns the change of `required` for a parameter or a request body; an empty list if `required` has not changed. */
function requiredChange(one: Described, other: Described, words: string): readonly Delta[] {
  const [wasRequired, isRequired] = [one, other].map(({ node }) => node.required === true);
  if (wasRequired === isRequired) return [];
  const [before, after] = [one, other].map(({ node, pointer }) => pointer + ('required' in node ? '/required' : ''));
  const text = isRequired ? 'is now required' : 'is no longer required';
  return [
    {
      effect: isRequired ? 'narrower' : 'wider',
      before: before ?? '',
      after: after ?? '',
      message: `${words} ${text}`,
    },
  ];
}

const STYLES: Readonly<Record<string, string>> = { path: 'simple', header: 'simple', query: 'form', cookie: 'form' };

/**
 * Returns a text that identifies how a parameter is serialized.
 * The text is equal for two combinations of `style` and `explode` if both serialize the type of the parameter in the
 * same way.
 */
function getSerialization({ in: place, style, explode, content, schema, allowReserved }: Node): string {
  if (content !== undefined) return 'content';
  const plain = style ?? STYLES[String(place)] ?? 'simple';
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

const ROOT = 'the request';

/** Returns the changes of the request body of an operation. */
export function bodyChanges(before: Operation, after: Operation, compare: Compare): readonly Delta[] {
  const [old, now] = [before, after].map(({ document, node, pointer }) =>
    node.requestBody === undefined ? undefined : resolveNode(document, `${pointer}/requestBody`),
  );
  if (!old && !now) return [];
  if (!now)
    return [
      { effect: 'removed', before: old?.pointer ?? '', after: after.pointer, message: 'the request body is removed' },
    ];
  if (!old) {
    const [effect, text] =
      now.node.required === true ? (['narrower', 'new and required'] as const) : (['added', 'new'] as const);
    return [{ effect, before: before.pointer, after: now.pointer, message: `the request body is ${text}` }];
  }
  const sides = { old: before.document, now: after.document, root: ROOT, direction: getDirection(after), compare };
  return [
    ...requiredChange(old, now, 'the request body'),
    ...contentChanges(sides, `${old.pointer}/content`, `${now.pointer}/content`),
  ];
}
