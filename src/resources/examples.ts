import type { ExampleRequest } from '../application-views.ts';
import { createGenerator } from '../mock/generate.ts';
import { getNode } from '../openapi/document.ts';
import { isJsonType } from '../openapi/media-types.ts';
import type { Route } from '../openapi/routes.ts';
import type { State } from '../store/state.ts';
import { toSeed } from '../util/random.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { getRequiredQuery } from './document-paths.ts';
import { getKeyValue } from './entries.ts';
import { addArticle } from './names.ts';
import type { Action, Plan, Resource } from './resource.ts';
import type { ResourceModel } from './resource-model.ts';

/** The maximum number of attempts to generate a valid request body. The second half of the attempts omits optional properties. */
const MAX_ATTEMPTS = 10;

/**
 * Creates up to three example requests for one resource: list its entries, create an entry, and read an entry. Omits a request if no valid example is found.
 */
export function createExamples(model: ResourceModel, state: State): readonly ExampleRequest[] {
  const simple = [...model.inference.plans.values()].filter(
    ({ mount, route }) => mount.parents.length === 0 && getRequiredQuery(route).length === 0,
  );
  const resource = chooseResource(simple);
  const find = (action: Action) => simple.find((plan) => plan.resource === resource && plan.action === action);
  const [list, create, read] = [find('list'), find('create'), find('read')];
  return [
    ...(list ? [{ title: `List ${list.resource.name}`, method: list.route.method, path: list.route.path }] : []),
    ...(create ? createCreation(model, create) : []),
    ...(read ? createReading(read, state) : []),
  ];
}

/** Returns the resource with the most operations that list, create or read entries. */
function chooseResource(plans: readonly Plan[]): Resource | undefined {
  const counts = new Map<Resource, number>();
  for (const { action, resource } of plans)
    if (EXAMPLE_ACTIONS.includes(action)) counts.set(resource, (counts.get(resource) ?? 0) + 1);
  const highest = Math.max(...counts.values());
  return [...counts].find(([, count]) => count === highest)?.[0];
}

/** The actions of the example requests. */
const EXAMPLE_ACTIONS: readonly Action[] = ['list', 'create', 'read'];

function createCreation(model: ResourceModel, { route, resource }: Plan): readonly ExampleRequest[] {
  const body = findBody(model, route);
  const { method, path } = route;
  return body === undefined ? [] : [{ title: `Create ${addArticle(resource.singular)}`, method, path, body }];
}

/**
 * Creates an example request that reads the first entry, such as `GET /pets/1`. Returns an empty array if there is no entry, or if the path has several
 * parameters.
 */
function createReading({ route, resource, mount }: Plan, state: State): readonly ExampleRequest[] {
  const [entry] = state[resource.name] ?? [];
  const id = entry && getKeyValue(entry, mount.id);
  const { method, pathNames } = route;
  if (id === undefined || pathNames.length !== 1) return [];
  const path = route.path.replace(`{${mount.id.parameter}}`, encodeURIComponent(id));
  return [{ title: `Get ${addArticle(resource.singular)}`, method, path }];
}

/** Returns a valid JSON request body for an operation: an example from the document, or else a generated body. Returns undefined if no valid body is found. */
function findBody({ contract }: ResourceModel, route: Route): unknown {
  const [type, media] = Object.entries(route.bodyMedia).find(([name]) => isJsonType(name)) ?? [];
  if (type === undefined || !media) return undefined;
  const isValid = (body: unknown) => {
    const request = { path: route.path, query: {}, headers: {}, body, contentType: type };
    return contract.validateRequest(route, request).kind === 'call';
  };
  const example = media.examples.find(({ value }) => isValid(value));
  if (example) return example.value;
  const { schema } = media;
  if (schema === undefined) return undefined;
  const generate = createGenerator(contract.normalized, 'readOnly');
  const node = getNode(contract.normalized, schema);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const seed = toSeed(`${route.operationId} ${attempt}`);
    const omitsOptional = attempt >= MAX_ATTEMPTS / 2;
    const body = tryOrUndefined(() => generate(node, { seed, query: {}, usesExamples: true, omitsOptional }));
    if (body !== undefined && isValid(body)) return body;
  }
  return undefined;
}
