import { createHash } from 'node:crypto';
import { DomainError, type Input } from '../../application.ts';
import type { Route } from '../../openapi/routes.ts';
import type { Entry, State } from '../../store/state.ts';
import { memoizeByObject } from '../../util/memoize-by-object.ts';
import type { Plan, Resource } from '../resource.ts';
import type { ResourceModel } from '../resource-model.ts';
import { removePathValues } from './entry-values.ts';

/** The number of hexadecimal digits of an `ETag`. */
const TAG_LENGTH = 16;

/**
 * Returns the `ETag` of an entry (RFC 9110, section 8.8.3). It is another one after each change of what clients see.
 * `entry`: the entry with the values that follow from other entries.
 */
export const createTag = memoizeByObject((entry: Entry): string => {
  const hash = createHash('sha256')
    .update(JSON.stringify(removePathValues(entry)))
    .digest('hex');
  return `"${hash.slice(0, TAG_LENGTH)}"`;
});

/**
 * Throws a `DomainError` if the header `If-Match` of a request does not have the `ETag` of the entry that it changes.
 * Also throws one if the header is missing and 428 is documented.
 * Does nothing if the contract does not have the header and 412 for the operation, or no `ETag` for reading the entry.
 */
export function requireVersion(
  model: ResourceModel,
  { route, resource, mount }: Plan,
  input: Input,
  { state, current }: { readonly state: State; readonly current: Entry },
): void {
  // The members of a parent are shown as entries of another resource.
  if (!isConditional(route) || resource.memberOf !== undefined || !hasTags(model)(resource)) return;
  const sent = input.headers['if-match'];
  if (sent === undefined) {
    if (!documents(route, '428')) return;
    throw new DomainError('version-missing', 'the header If-Match is missing: send the ETag of the last response');
  }
  const tags = [sent].flat().flatMap((text) => text.split(',').map((tag) => tag.trim()));
  const sender = model.derived.getSender(resource, state, input);
  const { shown: schema = resource.schema } = mount;
  const [shown = current] = model.derived.add(state, resource, [current], { sender, getNow: input.getNow, schema });
  if (tags.includes('*') || tags.includes(createTag(shown))) return;
  const detail = `the ${resource.singular} has changed: its ETag is ${createTag(shown)}. Read it again, and send this ETag in If-Match`;
  throw new DomainError('version-changed', detail);
}

const isConditional = memoizeByObject(
  (route: Route): boolean =>
    documents(route, '412') &&
    route.parameters.some((one) => one.in === 'header' && one.name.toLowerCase() === 'if-match'),
);

/** Returns whether the responses that read an entry have an `ETag`. */
const hasTags = memoizeByObject((model: ResourceModel) =>
  memoizeByObject((resource: Resource): boolean =>
    [...model.inference.plans.values()].some(
      ({ action, route, resource: own }) =>
        own === resource &&
        action === 'read' &&
        route.responses.some(({ headers }) => headers.some(({ name }) => name.toLowerCase() === 'etag')),
    ),
  ),
);

function documents({ responses }: Route, status: string): boolean {
  return responses.some(({ name }) => name === status);
}
