import { closeSchemas } from '../../src/openapi/close-schemas.ts';
import {
  type Document,
  getNode,
  isNode,
  type Node,
  parseReference,
  resolvePointer,
} from '../../src/openapi/document.ts';
import { normalizeSchemas } from '../../src/openapi/normalize-schemas.ts';
import { type DocumentedResponse, type Example, findResponse, getExamples } from '../../src/openapi/responses.ts';
import { getRoutes, type Route } from '../../src/openapi/routes.ts';
import { formatPointer } from '../../src/util/json-pointer.ts';
import { type Recipe, type RecipeRequest, recipes as shopRecipes } from '../parity/recipes.ts';

/** A header that no server sends. Dredd expects it in every response unless the hooks remove it, so nothing passes without them. */
const HOOKS_HEADER = 'X-Asked-For-Until-The-Hooks-Run';

/** How to provoke a response, and what it must contain. The hooks read it from `x-expectation` of the response in the view. */
export interface Expectation {
  /** Undefined if the path does not support the method. */
  readonly operationId?: string;
  /** The requests to send first, after a reset. */
  readonly before: readonly RecipeRequest[];
  /** The request that provokes the response; undefined if none is known. */
  readonly request: RecipeRequest | undefined;
  /** The content type; undefined without a body. */
  readonly type: string | undefined;
  readonly schema: unknown;
  /** The required headers. */
  readonly headers: readonly string[];
  /** The methods that `Allow` must list. */
  readonly allow?: readonly string[];
}

/** How to provoke each documented response, by operationId. */
type Recipes = Readonly<Record<string, Recipe>>;

/** The methods to try on a path: the first one that it does not support. */
const OTHER_METHODS = ['patch', 'put', 'delete', 'post', 'get'] as const;

/** Formats of OpenAPI that JSON Schema does not define: dredd's validator throws for them. */
const NUMBER_FORMATS: ReadonlySet<unknown> = new Set(['int32', 'int64', 'float', 'double']);

/**
 * Returns the view of a document for dredd: without references, with each documented status that is not a range, the request that provokes it and its
 * schema, and with one unsupported method for each path.
 */
export function dreddView(document: Document, recipes: Recipes = shopRecipes): Document {
  const plain = closeSchemas(normalizeSchemas(document).document);
  const routes = getRoutes(plain);
  const { title, version } = document.info;
  const view = {
    // Features of newer versions are in the extensions, which only the hooks read.
    openapi: '3.0.3',
    info: { title, version },
    paths: Object.fromEntries(
      [...new Set(routes.map(({ path }) => path))].map((path) => [path, pathItem(plain, routes, path, recipes)]),
    ),
    'x-known-ids': knownIds(routes),
  };
  return view as unknown as Document;
}

function pathItem(plain: Document, routes: readonly Route[], path: string, recipes: Recipes): Node {
  const own = routes.filter((route) => route.path === path);
  const operations = own.map((route) => {
    const documented = route.responses.filter(({ name }) => /^\d+$/.test(name));
    const responses = documented.map((one) => [one.name, responseView(plain, route, one, recipes[route.operationId])]);
    return [
      route.method.toLowerCase(),
      { summary: `${route.method} ${path}`, responses: Object.fromEntries(responses) },
    ] as const;
  });
  return {
    parameters: pathParameters(own[0]),
    ...Object.fromEntries(operations),
    ...otherMethod(plain, own, recipes),
  };
}

/** Returns the parameters of a path; dredd needs an example of each, which the hooks replace. */
function pathParameters(route: Route | undefined): readonly Node[] {
  return (route?.pathNames ?? []).map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
    example: 'x',
  }));
}

function responseView(plain: Document, route: Route, response: DocumentedResponse, recipe: Recipe | undefined): Node {
  const recipeResponse = recipe?.responses[response.name];
  return createResponse(plain, response, recipeResponse?.example, {
    operationId: route.operationId,
    before: recipeResponse?.before ?? [],
    request: recipeResponse && pairWithExample(plain, route, recipeResponse.example, recipeResponse.request),
    headers: response.headers.filter(({ isRequired }) => isRequired).map(({ name }) => name),
  });
}

/**
 * Returns a response for dredd, which needs only a content type and an example for a transaction. It warns of many keywords of a schema and does not
 * validate with them, so the schema is in the expectation, and the hooks set it.
 */
function createResponse(
  plain: Document,
  { media, name }: DocumentedResponse,
  exampleName: string | undefined,
  how: Omit<Expectation, 'type' | 'schema'>,
): Node {
  const [entry] = Object.entries(media);
  const [type, body] = entry ?? [];
  const expectation: Expectation = {
    ...how,
    type,
    schema: body?.schema && inlineSchema(plain, getNode(plain, body.schema)),
  };
  const example = body && (named(body.examples, exampleName) ?? body.examples[0]);
  return {
    description: name,
    headers: { [HOOKS_HEADER]: {} },
    ...(type === undefined ? {} : { content: { [type]: example ? { example: example.value } : {} } }),
    'x-expectation': expectation,
  };
}

/** Returns an operation with a method that the path does not support; its only response is the documented 405. */
function otherMethod(plain: Document, own: readonly Route[], recipes: Recipes): Node {
  const [route] = own;
  const allow = own.map((one) => one.method);
  const method = OTHER_METHODS.find((candidate) => !allow.includes(candidate.toUpperCase()));
  const refusal = route && findResponse(route.responses, 405);
  if (!route || method === undefined || !refusal) return {};
  const good = recipes[route.operationId]?.validRequest;
  const response = createResponse(plain, { ...refusal, name: '405' }, 'methodNotAllowed', {
    before: [],
    request: good && { method: method.toUpperCase(), path: good.path },
    headers: ['Allow'],
    allow,
  });
  return { [method]: { summary: `${method.toUpperCase()} ${route.path}`, responses: { 405: response } } };
}

/** Returns a request with the example that has the name of the response's example: of the body, or of a query parameter. */
function pairWithExample(
  plain: Document,
  route: Route,
  name: string | undefined,
  request: RecipeRequest,
): RecipeRequest {
  const bodies = Object.keys(route.bodyMedia).flatMap((type) => {
    const pointer = `${resolvePointer(plain, `${route.pointer}/requestBody`)}/content${formatPointer(type)}`;
    return [...getExamples(plain, pointer), ...refusedExamples(getNode(plain, pointer))];
  });
  const body = named(bodies, name);
  const query = route.parameters
    .filter((parameter) => parameter.in === 'query')
    .flatMap((parameter) => {
      const example = named(parameter.examples, name);
      return example ? [`${encodeURIComponent(parameter.name)}=${encodeURIComponent(String(example.value))}`] : [];
    });
  return {
    ...request,
    ...(body ? { body: body.value } : {}),
    ...(query.length > 0 ? { path: `${request.path.split('?')[0]}?${query.join('&')}` } : {}),
  };
}

function refusedExamples(media: unknown): readonly Example[] {
  const refused = isNode(media) && isNode(media['x-refused-examples']) ? media['x-refused-examples'] : {};
  return Object.entries(refused).flatMap(([name, one]) => (isNode(one) ? [{ name, value: one.value }] : []));
}

function named(examples: readonly Example[], name: string | undefined): Example | undefined {
  return name === undefined ? undefined : examples.find((example) => example.name === name);
}

/** Returns the ids in the examples by their kind; the hooks replace them by the ids of a server with other data. */
function knownIds(routes: readonly Route[]): Node {
  const idsIn = (operationId: string, key: string) => {
    const success = routes
      .find((route) => route.operationId === operationId)
      ?.responses.find(({ name }) => name === '200');
    const examples = Object.values(success?.media ?? {}).flatMap((media) => media.examples);
    const entries = examples.flatMap(({ value }) => (Array.isArray(value) ? value : []));
    return [...new Set(entries.flatMap((entry) => (isNode(entry) ? [entry[key]] : [])))];
  };
  const cart = idsIn('listCartItems', 'productId');
  return {
    cart,
    others: idsIn('listProducts', 'id').filter((id) => !cart.includes(id)),
    orders: idsIn('listOrders', 'id').slice(0, 1),
    options: idsIn('listDeliveryOptions', 'id'),
  };
}

/** Returns a schema with its references inlined. A recursive reference allows any value. */
function inlineSchema(plain: Document, node: unknown, above: readonly string[] = []): unknown {
  if (Array.isArray(node)) return node.map((entry) => inlineSchema(plain, entry, above));
  if (!isNode(node)) return node;
  if (typeof node.$ref === 'string') {
    const pointer = resolvePointer(plain, parseReference(node.$ref));
    return above.includes(pointer) ? {} : inlineSchema(plain, getNode(plain, pointer), [...above, pointer]);
  }
  const entries = Object.entries(node).filter(([key, value]) => !(key === 'format' && NUMBER_FORMATS.has(value)));
  return Object.fromEntries(
    entries.filter(([key]) => !key.startsWith('x-')).map(([key, value]) => [key, inlineSchema(plain, value, above)]),
  );
}
