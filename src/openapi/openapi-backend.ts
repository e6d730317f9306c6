import { type Document, OpenAPIBackend } from 'openapi-backend';
import { getNode, isNode, parseReference } from './document.ts';
import { getRoutes, toRouterPath } from './routes.ts';
import { addJsonFormats, ajvOptions } from './schema-validator.ts';

/**
 * Creates the openapi-backend that routes requests and validates parameters. Passes only the paths and parameters of the document, because
 * openapi-backend dereferences its document in place. That takes a minute for the bodies of a large document. The option `quick` skips the validation
 * of the document.
 */
export async function createBackend(document: Document): Promise<OpenAPIBackend> {
  const paths = new Map<string, Record<string, unknown>>();
  for (const { path, method, operationId, parameters } of getRoutes(document)) {
    const nodes = parameters.map(({ pointer }) => getNode(document, pointer));
    const operation = { operationId, responses: {}, parameters: nodes };
    paths.set(toRouterPath(path), { ...paths.get(toRouterPath(path)), [method.toLowerCase()]: operation });
  }
  const part = { openapi: document.openapi, info: document.info, paths: Object.fromEntries(paths) } as Document;
  const backend = new OpenAPIBackend({
    definition: addReferenceTargets(part, document),
    strict: true,
    quick: true,
    ajvOpts: { ...ajvOptions, validateSchema: false },
    customizeAjv: addJsonFormats,
  });
  return backend.init();
}

/**
 * Returns a copy of a part of a document with the targets of its references. The targets get names without escapes, because openapi-backend does not
 * decode escapes.
 */
function addReferenceTargets(part: Document, document: Document): Document {
  const targets: Record<string, unknown> = {};
  const names = new Map<string, string>();
  const visit = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(visit);
    if (!isNode(node)) return node;
    if (typeof node.$ref !== 'string')
      return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, visit(value)]));
    const pointer = parseReference(node.$ref);
    let name = names.get(pointer);
    if (name === undefined) {
      name = `target${names.size}`;
      names.set(pointer, name);
      targets[name] = visit(getNode(document, pointer));
    }
    return { ...node, $ref: `#/x-targets/${name}` };
  };
  return { ...(visit(part) as Document), ...({ 'x-targets': targets } as object) };
}
