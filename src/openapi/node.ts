/** An object in a document or a schema. */
export type Node = { readonly [key: string]: unknown };

/** Returns whether a value is an object. Returns false for an array and for null. */
export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
