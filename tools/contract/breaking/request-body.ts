import type { Delta } from './change.ts';
import type { Compare } from './compared.ts';
import { contentChanges } from './content.ts';
import { type Operation, resolveNode } from './operation.ts';
import { requiredChange } from './parameters.ts';

const ROOT = 'the request';

/** Returns the changes of the request body of an operation. */
export function bodyChanges(before: Operation, after: Operation, compare: Compare): readonly Delta[] {
  const [old, now] = [before, after].map(({ document, node, pointer }) =>
    node.requestBody === undefined ? undefined : resolveNode(document, `${pointer}/requestBody`),
  );
  if (!old && !now) return [];
  if (!now) return [{ effect: 'removed', pointer: old?.pointer ?? '', message: 'the request body is removed' }];
  if (!old) {
    return now.node.required === true
      ? [{ effect: 'narrower', pointer: now.pointer, message: 'the request body is new and required' }]
      : [{ effect: 'added', pointer: now.pointer, message: 'the request body is new' }];
  }
  const sides = { old: before.document, now: after.document, root: ROOT, direction: 'request', compare } as const;
  return [
    ...requiredChange(old.node, now.node, 'the request body', now.pointer),
    ...contentChanges(sides, `${old.pointer}/content`, `${now.pointer}/content`),
  ];
}
