import type { EntryChange } from '../model/compare-states.ts';
import { formatQuantity } from '../model/format.ts';
import type { RequestRow } from '../model/request-row.ts';
import { useConsole } from '../ui/context.ts';
import { type Loaded, useLoaded, useObservable } from '../ui/hooks.ts';

/** The last change of the state of a sandbox. */
export interface StateChange {
  /** The request that made the change, or a text that describes a change in the console. */
  readonly source: RequestRow | string;
  readonly changes: readonly EntryChange[];
}

/** The maximum number of requests whose changes are loaded to find the last change. */
const MAX_LOOKUPS = 3;

/** Loads the last change of the state of a sandbox, by a request or by the user of the console. */
export function useLastChange(sandbox: string): Loaded<StateChange | undefined> {
  const { api, requests, ownChanges } = useConsole();
  return useLoaded(`change ${sandbox}`, async () => {
    const own = ownChanges.find(sandbox);
    const isLater = ({ id }: RequestRow) => own === undefined || id > own.newestId;
    let before = Number.POSITIVE_INFINITY;
    for (let lookup = 0; lookup < MAX_LOOKUPS; lookup++) {
      const row = requests.findNewest((one) => one.order < before && isLater(one) && mayHaveChanged(one));
      if (row === undefined) break;
      const { changes = [] } = await api
        .send('getRequest', { path: { id: sandbox, request: row.id } })
        .catch(() => ({ changes: undefined }));
      if (changes.length > 0) return { source: row, changes };
      before = row.order;
    }
    return own && { source: own.text, changes: [] };
  });
}

/** Returns whether a request may have changed the state, according to its method and its response. */
function mayHaveChanged({ method, decision, status = 0 }: RequestRow): boolean {
  const isWithoutHandler = ['refusal', 'mock', 'replay'].includes(decision?.source ?? '');
  return (
    !['GET', 'HEAD', 'OPTIONS'].includes(method) && !isWithoutHandler && (status < 400 || decision?.source === 'fault')
  );
}

/** Shows what changed the state last, and the number of changed entries. */
export function LastChange({ change }: { readonly change: StateChange | undefined }) {
  const { router } = useConsole();
  const { sandbox } = useObservable(router.route);
  if (change === undefined) return null;
  const { source, changes } = change;
  return (
    <p class="last-change">
      <span>
        Last change:{' '}
        {typeof source === 'string' ? (
          source
        ) : (
          <a href={router.link({ view: 'requests', sandbox, values: { request: String(source.id) } })}>
            {source.method} {source.path}
          </a>
        )}
      </span>
      <span class="muted">{describeChanges(changes)}</span>
    </p>
  );
}

/** Describes changes, such as `notes: 1 entry added, tags: 2 entries removed`. */
function describeChanges(changes: readonly EntryChange[]): string {
  const kinds = new Map<string, number>();
  for (const { collection, before, after } of changes) {
    const kind = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
    const name = `${collection} ${kind}`;
    kinds.set(name, (kinds.get(name) ?? 0) + 1);
  }
  return [...kinds]
    .map(([name, count]) => {
      const [collection = '', kind = ''] = name.split(/ (?=\w+$)/);
      return `${collection}: ${formatQuantity(count, 'entry')} ${kind}`;
    })
    .join(', ');
}
