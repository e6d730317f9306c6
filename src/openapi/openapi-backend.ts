import type { Ajv, Options, ValidateFunction } from 'ajv';
import type { Document, OpenAPIRouter, OpenAPIValidator, Operation, Request } from 'openapi-backend';
import { loadPackage } from '../util/load-package.ts';
import { ajvOptions, createAjv, extendAjv, hasInheritedName } from './ajv.ts';
import { getNode, isNode, type Node, parseReference, toNode } from './document.ts';
import {
  createPathMatcher,
  getRoutes,
  hasCombinedParameters,
  type PathMatcher,
  splitTemplate,
  toRouterPath,
} from './routes.ts';
import { getKind } from './walk-schemas.ts';

/** The functions of the package openapi-backend that route requests and validate parameters. */
interface Backend {
  /** Returns the operation that matches the method and the path of a request. */
  matchOperation(request: Request): Operation | undefined;
  /** Returns the validators of an operation's parameters. The validators are compiled on first use. */
  getParameterValidators(operationId: string): readonly ValidateFunction[];
}

/** The options with which openapi-backend creates the ajv instance that validates parameters. */
interface AjvFactory {
  readonly ajvOpts: Options;
  readonly customizeAjv: (ajv: Ajv, options: Options) => Ajv;
}

/**
 * Creates the router and the parameter validators of openapi-backend for a document.
 * The first call of a method loads openapi-backend.
 */
export function createBackend(document: Document, ajvFactory: AjvFactory = createAjvFactory(document)): Backend {
  let routing: ReturnType<typeof createRouter> | undefined;
  let validator: OpenAPIValidator | undefined;
  const getRouting = () => {
    routing ??= createRouter(document);
    return routing;
  };
  return {
    matchOperation: (request) => getRouting().matchOperation(request),
    getParameterValidators(operationId) {
      validator ??= createValidator(getRouting().router, ajvFactory);
      return validator.getRequestValidatorsForOperation(toBackendId(operationId)) ?? [];
    },
  };
}

function createAjvFactory(document: Document): AjvFactory {
  return {
    ajvOpts: { ...ajvOptions, ownProperties: hasInheritedName(document) },
    customizeAjv: (_, options) => extendAjv(createParameterAjv(document, options)),
  };
}

/**
 * Creates the ajv instance that validates parameters, without the option `coerceTypes` of openapi-backend.
 * With it, a text could match several alternatives of a `oneOf`, and `0x1` would be a number.
 * Instead, `readParameters` converts texts before the validation.
 */
export function createParameterAjv(document: Document, options: Options): Ajv {
  return createAjv(document, { ...options, coerceTypes: false });
}

/**
 * Creates the router of openapi-backend, with a faster `matchOperation`.
 * For each request, the original router calls its method `getOperations` twice, which processes the whole document.
 * So `getOperations` is replaced: it returns a stored list.
 * (A test checks that the router still calls `getOperations`.)
 * `matchOperation` reduces this list to the operations whose paths can match, because the router creates a regular
 * expression for each operation in the list.
 */
function createRouter(document: Document) {
  const { OpenAPIRouter: Router } = loadPackage<{ OpenAPIRouter: typeof OpenAPIRouter }>('openapi-backend/router.js');
  const router = new Router({ definition: createDefinition(document) });
  const operations = [...router.getOperations(), ...listOtherOperations(router.definition.paths ?? {})];
  const findCandidates = createCandidateFinder(operations);
  let searched = operations;
  router.getOperations = () => searched;
  const choose = (candidates: readonly Candidate[], request: Request) => {
    try {
      searched = candidates.map(({ operation }) => operation);
      const isCombined = searched.some(({ path }) => hasCombinedParameters(path));
      return isCombined ? chooseOperation(searched, request.method) : router.matchOperation(request);
    } finally {
      searched = operations;
    }
  };
  const known = new Map<string, Operation | undefined>();
  const matchOperation = (request: Request) => {
    const path = NORMAL_PATH.test(request.path)
      ? request.path
      : router.normalizePath(router.normalizeRequest(request).path);
    const candidates = findCandidates(path);
    // The router chooses between the same operations in the same way, unless a path is the text of a template.
    if (request.path.includes('{')) return choose(candidates, request);
    const key = `${request.method} ${candidates.map(({ index }) => index).join()}`;
    if (!known.has(key)) known.set(key, choose(candidates, request));
    return known.get(key);
  };
  return { router, matchOperation };
}

/** Returns the operations whose methods openapi-backend does not know, such as QUERY. */
function listOtherOperations(paths: NonNullable<Document['paths']>): readonly Operation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item ?? {})
      .filter(([method]) => !(KNOWN_METHODS as readonly string[]).includes(method))
      .map(([method, operation]) => ({ ...(operation as Operation), path, method })),
  );
}

/** The methods of the operations that the router of openapi-backend lists. */
const KNOWN_METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** Matches a path that openapi-backend does not change before it is compared. The functions that do so are slow. */
const NORMAL_PATH = /^\/(?!\/)[^?\s]*(?<!\/)$/;

/** An operation, and the parts of its path template that `createCandidateFinder` compares. */
interface Candidate {
  readonly operation: Operation;
  /** The position of the operation in the document. */
  readonly index: number;
  /** The segments of the path. A segment with parameters or escapes is undefined. */
  readonly segments: readonly (string | undefined)[];
  readonly match: PathMatcher;
}

/**
 * Creates a function that returns the operations whose path templates match a path.
 * The operations are indexed by the number of segments and by the first segment, because a document can have thousands
 * of paths.
 */
function createCandidateFinder(operations: readonly Operation[]): (path: string) => readonly Candidate[] {
  const byStart = new Map<string, Candidate[]>();
  for (const [index, operation] of operations.entries()) {
    const segments = splitTemplate(operation.path).map((segment) => (isFixed(segment) ? segment : undefined));
    const key = getStart(segments.length, segments[1]);
    const candidates = byStart.get(key) ?? [];
    candidates.push({ operation, index, segments, match: createPathMatcher(operation.path, removeEscapes) });
    byStart.set(key, candidates);
  }
  return (path) => {
    const sent = path.split('/');
    const matches = ({ segments, match }: Candidate) =>
      segments.every((segment, index) => segment === undefined || segment === sent[index]) && match(path) !== undefined;
    const found = (byStart.get(getStart(sent.length, sent[1])) ?? []).filter(matches);
    const others = byStart.get(getStart(sent.length, undefined));
    if (others) found.push(...others.filter(matches));
    return found.length > 1 ? found.toSorted((a, b) => a.index - b.index) : found;
  };
}

function getStart(segmentCount: number, first: string | undefined): string {
  return first === undefined ? String(segmentCount) : `${segmentCount} ${first}`;
}

/** Returns whether a segment of a path template has neither parameters nor escapes. */
function isFixed(segment: string): boolean {
  return /^[\w-]*$/.test(segment);
}

/** Converts a part of a regular expression to the text that it matches. `toRouterPath` has escaped this text. */
function removeEscapes(part: string): string {
  return part.replaceAll(/\\(.)/g, '$1');
}

/**
 * Returns the operation with a method and with the longest text outside the parameters of its path, as the router of
 * openapi-backend does.
 * It replaces the router for paths with several parameters in one segment, because the regular expressions of the
 * router take quadratic time for these.
 */
function chooseOperation(operations: readonly Operation[], method: string): Operation | undefined {
  const withMethod = operations.filter((operation) => operation.method === method.toLowerCase());
  const getTextLength = ({ path }: Operation) => path.replaceAll(/\{.*?\}/g, '').length;
  return withMethod.toSorted((a, b) => getTextLength(b) - getTextLength(a))[0];
}

function createValidator(router: OpenAPIRouter, ajvFactory: AjvFactory): OpenAPIValidator {
  const { OpenAPIValidator: Validator } = loadPackage<{ OpenAPIValidator: typeof OpenAPIValidator }>('openapi-backend');
  return new Validator({ definition: router.definition, router, lazyCompileValidators: true, ...ajvFactory });
}

/**
 * Returns an operationId with a space before it. openapi-backend looks up ids in an object.
 * Without the space, an id such as `constructor` would find an inherited property.
 */
function toBackendId(operationId: string): string {
  return ` ${operationId}`;
}

/**
 * Returns a parameter for openapi-backend.
 * Its schema stands in `schema`, because openapi-backend ignores the media types of `content` other than
 * `application/json`.
 * It stands inside `allOf`, because openapi-backend would use its `additionalProperties` for all parameters in the
 * query.
 */
function toBackendParameter(parameter: unknown): unknown {
  if (!isNode(parameter)) return parameter;
  const { content, schema, in: location, ...rest } = parameter;
  const [media] = Object.values(toNode(content));
  const own = content === undefined ? schema : toNode(media).schema;
  const place = location === 'querystring' ? 'query' : location;
  return { ...rest, in: place, schema: isNode(own) && 'additionalProperties' in own ? { allOf: [own] } : (own ?? {}) };
}

/**
 * Creates the document for openapi-backend.
 * It has the paths and parameters of the contract, with each reference replaced by its target.
 * Bodies are left out, because they are validated without openapi-backend.
 */
function createDefinition(document: Document): Document {
  const paths = new Map<string, Record<string, unknown>>();
  const dereference = createDereferencer(document);
  for (const { path, method, operationId, parameters } of getRoutes(document)) {
    const nodes = parameters.map(({ pointer }) => toBackendParameter(dereference(getNode(document, pointer))));
    const operation = { operationId: toBackendId(operationId), responses: {}, parameters: nodes };
    paths.set(toRouterPath(path), { ...paths.get(toRouterPath(path)), [method.toLowerCase()]: operation });
  }
  return { openapi: document.openapi, info: document.info, paths: Object.fromEntries(paths) } as Document;
}

/**
 * Creates a function that returns a copy of a node in which each reference is replaced by its target.
 * The copy of a recursive schema is a cyclic object.
 */
function createDereferencer(document: Document): (node: unknown) => unknown {
  const targets = new Map<string, unknown>();
  const dereference = (node: unknown, isNames = false): unknown => {
    if (Array.isArray(node)) return node.map((entry) => dereference(entry));
    if (!isNode(node)) return node;
    if (isNames) return dereferenceEntries(node, true);
    if (typeof node.$ref !== 'string') return dereferenceEntries(node, false);
    const { $ref, ...siblings } = node;
    const target = dereferenceTarget(parseReference(String($ref)));
    return Object.keys(siblings).length === 0 ? target : { ...dereferenceEntries(siblings, false), allOf: [target] };
  };
  const dereferenceEntries = (node: Node, isNames: boolean) =>
    Object.fromEntries(
      Object.entries(node).map(([key, value]) => {
        const kind = getKind(key, isNames);
        // A copy, because openapi-backend replaces an object or array that occurs twice with a reference.
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
