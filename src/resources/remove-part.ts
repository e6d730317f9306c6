import { isNode } from '../openapi/document.ts';

/** Returns a copy of a value without a nested property or array entry: the path `['tags', '0']` removes the first tag. */
export function removePart(value: unknown, [name = '', ...rest]: readonly string[]): unknown {
  if (Array.isArray(value)) {
    const index = Number(name);
    return rest.length === 0 ? value.toSpliced(index, 1) : value.with(index, removePart(value[index], rest));
  }
  if (!isNode(value)) return value;
  const { [name]: part, ...others } = value;
  return rest.length === 0 ? others : { ...value, [name]: removePart(part, rest) };
}
