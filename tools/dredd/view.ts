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

/**
 * A header that no server sends. The view documents this header for each response, and the hooks remove it from the expected headers. If the hooks are missing,
 * every transaction fails.
 */
const HOOKS_HEADER = 'X-Dredd-Hooks-Missing';

/** The requests that cause a response, and the expected response. The extension `x-expectation` in the view contains it for the hooks. */
export interface Expectation {
  /** The operationId; undefined if the path does not support the method. */
  readonly operationId?: string;
  /** The requests to send before `request`, after a reset. */
  readonly before: readonly RecipeRequest[];
  /** The request that causes the response; undefined if none is known. */
  readonly request: RecipeRequest | undefined;
  /** The content type; undefined if the response has no body. */
  readonly type: string | undefined;
  readonly schema: unknown;
  /** The required headers. */
  readonly headers: readonly string[];
  /** The methods that `Allow` must list. */
  readonly allow?: readonly string[];
}

/** The requests that cause each documented response, by operationId. */
type Recipes = Readonly<Record<string, Recipe>>;

/** The methods from which the unsupported method of a path is taken: the first method that the path does not document. */
const OTHER_METHODS = ['patch', 'put', 'delete', 'post', 'get'] as const;

/** The number formats of OpenAPI. JSON Schema does not define these formats, and dredd's validator throws an error for them. */
const NUMBER_FORMATS: ReadonlySet<unknown> = new Set(['int32', 'int64', 'float', 'double']);

/**
 * Creates the view: the version of the contract that dredd reads. The view has no references, and has all documented statuses except ranges. Each status has
 * its schema and the request that causes the response. Each path also has one unsupported method.
 */
export function createDreddView(document: Document, recipes: Recipes = shopRecipes): Document {
  const plain = closeSchemas(normalizeSchemas(document).document);
  const routes = getRoutes(plain);
  const { title, version } = document.info;
  const view = {
    // Dredd reads only OpenAPI 3.0. Features of later versions are in the extensions, which only the hooks read.
    openapi: '3.0.3',
    info: { title, version },
    paths: Object.fromEntries(
      [...new Set(routes.map(({ path }) => path))].map((path) => [path, createPathItem(plain, routes, path, recipes)]),
    ),
    'x-known-ids': getExampleIds(routes),
  };
  return view as unknown as Document;
}

function createPathItem(plain: Document, routes: readonly Route[], path: string, recipes: Recipes): Node {
  const own = routes.filter((route) => route.path === path);
  const operations = own.map((route) => {
    const documented = route.responses.filter(({ name }) => /^\d+$/.test(name));
    const responses = documented.map((one) => [
      one.name,
      createResponseView(plain, route, one, recipes[route.operationId]),
    ]);
    return [
      route.method.toLowerCase(),
      { summary: `${route.method} ${path}`, responses: Object.fromEntries(responses) },
    ] as const;
  });
  return {
    parameters: createPathParameters(own[0]),
    ...Object.fromEntries(operations),
    ...createUnsupportedOperation(plain, own, recipes),
  };
}

/** Returns the parameters of a path. Dredd requires an example of each parameter. The hooks replace the examples. */
function createPathParameters(route: Route | undefined): readonly Node[] {
  return (route?.pathNames ?? []).map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
    example: 'x',
  }));
}

function createResponseView(
  plain: Document,
  route: Route,
  response: DocumentedResponse,
  recipe: Recipe | undefined,
): Node {
  const recipeResponse = recipe?.responses[response.name];
  return createResponse(plain, response, recipeResponse?.example, {
    operationId: route.operationId,
    before: recipeResponse?.before ?? [],
    request: recipeResponse && pairWithExample(plain, route, recipeResponse.example, recipeResponse.request),
    headers: response.headers.filter(({ isRequired }) => isRequired).map(({ name }) => name),
  });
}

/**
 * Creates a response in the version of the contract that dredd reads. It contains a content type and an example. The schema is in `x-expectation`, which only
 * the hooks read, because dredd ignores many keywords and warns about them.
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
  const example = body && (findByName(body.examples, exampleName) ?? body.examples[0]);
  return {
    description: name,
    headers: { [HOOKS_HEADER]: {} },
    ...(type === undefined ? {} : { content: { [type]: example ? { example: example.value } : {} } }),
    'x-expectation': expectation,
  };
}

/** Creates an operation with an unsupported method, whose only response is the documented 405. */
function createUnsupportedOperation(plain: Document, own: readonly Route[], recipes: Recipes): Node {
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

/** Replaces the body or the query of a request with the request example that has the same name as the response example. */
function pairWithExample(
  plain: Document,
  route: Route,
  name: string | undefined,
  request: RecipeRequest,
): RecipeRequest {
  const bodies = Object.keys(route.bodyMedia).flatMap((type) => {
    const pointer = `${resolvePointer(plain, `${route.pointer}/requestBody`)}/content${formatPointer(type)}`;
    return [...getExamples(plain, pointer), ...getRefusedExamples(getNode(plain, pointer))];
  });
  const body = findByName(bodies, name);
  const query = route.parameters
    .filter((parameter) => parameter.in === 'query')
    .flatMap((parameter) => {
      const example = findByName(parameter.examples, name);
      return example ? [`${encodeURIComponent(parameter.name)}=${encodeURIComponent(String(example.value))}`] : [];
    });
  return {
    ...request,
    ...(body ? { body: body.value } : {}),
    ...(query.length > 0 ? { path: `${request.path.split('?')[0]}?${query.join('&')}` } : {}),
  };
}

function getRefusedExamples(media: unknown): readonly Example[] {
  const refused = isNode(media) && isNode(media['x-refused-examples']) ? media['x-refused-examples'] : {};
  return Object.entries(refused).flatMap(([name, one]) => (isNode(one) ? [{ name, value: one.value }] : []));
}

function findByName(examples: readonly Example[], name: string | undefined): Example | undefined {
  return name === undefined ? undefined : examples.find((example) => example.name === name);
}

/** Returns the ids in the examples by type of resource. If the server has other data, the hooks replace these ids with the ids of the server. */
function getExampleIds(routes: readonly Route[]): Node {
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

/** Returns a schema with its references replaced by their targets. A recursive reference becomes a schema that allows any value. */
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
