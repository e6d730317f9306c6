import { type Document, OpenAPIBackend } from 'openapi-backend';
import { getNode, isNode, toPointer } from './document.ts';
import { addJsonFormats } from './formats.ts';
import { getRoutes, toRouterPath } from './routes.ts';
import { ajvOptions } from './schema-validator.ts';

/**
 * openapi-backend for routing and the checks of parameters, over no more than it needs of the document, since it replaces all references in place: on
 * bodies of large documents it took a minute. quick: what the document says was looked at.
 */
export async function backendFor(document: Document): Promise<OpenAPIBackend> {
  const operations = new Map<string, Record<string, unknown>>();
  for (const { path, method, operationId, parameters } of getRoutes(document)) {
    const operation = {
      operationId,
      responses: {},
      parameters: parameters.map(({ pointer }) => getNode(document, pointer)),
    };
    operations.set(toRouterPath(path), { ...operations.get(toRouterPath(path)), [method.toLowerCase()]: operation });
  }
  const backend = new OpenAPIBackend({
    definition: withTargets(
      { openapi: document.openapi, info: document.info, paths: Object.fromEntries(operations) } as Document,
      document,
    ),
    strict: true,
    quick: true,
    ajvOpts: { ...ajvOptions, validateSchema: false },
    customizeAjv: addJsonFormats,
  });
  return backend.init();
}

/** A copy of a part of a document with all that it refers to; its references have no escapes, which openapi-backend would look for as they are written. */
function withTargets(part: Document, document: Document): Document {
  const targets: Record<string, unknown> = {};
  const names = new Map<string, string>();
  const visit = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(visit);
    if (!isNode(node)) return node;
    if (typeof node.$ref !== 'string')
      return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, visit(value)]));
    const pointer = toPointer(node.$ref);
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
