import { isNode, type Node } from '../openapi/document.ts';

/** Applies a JSON Merge Patch (RFC 7396) to `target`. Returns the result, and leaves `target` unchanged. */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isNode(patch)) return patch;
  const result = new Map<string, unknown>(Object.entries(isNode(target) ? target : {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) result.delete(name);
    else result.set(name, applyMergePatch(result.get(name), value));
  }
  return Object.fromEntries(result) as Node;
}
