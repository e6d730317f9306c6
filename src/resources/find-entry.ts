import { DomainError, type Input } from '../application.ts';
import type { Entry, State } from '../store/state.ts';
import { getEntries } from './change-entries.ts';
import { findIndex, hasParents } from './entries.ts';
import type { Plan } from './resource.ts';
import type { ResourceModel } from './resource-model.ts';

/** Returns the entry at a path; undefined if there is none. */
export function findEntry({ resource, mount }: Plan, state: State, path: Input['path']): Entry | undefined {
  const entries = getEntries(state, resource);
  return entries[findIndex(entries, resource, mount, path)];
}

/** Throws a `DomainError` if a parent in the path does not exist. Parents that are no resources always exist. */
export function requireParents(
  model: ResourceModel,
  state: State,
  { mount }: Pick<Plan, 'mount'>,
  path: Input['path'],
): void {
  for (const { parameter, resource, own, parameters } of model.findParents(mount)) {
    const names = [...own.parents.map((parent) => parent.parameter), own.id.parameter];
    const parentPath = Object.fromEntries(names.map((name, index) => [name, path[parameters[index] ?? ''] ?? '']));
    const entries = getEntries(state, resource);
    const isEmpty = () => !entries.some((entry) => hasParents(entry, own, parentPath));
    // Nothing creates such a parent, so any value stands for one.
    if (findIndex(entries, resource, own, parentPath) !== -1 || (!resource.canCreate && isEmpty())) continue;
    throw new DomainError(
      'entry-not-found',
      `no ${resource.singular} has the ${own.id.property ?? own.id.parameter} ${path[parameter]}`,
    );
  }
}

/** Creates the error for a path without an entry. */
export function createNotFound({ resource }: Plan, path: Input['path']): DomainError {
  const { singular, kind, id } = resource;
  const detail =
    kind === 'singleton'
      ? `there is no ${singular}: create it first`
      : `no ${singular} has the ${id.property ?? id.parameter} ${path[id.parameter]}`;
  return new DomainError('entry-not-found', detail);
}
