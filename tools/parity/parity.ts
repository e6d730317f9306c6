import { createStorefront, type Storefront } from '../../src/index.ts';
import { type Contract, loadContract } from '../../src/openapi/contract.ts';
import { isJsonType } from '../../src/openapi/media-types.ts';
import type { Route } from '../../src/openapi/routes.ts';
import { type Recipe, type RecipeRequest, recipes } from './recipes.ts';

/** The comparison of the shop and the mock for one documented response. */
export interface Row {
  readonly operationId: string;
  /** The name of the response. A range is followed by the status that represents it: `4XX (405)`. */
  readonly response: string;
  readonly isReal: boolean;
  readonly isMocked: boolean;
  /** The contract violations in both responses, and the differences between them. */
  readonly differences: readonly string[];
}

/** The response of one server. */
interface ServerResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** The status that represents a range. */
const IN_RANGE: Readonly<Record<string, number>> = { '4XX': 405, '5XX': 500 };

/** Compares the responses of the shop and the mock for every documented response of the contract in a file. */
export async function parity(contractFile: string): Promise<readonly Row[]> {
  const contract = await loadContract({ path: contractFile, strict: false });
  const broken = Object.fromEntries(contract.routes.map(({ operationId }) => [operationId, fail]));
  const [real, faulty, mock] = await Promise.all([
    createStorefront({ contract: contractFile, verify: 'off' }),
    createStorefront({ contract: contractFile, verify: 'off', handlers: broken, logTo: { write: () => {} } }),
    createStorefront({ contract: contractFile, verify: 'off', mock: true }),
  ]);
  const rows: Row[] = [];
  for (const route of contract.routes) {
    const recipe = recipes[route.operationId];
    for (const { name } of route.responses) {
      rows.push(await compare({ contract, route, name, recipe, real: name === '5XX' ? faulty : real, mock }));
    }
  }
  await Promise.all([real, faulty, mock].map((server) => server.close()));
  return rows;
}

function fail(): never {
  throw new Error('provoked');
}

interface Comparison {
  readonly contract: Contract;
  readonly route: Route;
  readonly name: string;
  readonly recipe: Recipe | undefined;
  readonly real: Storefront;
  readonly mock: Storefront;
}

async function compare({ contract, route, name, recipe, real, mock }: Comparison): Promise<Row> {
  const status = IN_RANGE[name] ?? Number(name);
  const response = IN_RANGE[name] === undefined ? name : `${name} (${status})`;
  const row = { operationId: route.operationId, response };
  const known = recipe?.responses[name];
  const request = known?.request ?? (recipe && getRangeRequest(name, recipe.validRequest));
  if (!recipe || !request)
    return {
      ...row,
      isReal: false,
      isMocked: false,
      differences: ['No request is known for this response: add it to tools/parity/recipes.ts'],
    };
  await send(real, { method: 'POST', path: '/api/reset' });
  for (const before of known?.before ?? []) await send(real, before);
  const realResponse = await send(real, request);
  const prefer = [`code=${status}`, ...(known?.example ? [`example=${known.example}`] : [])].join(', ');
  const mockResponse = await send(mock, { ...recipe.validRequest, headers: { Prefer: prefer } });
  const isReal = realResponse.status === status;
  const isMocked = mockResponse.status === status && mockResponse.headers.has('X-Mocked');
  const differences = [
    ...(isReal
      ? findViolations(contract, route, realResponse).map((message) => `real: ${message}`)
      : [`The real response has status ${realResponse.status}`]),
    ...(isMocked
      ? findViolations(contract, route, mockResponse).map((message) => `mock: ${message}`)
      : [`The mock response has status ${mockResponse.status}`]),
    ...(isReal && isMocked ? findDifferences(route, realResponse, mockResponse) : []),
    ...(name.startsWith('2') ? await compareDefaults(route, [recipe.validRequest, request], real, mock) : []),
  ];
  return { ...row, isReal, isMocked, differences };
}

/** Returns the differences between the success responses if the mock chooses its response, without `Prefer`. */
async function compareDefaults(
  route: Route,
  requests: readonly RecipeRequest[],
  real: Storefront,
  mock: Storefront,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const request of requests) {
    await send(real, { method: 'POST', path: '/api/reset' });
    found.push(
      ...findDifferences(route, await send(real, request), await send(mock, request)).map(
        (message) => `${request.path}: ${message}`,
      ),
    );
  }
  return found;
}

/** Returns a request that causes a response of a range: an unsupported method for 4XX; any request for 5XX, since the handlers throw. */
function getRangeRequest(name: string, good: RecipeRequest): RecipeRequest | undefined {
  if (name === '5XX') return good;
  return name === '4XX' ? { method: 'PATCH', path: good.path } : undefined;
}

async function send({ url }: Storefront, { method, path, body, headers = {} }: RecipeRequest): Promise<ServerResponse> {
  const response = await fetch(url + path, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = isJsonType(response.headers.get('content-type') ?? '');
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : isJson ? JSON.parse(text) : text,
  };
}

function findViolations(
  contract: Contract,
  route: Route,
  { status, headers, body }: ServerResponse,
): readonly string[] {
  const response = { status, headers: Object.fromEntries(headers), body };
  return contract.verifyResponse(route, response, { closed: true }).map(({ message }) => message);
}

function findDifferences({ responses }: Route, real: ServerResponse, mock: ServerResponse): readonly string[] {
  const names = [...new Set(responses.flatMap(({ headers }) => headers.map(({ name }) => name)))];
  const headers = names.filter((name) => real.headers.has(name) !== mock.headers.has(name));
  return [
    ...headers.map((name) => `Only the ${real.headers.has(name) ? 'real' : 'mock'} response has the header ${name}`),
    ...compareShapes(toShape(real.body), toShape(mock.body), 'body'),
  ];
}

/** The structure of a value: its type, the properties of an object, and the merged structure of all entries of a list. */
type Shape = {
  readonly type: string;
  readonly fields?: ReadonlyMap<string, Shape>;
  readonly entry?: Shape | undefined;
};

function toShape(value: unknown): Shape {
  if (Array.isArray(value))
    return { type: 'list', entry: value.map(toShape).reduce<Shape | undefined>(mergeShapes, undefined) };
  if (typeof value !== 'object' || value === null) return { type: value === null ? 'null' : typeof value };
  return { type: 'object', fields: new Map(Object.entries(value).map(([name, field]) => [name, toShape(field)])) };
}

function mergeShapes(one: Shape | undefined, other: Shape): Shape {
  if (!one?.fields || !other.fields) return one ?? other;
  const fields = new Map(one.fields);
  for (const [name, shape] of other.fields) fields.set(name, mergeShapes(fields.get(name), shape));
  return { type: 'object', fields };
}

function compareShapes(real: Shape, mock: Shape, place: string): readonly string[] {
  if (real.type !== mock.type)
    return [`${place} is ${real.type} in the real response, ${mock.type} in the mock response`];
  if (real.entry && mock.entry) return compareShapes(real.entry, mock.entry, `${place}[]`);
  const names = [...new Set([...(real.fields ?? new Map()).keys(), ...(mock.fields ?? new Map()).keys()])];
  return names.flatMap((name) => {
    const [one, other] = [real.fields?.get(name), mock.fields?.get(name)];
    if (one && other) return compareShapes(one, other, `${place}.${name}`);
    return [`Only the ${one ? 'real' : 'mock'} response has ${place}.${name}`];
  });
}

/** Formats the comparison as a table, followed by a line for each difference. */
export function formatTable(rows: readonly Row[]): string {
  const cells = [
    ['operation', 'response', 'real', 'mock', 'agree'],
    ...rows.map(({ operationId, response, isReal, isMocked, differences }) => [
      operationId,
      response,
      ...[isReal, isMocked, differences.length === 0].map((isPassed) => (isPassed ? 'yes' : 'NO')),
    ]),
  ];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  const lines = cells.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const differenceLines = rows.flatMap(({ operationId, response, differences }) =>
    differences.map((one) => `${operationId} ${response}: ${one}`),
  );
  return [...lines, ...(differenceLines.length > 0 ? ['', ...differenceLines] : [])].join('\n');
}
