import type { Input } from '../application.ts';
import { findResponse } from '../openapi/responses.ts';
import type { Entry } from '../store/state.ts';
import { formatHeader, HEADER_NAME, isServerHeader, normalizeHeaderNames } from '../util/headers.ts';
import { normalizeName } from '../util/names.ts';
import { formatLinks } from '../util/pages.ts';
import { fillPath } from '../util/request-target.ts';
import { getKeyValue } from './entries/entry-values.ts';
import { createTag } from './entries/versions.ts';
import type { ListPage } from './lists/list-query.ts';
import { getPageValues } from './lists/page-fields.ts';
import type { Plan } from './resource.ts';
import type { ResourceModel } from './resource-model.ts';

/** The values from which response headers are created. A response has a page of a list, or an entry. */
interface HeaderInput {
  readonly status: number;
  readonly input: Input;
  readonly page?: ListPage;
  readonly entry?: Entry | undefined;
}

/**
 * Creates the response headers that the contract documents.
 * Sets headers with known values, such as `Location`, `Link` and `X-Total-Count`, and generates the other required
 * headers.
 * Leaves out the headers that only the server sets.
 * Also sets `Location` for a created entry if the body can't show its id.
 */
export function createHeaders(
  model: ResourceModel,
  plan: Plan,
  described: HeaderInput,
): Readonly<Record<string, string>> {
  const headers = findResponse(plan.route.responses, described.status)?.headers ?? [];
  const entries = headers.flatMap(({ name, schema, isRequired, objectStyle }) => {
    if (isServerHeader(name) || !HEADER_NAME.test(name)) return [];
    const candidates = listCandidates(model, plan, { ...described, name });
    const value = candidates.find((candidate) => schema === undefined || model.contract.isValid(schema, candidate));
    if (value !== undefined) return [[name, String(value)]];
    if (!isRequired || schema === undefined) return [];
    const generated = model.generate(schema, name.length);
    return generated === undefined ? [] : [[name, formatHeader(generated, objectStyle)]];
  });
  // If the entry has no property for its id, the client gets the id only from `Location`.
  const isHidden =
    ['create', 'copy'].includes(plan.action) &&
    plan.resource.id.property === undefined &&
    plan.resource.kind === 'collection';
  const location =
    isHidden && described.entry
      ? formatLocation(model, plan, { path: described.input.path, entry: described.entry })
      : undefined;
  return normalizeHeaderNames({
    ...(location === undefined ? {} : { Location: location }),
    ...Object.fromEntries(entries),
  });
}

function listCandidates(
  model: ResourceModel,
  plan: Plan,
  { name, input, page, entry }: HeaderInput & { readonly name: string },
): readonly unknown[] {
  const own = normalizeName(name);
  if (own === 'location' && entry) {
    const location = formatLocation(model, plan, { path: input.path, entry });
    return location === undefined ? [] : [location, `http://${input.headers.host}${location}`];
  }
  if (own === 'etag' && entry && plan.resource.memberOf === undefined) return [createTag(entry)];
  if (!page) return [];
  if (own === 'link') {
    const request = { path: fillPath(plan.route, input.path), query: { ...input.query, ...input.credentials } };
    return [formatLinks(page, page.position, request)].filter(Boolean);
  }
  return getPageValues({ name, list: plan.resource.name }, page).filter((value) => value !== null);
}

/**
 * Returns the path of an entry, such as `/pets/7`; undefined if there is none.
 * Prefers the item path that belongs to the path of the operation, and otherwise uses an item path without parents.
 */
function formatLocation(
  { contract, inference }: ResourceModel,
  { resource, mount }: Plan,
  { path, entry }: { readonly path: Input['path']; readonly entry: Entry },
): string | undefined {
  const own =
    mount.item !== undefined ? mount : resource.mounts.find(({ item, parents }) => item && parents.length === 0);
  const id = getKeyValue(entry, resource.id);
  if (own?.item === undefined || id === undefined) return undefined;
  const plans = [...inference.plans.values()].filter(({ mount: { item } }) => item === own.item);
  const reads = plans.filter(({ action }) => action === 'read');
  const { route: read, idInQuery } = reads.find((plan) => plan.idInQuery === undefined) ?? reads[0] ?? {};
  if (read && idInQuery !== undefined) return `${fillPath(read, path)}?${new URLSearchParams({ [idInQuery]: id })}`;
  const route = read ?? contract.routes.find((one) => one.path === own.item) ?? { path: own.item, parameters: [] };
  return fillPath(route, { ...path, [own.id.parameter]: id });
}
