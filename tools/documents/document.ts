/** An object in a document. */
export type Node = Readonly<Record<string, unknown>>;

/** An operation of a document. */
export interface Operation {
  /** In upper case. */
  readonly method: string;
  readonly path: string;
  /** The parameters of the path and of the operation. */
  readonly parameters: readonly Node[];
  readonly node: Node;
}

/** A document in one piece, read with a bundler that shares no code with the server. */
export interface Document {
  readonly root: Node;
  readonly operations: readonly Operation[];
  /** Follows the references of a node. Returns an empty object if there is no such node. */
  resolve(node: unknown): Node;
  /** Returns the value at a reference of the document. */
  at(reference: string): unknown;
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options', 'trace'];

/** Creates the document of a parsed text. */
export function createDocument(root: Node): Document {
  const at = (reference: string) => valueAt(root, reference);
  const resolve = (node: unknown) => follow(node, at);
  const paths = Object.entries((root.paths ?? {}) as Node);
  const operations = paths.flatMap(([path, item]) => readOperations(path, resolve(item), resolve));
  return { root, operations, resolve, at };
}

function readOperations(path: string, item: Node, resolve: Document['resolve']): readonly Operation[] {
  return METHODS.filter((method) => item[method] !== undefined).map((method) => {
    const node = item[method] as Node;
    const parameters = [...list(node.parameters), ...list(item.parameters)].map(resolve);
    const own = parameters.filter((one, index) => parameters.findIndex((other) => isSame(one, other)) === index);
    return { method: method.toUpperCase(), path, parameters: own, node };
  });
}

function isSame(one: Node, other: Node): boolean {
  return one.name === other.name && one.in === other.in;
}

/** Returns a value as a list: an empty list if it is none. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns whether a value is an object that is not a list. */
export function isObject(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function follow(node: unknown, at: Document['at']): Node {
  let current = node;
  for (let steps = 0; isObject(current) && typeof current.$ref === 'string' && steps < 50; steps++)
    current = at(current.$ref);
  return isObject(current) ? current : {};
}

function valueAt(root: Node, reference: string): unknown {
  if (!reference.startsWith('#')) return undefined;
  const steps = decodeURIComponent(reference.slice(1)).split('/').slice(1);
  return steps
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((node, step) => (node as Node | undefined)?.[step], root);
}
