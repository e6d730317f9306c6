import type { Ajv, Options, ValidateFunction } from 'ajv';
import type { Document, OpenAPIRouter, OpenAPIValidator, Operation, Request } from 'openapi-backend';
import { loadPackage } from '../util/load-package.ts';
import { addJsonFormats, ajvOptions, createAjv2020, hasInheritedName, usesDialect2020 } from './ajv.ts';
import { getNode, isNode, type Node, parseReference, toNode } from './document.ts';
import { getRoutes, toRouterPath } from './routes.ts';
import { getKind } from './walk-schemas.ts';

/** The parts of openapi-backend that route requests and validate parameters. */
export interface Backend {
  /** Returns the operation that matches the method and the path of a request. */
  matchOperation(request: Request): Operation | undefined;
  /** Returns the validators of the parameters of an operation. They are compiled on first use. */
  getParameterValidators(operationId: string): readonly ValidateFunction[];
}

/** How openapi-backend creates the ajv for parameters. */
interface AjvFactory {
  readonly ajvOpts: Options;
  readonly customizeAjv: (ajv: Ajv, options: Options) => Ajv;
}

/** Creates the router and the validators of openapi-backend for a document. Loads openapi-backend on first use, and its validators only if they are needed. */
export function createBackend(document: Document, ajvFactory: AjvFactory = createAjvFactory(document)): Backend {
  let router: OpenAPIRouter | undefined;
  let validator: OpenAPIValidator | undefined;
  const getRouter = () => {
    router ??= createRouter(document);
    return router;
  };
  return {
    matchOperation: (request) => getRouter().matchOperation(request),
    getParameterValidators(operationId) {
      validator ??= createValidator(getRouter(), ajvFactory);
      return validator.getRequestValidatorsForOperation(operationId) ?? [];
    },
  };
}

function createAjvFactory(document: Document): AjvFactory {
  return {
    ajvOpts: { ...ajvOptions, ownProperties: hasInheritedName(document) },
    customizeAjv: (ajv, options) => addJsonFormats(usesDialect2020(document) ? createAjv2020(options) : ajv),
  };
}

/**
 * Creates the router of a document. Replaces the method `getOperations` of the router by a method that returns a stored list. openapi-backend calls this
 * method twice for each request, and the original method processes the whole document each time. A test checks that the router still calls the method.
 */
function createRouter(document: Document): OpenAPIRouter {
  const { OpenAPIRouter: Router } = loadPackage<{ OpenAPIRouter: typeof OpenAPIRouter }>('openapi-backend/router.js');
  const router = new Router({ definition: createDefinition(document) });
  const operations = router.getOperations();
  router.getOperations = () => operations;
  return router;
}

function createValidator(router: OpenAPIRouter, ajvFactory: AjvFactory): OpenAPIValidator {
  const { OpenAPIValidator: Validator } = loadPackage<{ OpenAPIValidator: typeof OpenAPIValidator }>('openapi-backend');
  return new Validator({ definition: router.definition, router, lazyCompileValidators: true, ...ajvFactory });
}

/** Returns a parameter with a schema. openapi-backend throws an error for a parameter that has none. */
function addSchema(parameter: unknown): unknown {
  return isNode(parameter) && !('schema' in parameter || 'content' in parameter)
    ? { ...parameter, schema: {} }
    : parameter;
}

/** Returns the paths and parameters of a document, without references. The bodies are left out, because openapi-backend does not validate them. */
function createDefinition(document: Document): Document {
  const paths = new Map<string, Record<string, unknown>>();
  const dereference = createDereferencer(document);
  for (const { path, method, operationId, parameters } of getRoutes(document)) {
    const nodes = parameters.map(({ pointer }) => addSchema(dereference(getNode(document, pointer))));
    const operation = { operationId, responses: {}, parameters: nodes };
    paths.set(toRouterPath(path), { ...paths.get(toRouterPath(path)), [method.toLowerCase()]: operation });
  }
  return { openapi: document.openapi, info: document.info, paths: Object.fromEntries(paths) } as Document;
}

/**
 * Converts a `oneOf` of a parameter to an `anyOf`, because a text can match several alternatives: `5` is an integer and a string. Where an alternative is an
 * array, one entry matches too.
 */
function allowEachAlternative(node: Node): Node {
  const { oneOf, anyOf, ...rest } = node;
  const unions = [oneOf, anyOf].filter((union) => Array.isArray(union));
  const [first, second] = unions.map((union) => ({ anyOf: union.flatMap(addEntry) }));
  return second ? { ...rest, allOf: [...[rest.allOf ?? []].flat(), first, second] } : { ...rest, ...first };
}

function addEntry(alternative: unknown): readonly unknown[] {
  const { type, items, minItems = 0 } = toNode(alternative);
  return type === 'array' && isNode(items) && Number(minItems) < 2
    ? [alternative, structuredClone(items)]
    : [alternative];
}

/** Creates a function that returns a copy of a node in which each reference is replaced by its target. A recursive schema contains itself. */
function createDereferencer(document: Document): (node: unknown) => unknown {
  const targets = new Map<string, unknown>();
  const dereference = (node: unknown, isNames = false): unknown => {
    if (Array.isArray(node)) return node.map((entry) => dereference(entry));
    if (!isNode(node)) return node;
    if (isNames) return dereferenceEntries(node, true);
    if (typeof node.$ref !== 'string') return allowEachAlternative(dereferenceEntries(node, false));
    const { $ref, ...siblings } = node;
    const target = dereferenceTarget(parseReference(String($ref)));
    return Object.keys(siblings).length === 0 ? target : { ...dereferenceEntries(siblings, false), allOf: [target] };
  };
  const dereferenceEntries = (node: Node, isNames: boolean) =>
    Object.fromEntries(
      Object.entries(node).map(([key, value]) => {
        const kind = getKind(key, isNames);
        // A copy, because openapi-backend replaces an object or array that occurs twice by a reference.
        return [key, kind === 'value' ? structuredClone(value) : dereference(value, kind === 'names')];
      }),
    );
  const dereferenceTarget = (pointer: string): unknown => {
    const target = getNode(document, pointer);
    if (!isNode(target)) return target;
    if (targets.has(pointer)) return targets.get(pointer);
    const copy = {};
    targets.set(pointer, copy);
    return Object.assign(copy, dereference(target));
  };
  return dereference;
}
