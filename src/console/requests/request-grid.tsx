import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { formatDuration, formatTime } from '../model/format.ts';
import { describeOrigin, type RequestRow, type SelectedRequest } from '../model/request-row.ts';
import { Path, Status } from '../ui/elements.tsx';
import { useConsole } from '../ui/hooks.ts';

interface Column {
  readonly name: string;
  readonly title: string;
  /**
   * The widths in a wide list and in one of at most `MEDIUM_PX`, as in `grid-template-columns`.
   * Without the second, only a wide list has the column.
   */
  readonly widths: readonly [wide: string, medium?: string];
  readonly show: (row: RequestRow) => ComponentChildren;
  /** Returns the tooltip of a cell. */
  readonly getTooltip?: (row: RequestRow) => string | undefined;
}

/** The columns of the list of requests. `requests.css` has their places in a narrow list, whose rows have two lines. */
const COLUMNS: readonly Column[] = [
  { name: 'time', title: 'Time', widths: ['96px', '96px'], show: ({ at }) => formatTime(at) },
  { name: 'method', title: 'Method', widths: ['64px', '60px'], show: ({ method }) => method },
  {
    name: 'path',
    title: 'Path',
    widths: ['minmax(0, 3fr)', 'minmax(0, 2fr)'],
    show: ({ path, search }) => (
      <>
        <Path path={path} />
        {search !== '' && <span class="query">{search}</span>}
      </>
    ),
    getTooltip: ({ path, search }) => path + search,
  },
  {
    name: 'status',
    title: 'Status',
    widths: ['56px', '48px'],
    show: ({ status, isWaiting }) => <Status {...{ status, isWaiting }} />,
  },
  {
    name: 'operation',
    title: 'Operation',
    widths: ['minmax(0, 1.4fr)'],
    show: ({ operation }) => operation,
    getTooltip: ({ operation }) => operation,
  },
  {
    name: 'decision',
    title: 'Decided by',
    widths: ['minmax(0, 1.4fr)', 'minmax(0, 1fr)'],
    show: describeOrigin,
    getTooltip: describeOrigin,
  },
  {
    name: 'sandbox',
    title: 'Sandbox',
    widths: ['minmax(0, 0.8fr)', 'minmax(0, 0.6fr)'],
    show: ({ sandbox }) => sandbox,
  },
  {
    name: 'duration',
    title: 'Duration',
    widths: ['76px', '72px'],
    show: ({ durationMs }) => formatDuration(durationMs),
  },
];

interface RowProps {
  readonly row: RequestRow;
  /** The index of the row in the list. The newest row has the index 0. */
  readonly index: number;
  /** The distance between the row and the top of the list, in px. */
  readonly topPx: number;
  readonly isSelected: boolean;
  readonly columns: readonly Column[];
  readonly onSelect: (row: RequestRow) => void;
}

/**
 * A row in the list of requests.
 * Its cells must not be memoized: Preact would keep a reference from a memoized cell to older elements of the page.
 * So removed rows would stay in memory: 20 MB after a minute with 200 requests per second.
 */
function GridRow({ row, index, topPx, isSelected, columns, onSelect }: RowProps) {
  return (
    <div
      id={`request-${row.order}`}
      class="grid-row"
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      style={{ transform: `translateY(${topPx}px)` }}
      onClick={() => onSelect(row)}
    >
      {columns.map(({ name, show, getTooltip }) => (
        <div key={name} class={`cell-${name}`} role="gridcell" title={getTooltip?.(row)}>
          {show(row)}
        </div>
      ))}
    </div>
  );
}

/** The width of the list up to which it leaves out columns, in px. */
const MEDIUM_PX = 900;

/** The width of the list below which each row has two lines, in px. */
const NARROW_PX = 620;

/** The height of a row with one line, in px. `requests.css` has the same value. */
const ROW_PX = 34;

/** The height of a row with two lines, in px. `requests.css` has the same value. */
const NARROW_ROW_PX = 58;

/** The height of the table header, in px. */
const HEAD_PX = 34;

/** The number of rows that are rendered above the visible rows, and again below them. */
const EXTRA_ROWS = 6;

interface GridProps {
  readonly selected: SelectedRequest | undefined;
  /** Whether the list has the requests of several sandboxes. */
  readonly hasSandboxes: boolean;
  /** A reference to the scrolling element of the list. The component sets this reference. */
  readonly viewport: RefObject<HTMLDivElement>;
  readonly onSelect: (row: RequestRow | undefined) => void;
}

/** The list of requests, newest first. Renders only the visible rows, and a few rows above and below. */
export function RequestGrid({ selected, hasSandboxes, viewport, onSelect }: GridProps) {
  const { matches, total } = useConsole().requests;
  const { size, top, setTop } = useViewport(viewport);
  const isNarrow = size.width < NARROW_PX;
  const rowPx = isNarrow ? NARROW_ROW_PX : ROW_PX;
  const isWide = size.width > MEDIUM_PX;
  const columns = COLUMNS.filter(
    ({ name, widths }) => (hasSandboxes || name !== 'sandbox') && (isWide || widths[1] !== undefined),
  );
  const widths = columns.map((column) => column.widths[isWide ? 0 : 1]).join(' ');
  useStablePosition(viewport, matches, { rowPx, top });
  const first = Math.max(0, Math.floor(top / rowPx) - EXTRA_ROWS);
  const count = Math.ceil(size.height / rowPx) + 2 * EXTRA_ROWS;
  const visible = getNewest(matches, first, count);
  const shownSelection = visible.find((row) => isSelected(row, selected));
  const onKeyDown = (event: KeyboardEvent) => {
    const target = findTarget(event.key, matches, selected);
    if (target === undefined) return;
    event.preventDefault();
    onSelect(target.row);
    if (viewport.current) scrollIntoView(viewport.current, target.index, rowPx);
  };
  return (
    <div
      class={isNarrow ? 'grid narrow' : 'grid'}
      style={{ '--columns': widths }}
      role="grid"
      aria-label="Requests, newest first"
      aria-rowcount={matches.length + 1}
      aria-activedescendant={shownSelection === undefined ? undefined : `request-${shownSelection.order}`}
      tabIndex={0}
      ref={viewport}
      onKeyDown={onKeyDown}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <div class="grid-row grid-head" role="row" aria-rowindex={1}>
        {columns.map(({ name, title }) => (
          <div key={name} class={`cell-${name}`} role="columnheader">
            {title}
          </div>
        ))}
      </div>
      <div class="rows" role="rowgroup" style={{ height: `${matches.length * rowPx}px` }}>
        {visible.map((row, index) => (
          <GridRow
            key={row.order}
            row={row}
            index={first + index}
            topPx={(first + index) * rowPx}
            isSelected={isSelected(row, selected)}
            columns={columns}
            onSelect={onSelect}
          />
        ))}
      </div>
      {matches.length === 0 && (
        <p class="grid-empty" role="presentation">
          {total === 0 ? 'No requests yet.' : 'No request matches the filter.'}
        </p>
      )}
    </div>
  );
}

/** Returns whether a row is the selected request. */
function isSelected({ sandbox, id }: RequestRow, selected: SelectedRequest | undefined): boolean {
  return id === selected?.id && sandbox === selected.sandbox;
}

/**
 * Returns the size of the list and its scroll position (`top`), in px.
 * The scroll listener must call the returned function `setTop`.
 */
function useViewport(viewport: RefObject<HTMLDivElement>) {
  const [size, setSize] = useState({ width: 1000, height: 600 });
  const [top, setTop] = useState(0);
  useEffect(() => {
    const { current } = viewport;
    if (current === null) return undefined;
    const observer = new ResizeObserver(() => setSize({ width: current.clientWidth, height: current.clientHeight }));
    observer.observe(current);
    return () => observer.disconnect();
  }, [viewport]);
  return { size, top, setTop };
}

/**
 * Keeps the visible rows at the same place when new rows arrive, by changing the scroll position.
 * Does nothing if the newest row is visible.
 */
function useStablePosition(
  viewport: { readonly current: HTMLDivElement | null },
  matches: readonly RequestRow[],
  { rowPx, top }: { readonly rowPx: number; readonly top: number },
): void {
  const last = useRef<RequestRow>();
  const newest = matches.at(-1);
  useLayoutEffect(() => {
    const { current } = viewport;
    const previous = last.current;
    last.current = newest;
    if (current === null || previous === undefined || top < rowPx) return;
    let added = 0;
    while (added < matches.length && matches.at(-1 - added) !== previous) added++;
    if (added > 0 && added < matches.length) current.scrollTop += added * rowPx;
  }, [viewport, matches, newest, rowPx, top]);
}

/** Returns `count` rows, newest first, after the newest `first` rows. */
function getNewest(rows: readonly RequestRow[], first: number, count: number): readonly RequestRow[] {
  return rows.slice(Math.max(0, rows.length - first - count), Math.max(0, rows.length - first)).reverse();
}

/**
 * Returns the row to select after a key such as `ArrowDown`, and the index of the row.
 * The newest row has the index 0.
 * Returns undefined for other keys.
 */
function findTarget(key: string, matches: readonly RequestRow[], selected: SelectedRequest | undefined) {
  if (key === 'Escape') return selected === undefined ? undefined : { row: undefined, index: 0 };
  const position = matches.findLastIndex((row) => isSelected(row, selected));
  const current = position < 0 ? -1 : matches.length - 1 - position;
  const moves: Readonly<Record<string, number>> = {
    ArrowDown: current + 1,
    ArrowUp: current - 1,
    PageDown: current + 10,
    PageUp: current - 10,
    Home: 0,
    End: matches.length - 1,
  };
  const wanted = moves[key];
  if (wanted === undefined || matches.length === 0) return undefined;
  const index = Math.max(0, Math.min(matches.length - 1, wanted));
  return { row: matches[matches.length - 1 - index], index };
}

/** Scrolls the list so that a row is visible. The table header covers the top of the viewport. */
function scrollIntoView(viewport: HTMLDivElement, index: number, rowPx: number): void {
  const top = index * rowPx;
  if (top < viewport.scrollTop) viewport.scrollTop = top;
  const bottom = top + rowPx + HEAD_PX;
  if (bottom > viewport.scrollTop + viewport.clientHeight) viewport.scrollTop = bottom - viewport.clientHeight;
}
