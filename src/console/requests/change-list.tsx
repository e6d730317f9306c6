import type { EntryChange } from '../model/compare-states.ts';
import { compareValues } from '../model/compare-states.ts';
import { findEntryName } from '../model/entry-fields.ts';
import { useConsole, useObservable } from '../ui/hooks.ts';

/** A list of changes of the state: added entries, removed entries, and changed values. */
export function ChangeList({ changes }: { readonly changes: readonly EntryChange[] }) {
  const { collections = [] } = useObservable(useConsole().server) ?? {};
  const keys = new Map(collections.map(({ name, key }) => [name, key]));
  return (
    <ul class="changes">
      {changes.map((change, index) => (
        <li key={index}>
          <ChangeItem change={change} entryKey={keys.get(change.collection)} />
        </li>
      ))}
    </ul>
  );
}

function ChangeItem(props: { readonly change: EntryChange; readonly entryKey: string | undefined }) {
  const { collection, before, after, position } = props.change;
  const name = findEntryName(after ?? before ?? {}, props.entryKey);
  const kind = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
  const differences = kind === 'changed' ? compareValues(before, after) : [];
  return (
    <>
      <p>
        <span class={`change-kind change-${kind}`}>{kind}</span> <code>{collection}</code>
        {name !== undefined && ` ${name}`}
        {name === undefined && position !== undefined && <span class="muted"> at {position}</span>}
      </p>
      {kind === 'changed' ? (
        <ul class="differences">
          {differences.map(({ pointer, before: old, after: now }) => (
            <li key={pointer}>
              <code>{pointer}</code> <del>{formatValue(old)}</del> → <ins>{formatValue(now)}</ins>
            </li>
          ))}
        </ul>
      ) : (
        <code class="entry-text">{JSON.stringify(after ?? before)}</code>
      )}
    </>
  );
}

function formatValue(value: unknown): string {
  return value === undefined ? 'none' : JSON.stringify(value);
}
