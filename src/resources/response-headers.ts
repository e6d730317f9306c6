import type { Input } from '../application.ts';
import { findResponse } from '../openapi/responses.ts';
import type { Entry } from '../store/state.ts';
import { normalizeHeaderNames } from '../util/header-names.ts';
import { normalizeName } from '../util/normalize-name.ts';
import { getKeyValue } from './entries.ts';
import type { Page } from './list-query.ts';
import { formatLinks, getPageValues } from './page-fields.ts';
import type { Plan } from './resource.ts';
import type { ResourceModel } from './resource-model.ts';

/** What the headers of a response describe: a page of a list, or an entry. */
interface HeaderInput {
  readonly status: number;
  readonly input: Input;
  readonly page?: Page;
  readonly entry?: Entry | undefined;
}

/** Returns the headers that the contract documents for the response, and whose values are known: `Location`, `Link`, totals and times. */
export function createHeaders(
  model: ResourceModel,
  plan: Plan,
  described: HeaderInput,
): Readonly<Record<string, string>> {
  const headers = findResponse(plan.route.responses, described.status)?.headers ?? [];
  const entries = headers.flatMap(({ name, schema, isRequired }) => {
    const candidates = listCandidates(plan, name, described);
    const value = candidates.find((candidate) => schema === undefined || model.contract.isValid(schema, candidate));
    if (value !== undefined) return [[name, String(value)]];
    if (!isRequired || schema === undefined) return [];
    const generated = model.generate(schema, name.length);
    return generated === undefined ? [] : [[name, String(generated)]];
  });
  // Without a property for the id, only `Location` tells the client the id.
  const isHidden =
    plan.action === 'create' && plan.resource.id.property === undefined && plan.resource.kind === 'collection';
  const location =
    isHidden && described.entry ? formatLocation(plan, described.input.path, described.entry) : undefined;
  return normalizeHeaderNames({
    ...(location === undefined ? {} : { Location: location }),
    ...Object.fromEntries(entries),
  });
}

function listCandidates(plan: Plan, name: string, { input, page, entry }: HeaderInput): readonly unknown[] {
  const own = normalizeName(name);
  if (own === 'location' && entry) {
    const location = formatLocation(plan, input.path, entry);
    return location === undefined ? [] : [location, `http://${input.headers.host}${location}`];
  }
  if (!page) return [];
  if (own === 'link')
    return [formatLinks(page, fillPath(plan.route.path, input.path), input.query) ?? undefined].filter(Boolean);
  return getPageValues(name, page, plan.resource.name).filter((value) => value !== null);
}

/** Returns the path of an entry below the mount of a plan, else below another mount without parents. */
function formatLocation({ resource, mount }: Plan, path: Input['path'], entry: Entry): string | undefined {
  const own =
    mount.item !== undefined ? mount : resource.mounts.find(({ item, parents }) => item && parents.length === 0);
  const id = getKeyValue(entry, resource.id);
  if (own?.item === undefined || id === undefined) return undefined;
  return fillPath(own.item, { ...path, [own.id.parameter]: id });
}

function fillPath(template: string, path: Input['path']): string {
  return template.replaceAll(/\{([^}]*)\}/g, (_text, name: string) => encodeURIComponent(path[name] ?? ''));
}
