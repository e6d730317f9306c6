import type { EntryChange } from '../model/compare-states.ts';
import { getRowName } from '../model/entry-fields.ts';
import { formatCount, formatDateTime, formatMoney, shortenId } from '../model/format.ts';
import { useConsole, useObservable } from '../ui/hooks.ts';
import { type EditedEntry, type EntryPage, PAGE_SIZE } from './state-types.ts';

type Entry = EntryPage['entries'][number];
type Column = EntryPage['columns'][number];

/** A column of a table. `digits`: the minimum number of decimals of the numbers. */
type NumberColumn = Column & { readonly digits: number };

interface TableProps {
  readonly page: EntryPage;
  readonly offset: number;
  /** The property that identifies an entry, such as `id`. */
  readonly collectionKey: string | undefined;
  /** The changes that the last request made to this collection. */
  readonly changes: readonly EntryChange[];
  readonly onEdit: (edited: EditedEntry) => void;
}

/** A table with one page of the entries of a collection. */
export function EntryTable({ page, offset, collectionKey, changes, onEdit }: TableProps) {
  const { columns, entries, total } = page;
  const formats = columns.map((column, index) => ({ ...column, digits: countDigits(entries, index) }));
  const changed = new Map(changes.map((change) => [change.position, change]));
  return (
    <>
      <div class="table-scroll" tabIndex={0} role="group" aria-label="Entries">
        <table class="entries">
          <thead>
            <tr>
              {columns.map((column) => (
                <SortableHeader key={column.title} {...column} />
              ))}
              <th scope="col" class="entry-actions">
                <span class="visually-hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {entries.map((entry) => (
              <EntryRow
                key={entry.position}
                {...{ entry, collectionKey, onEdit }}
                columns={formats}
                change={changed.get(entry.position)}
              />
            ))}
          </tbody>
        </table>
        {entries.length === 0 && <p class="muted table-empty">No entries.</p>}
      </div>
      <footer class="table-footer">
        <Pages total={total} offset={offset} />
        <Summary summary={page.summary ?? []} />
      </footer>
    </>
  );
}

/** The header of a column. A click sorts by the column, another one in descending order, and a third one not at all. */
function SortableHeader({ title, format }: Column) {
  const { router } = useConsole();
  const { sort } = useObservable(router.route).values;
  const order = sort === title ? 'ascending' : sort === `-${title}` ? 'descending' : undefined;
  const next = { none: title, ascending: `-${title}`, descending: '' }[order ?? 'none'];
  return (
    <th scope="col" class={`format-${format}`} aria-sort={order}>
      <button type="button" class="sort" onClick={() => router.setValues({ sort: next, offset: '' })}>
        {title}
        <span aria-hidden="true">{{ none: '', ascending: ' ↑', descending: ' ↓' }[order ?? 'none']}</span>
      </button>
    </th>
  );
}

function EntryRow(props: {
  readonly entry: Entry;
  readonly columns: readonly NumberColumn[];
  readonly collectionKey: string | undefined;
  readonly change: EntryChange | undefined;
  readonly onEdit: (edited: EditedEntry) => void;
}) {
  const { entry, columns, collectionKey, change, onEdit } = props;
  const name = getRowName({ ...entry, columns }, collectionKey);
  const edit = () => onEdit({ position: entry.position, entry: entry.entry, name });
  const kind = change === undefined ? undefined : change.before === undefined ? 'added' : 'changed';
  return (
    <tr class={kind === undefined ? undefined : `row-${kind}`} onClick={edit}>
      {columns.map(({ title, format, digits, collection }, index) => (
        <td key={title} class={`format-${format}`}>
          <CellValue value={entry.cells[index]} {...{ format, digits, collection }} />
        </td>
      ))}
      <td class="entry-actions">
        <button
          type="button"
          class="quiet"
          aria-label={`Edit ${name}${kind === undefined ? '' : `, ${kind} by the last request`}`}
          onClick={(event) => {
            event.stopPropagation();
            edit();
          }}
        >
          Edit
        </button>
      </td>
    </tr>
  );
}

/** The content of a table cell, in the format of its column. */
function CellValue(props: {
  readonly value: unknown;
  readonly format: Column['format'];
  readonly digits: number;
  readonly collection: string | undefined;
}) {
  const { value, format, digits, collection } = props;
  if (value === null || value === undefined) return <span class="muted">–</span>;
  if (format === 'image') return <Picture address={String(value)} />;
  if (format === 'id') return <Id id={String(value)} collection={collection} />;
  const text = formatCell(value, format, digits);
  return (
    <span class="cell-text" title={text.length > 40 ? text : undefined}>
      {text}
    </span>
  );
}

/** A short id. The id of an entry of another collection is a link to this entry. */
function Id({ id, collection }: { readonly id: string; readonly collection: string | undefined }) {
  const { router } = useConsole();
  const { sandbox } = useObservable(router.route);
  const short = shortenId(id);
  const title = short === id ? undefined : id;
  if (collection === undefined) return <code title={title}>{short}</code>;
  return (
    <a
      href={router.link({ view: 'state', sandbox, values: { collection, key: id } })}
      title={title}
      onClick={(event) => event.stopPropagation()}
    >
      <code>{short}</code>
    </a>
  );
}

function formatCell(value: unknown, format: Column['format'], digits = 0): string {
  if (format === 'money') return formatMoney(Number(value));
  if (format === 'time') return formatDateTime(String(value));
  if (format === 'number' && typeof value === 'number') return formatNumber(value, digits);
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function formatNumber(value: number, digits: number): string {
  const options = { minimumFractionDigits: digits, maximumFractionDigits: Math.max(digits, 6) };
  // Years and ids are easier to read without thousands separators.
  return value.toLocaleString(undefined, { ...options, useGrouping: Math.abs(value) >= 100_000 });
}

/** The maximum number of decimals to which the numbers of a column are padded with zeros. */
const MAX_DIGITS = 3;

/** Returns the highest number of decimals in a column, at most `MAX_DIGITS`. */
function countDigits(entries: readonly Entry[], index: number): number {
  const counts = entries.map(({ cells }) => /\.(\d+)$/.exec(String(cells[index]))?.[1]?.length ?? 0);
  return Math.min(MAX_DIGITS, Math.max(0, ...counts));
}

/**
 * Shows an image from this server.
 * For an image from another host, shows only the URL, so that the browser does not send requests to other hosts.
 */
function Picture({ address }: { readonly address: string }) {
  const url = URL.canParse(address, `${location.origin}/`) ? new URL(address, `${location.origin}/`) : undefined;
  if (url?.origin !== location.origin) return <span class="cell-text">{address}</span>;
  return <img src={url.href} alt="" width="32" height="32" loading="lazy" />;
}

/** The buttons for the previous and the next page of a collection, and the range of the shown entries. */
function Pages({ total, offset }: { readonly total: number; readonly offset: number }) {
  const { router } = useConsole();
  const show = (first: number) => router.setValues({ offset: first <= 0 ? '' : String(first) });
  const last = Math.min(total, offset + PAGE_SIZE);
  return (
    <div class="pages">
      <span>
        {total === 0 ? 'No entries' : `${formatCount(offset + 1)}–${formatCount(last)} of ${formatCount(total)}`}
      </span>
      {total > PAGE_SIZE && (
        <>
          <button type="button" disabled={offset === 0} onClick={() => show(offset - PAGE_SIZE)}>
            Previous
          </button>
          <button type="button" disabled={last >= total} onClick={() => show(offset + PAGE_SIZE)}>
            Next
          </button>
        </>
      )}
    </div>
  );
}

/** The summary of a collection, such as the total cost of the items. */
function Summary({ summary }: { readonly summary: NonNullable<EntryPage['summary']> }) {
  return (
    <dl class="summary">
      {summary.map(({ title, value, format }) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>{formatCell(value, format)}</dd>
        </div>
      ))}
    </dl>
  );
}
