import type { ComponentChildren } from 'preact';
import { formatDuration, formatTime } from '../model/format.ts';
import { describeDecision, type RequestRow } from '../model/request-row.ts';
import { Status } from '../ui/status.tsx';

/** The columns of the list of requests. */
export const COLUMNS = [
  { name: 'time', title: 'Time' },
  { name: 'method', title: 'Method' },
  { name: 'path', title: 'Path' },
  { name: 'status', title: 'Status' },
  { name: 'operation', title: 'Operation' },
  { name: 'decision', title: 'Decided by' },
  { name: 'sandbox', title: 'Sandbox' },
  { name: 'duration', title: 'Duration' },
] as const;

interface RowProps {
  readonly row: RequestRow;
  /** The index of the row in the list. The newest row has the index 0. */
  readonly index: number;
  /** The distance between the row and the top of the list, in px. */
  readonly topPx: number;
  readonly isSelected: boolean;
  /** Whether the row has a cell with the name of the sandbox. */
  readonly hasSandbox: boolean;
  readonly onSelect: (row: RequestRow) => void;
}

/**
 * A row in the list of requests. Its cells must not be memoized: Preact would keep a reference from a memoized cell to older elements of the page. So removed
 * rows would stay in memory: 20 MB after a minute with 200 requests per second.
 */
export function GridRow({ row, index, topPx, isSelected, hasSandbox, onSelect }: RowProps) {
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
      <Cells row={row} hasSandbox={hasSandbox} />
    </div>
  );
}

function Cells({ row, hasSandbox }: Pick<RowProps, 'row' | 'hasSandbox'>) {
  const { at, method, path, search, status, operation, durationMs } = row;
  const decision = describeDecision(row);
  return (
    <>
      <Cell name="time">{formatTime(at)}</Cell>
      <Cell name="method">{method}</Cell>
      <Cell name="path" title={path + search}>
        {path}
        {search !== '' && <span class="query">{search}</span>}
      </Cell>
      <Cell name="status">
        <Status status={status} />
      </Cell>
      <Cell name="operation" title={operation}>
        {operation}
      </Cell>
      <Cell name="decision" title={decision}>
        {decision}
      </Cell>
      {hasSandbox && <Cell name="sandbox">{row.sandbox}</Cell>}
      <Cell name="duration">{formatDuration(durationMs)}</Cell>
    </>
  );
}

function Cell(props: { readonly name: string; readonly title?: string; readonly children: ComponentChildren }) {
  return (
    <div class={`cell-${props.name}`} role="gridcell" title={props.title}>
      {props.children}
    </div>
  );
}
