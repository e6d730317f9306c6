import type { Document } from '../../src/openapi/document.ts';
import { type Change, toChange } from './breaking/change.ts';
import type { Compare } from './breaking/compared.ts';
import { getOperations, type Operation } from './breaking/operation.ts';
import { parameterChanges } from './breaking/parameters.ts';
import { bodyChanges } from './breaking/request-body.ts';
import { responseChanges } from './breaking/responses.ts';
import { schemaComparison } from './breaking/schema-changes.ts';
import { securityChanges } from './breaking/security.ts';
import { serverChanges } from './breaking/servers.ts';

export type { Change } from './breaking/change.ts';

/**
 * Returns the changes between two versions of an OpenAPI document (3.0 or 3.1) that concern clients, in the order of the newer document. Ignores descriptions,
 * names of path parameters and order, as well as `callbacks`, `webhooks` and `links`. Some keywords can't be compared, such as `pattern` and rare keywords of
 * JSON Schema 2020-12. A change of such a keyword counts as breaking.
 */
export function changesBetween(before: Document, after: Document): readonly Change[] {
  const compare = schemaComparison(before, after);
  const [old, now] = [before, after].map((document) => new Map(getOperations(document).map((one) => [one.key, one])));
  if (!old || !now) return [];
  return removeDuplicates([
    ...serverChanges(before, after),
    ...[...old.values()].filter(({ key }) => !now.has(key)).map(removed),
    ...[...now.values()].flatMap((operation) => {
      const earlier = old.get(operation.key);
      return earlier ? operationChanges(earlier, operation, compare) : [added(operation)];
    }),
  ]);
}

function operationChanges(before: Operation, after: Operation, compare: Compare): readonly Change[] {
  const asked = [
    ...parameterChanges(before, after, compare),
    ...bodyChanges(before, after, compare),
    ...securityChanges(before, after),
  ];
  return [
    ...ownChanges(before, after),
    ...asked.map((delta) => toChange(delta, 'request', after.name)),
    ...responseChanges(before, after, compare).map((delta) => toChange(delta, 'response', after.name)),
  ];
}

function removed({ name, pointer }: Operation): Change {
  const message = `${name} is removed: requests to it are rejected`;
  return { isBreaking: true, direction: 'both', pointer, operation: name, message };
}

function added({ name, pointer }: Operation): Change {
  return {
    isBreaking: false,
    direction: 'both',
    pointer,
    operation: name,
    message: `${name} is new: no client calls it yet`,
  };
}

/**
 * Returns the changes of `operationId` and `deprecated`. They are not breaking: an operationId is only a name in generated clients, and clients do not send it.
 */
function ownChanges(before: Operation, after: Operation): readonly Change[] {
  const { name, pointer } = after;
  const note = (key: string, words: string): Change => {
    return {
      isBreaking: false,
      direction: 'both',
      pointer: `${pointer}/${key}`,
      operation: name,
      message: `${name} ${words}`,
    };
  };
  const { operationId: oldId } = before.node;
  const { operationId: newId } = after.node;
  const [wasDeprecated, isDeprecated] = [before, after].map(({ node }) => node.deprecated === true);
  return [
    ...(typeof oldId === 'string' && oldId !== newId
      ? [
          note(
            'operationId',
            `has the operationId ${newId} instead of ${oldId}: names in generated clients change, requests do not`,
          ),
        ]
      : []),
    ...(isDeprecated && !wasDeprecated ? [note('deprecated', 'is deprecated: it works as before')] : []),
    ...(wasDeprecated && !isDeprecated ? [note('deprecated', 'is no longer deprecated: it works as before')] : []),
  ];
}

function removeDuplicates(changes: readonly Change[]): readonly Change[] {
  return [
    ...new Map(changes.map((change) => [`${change.direction} ${change.pointer} ${change.message}`, change])).values(),
  ];
}
