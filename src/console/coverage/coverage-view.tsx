import type { ControlResponse } from '../../control/operation.ts';
import { formatCount, formatQuantity } from '../model/format.ts';
import { ConfirmButton, OperationName } from '../ui/elements.tsx';
import { useAfterRequests, useConsole, useInterval, useLoaded, useObservable } from '../ui/hooks.ts';

type Coverage = ControlResponse<'getCoverage'>;
type Operation = Coverage['operations'][number];
type Point = Operation['points'][number];

/** The interval at which the view loads the coverage, in ms. */
const INTERVAL_MS = 5000;

/** The minimum time between two loads after new requests, in ms. */
const REQUESTS_INTERVAL_MS = 1000;

/** The maximum number of operations that the view lists. The user can find the other operations by search. */
const MAX_SHOWN = 200;

/** Whether requests have used a part of the contract. A forced response does not show what the server does. */
type Use = 'touched' | 'forced' | 'untouched';

const USES = [
  ['touched', 'touched'],
  ['forced', 'only with a forced response'],
  ['untouched', 'never touched'],
] as const satisfies readonly (readonly [Use, string])[];

const USE_NAMES: Readonly<Record<Use, string>> = Object.fromEntries(USES) as Record<Use, string>;

function getUse(count: number, forced: number): Use {
  if (count === 0) return 'untouched';
  return count === forced ? 'forced' : 'touched';
}

/** The filter of the list: which operations it shows. */
const FILTERS: readonly (readonly [value: string, name: string, isShown: (operation: Operation) => boolean])[] = [
  ['', 'All operations', () => true],
  ['untouched', 'Never touched', ({ requests }) => requests === 0],
  ['forced', 'Only forced responses', ({ requests, forced }) => getUse(requests, forced) === 'forced'],
  ['refused', 'Only refused requests', isOnlyRefused],
  ['statuses', 'With untouched statuses', ({ points }) => points.some((point) => isStatus(point) && point.count === 0)],
];

function isStatus({ kind }: Point): boolean {
  return kind === 'status';
}

function isOnlyRefused({ requests, refused }: Operation): boolean {
  return requests > 0 && requests === refused;
}

/** The names of the kinds in the summary. */
const KIND_NAMES: Readonly<Record<Point['kind'], string>> = {
  operation: 'Operations',
  status: 'Statuses',
  example: 'Examples',
  'media-type': 'Media types',
  parameter: 'Optional parameters',
  property: 'Request properties',
  value: 'Enum values',
};

/** The numbers of touched parts of the contract, by kind. */
function Summary({ totals }: Pick<Coverage, 'totals'>) {
  return (
    <dl class="summary coverage-summary">
      {totals
        .filter(({ total }) => total > 0)
        .map(({ kind, total, touched, onlyForced }) => (
          <div key={kind}>
            <dt>{KIND_NAMES[kind]}</dt>
            <dd>
              {formatCount(touched)} of {formatCount(total)}
              {onlyForced > 0 && <span class="muted"> ({formatCount(onlyForced)} only forced)</span>}
            </dd>
          </div>
        ))}
    </dl>
  );
}

/** The toolbar of the view: search, filter and reset. */
function CoverageFilters({ reload }: { readonly reload: () => Promise<void> }) {
  const { api, router } = useConsole();
  const { search = '', show = '' } = useObservable(router.route).values;
  const reset = async () => {
    await api.send('resetCoverage', {});
    await reload();
  };
  return (
    <div class="toolbar" role="search" aria-label="Operations">
      <input
        class="grow"
        type="search"
        placeholder="Search operations"
        aria-label="Search in operations"
        value={search}
        onInput={(event) => router.setValues({ search: event.currentTarget.value })}
      />
      <select
        aria-label="Show"
        value={show}
        onChange={(event) => router.setValues({ show: event.currentTarget.value })}
      >
        {FILTERS.map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
      <ConfirmButton action={reset} done="All counts are 0" label="Reset the coverage">
        Reset
      </ConfirmButton>
    </div>
  );
}

/** The colors of the statuses, with their meaning. */
function Legend() {
  return (
    <p class="coverage-legend muted">
      {USES.map(([use, name]) => (
        <span key={use}>
          <span class={`use use-${use}`} aria-hidden="true" /> {name}
        </span>
      ))}
      <span>Select a status to see its requests that the journals still have.</span>
    </p>
  );
}

/** Returns the values of the view of requests that select the requests of an operation with a documented status. */
function toRequestFilter({ operationId }: Operation, status: string): Readonly<Record<string, string>> {
  return { operation: operationId, status: status === 'default' ? '' : status.toLowerCase(), all: '1' };
}

/** A documented status of an operation. If it was touched, it is a link to its requests. */
function StatusItem({ operation, point }: { readonly operation: Operation; readonly point: Point }) {
  const { router } = useConsole();
  const { name, count, forced, file, line } = point;
  const use = getUse(count, forced);
  const content = (
    <>
      {name} <span class="use-count">{use === 'untouched' ? '–' : formatCount(count)}</span>{' '}
      <span class="visually-hidden">
        {count > 0 && (count === 1 ? 'request, ' : 'requests, ')}
        {USE_NAMES[use]}
      </span>
    </>
  );
  const common = { class: `use use-${use}`, title: `${USE_NAMES[use]}, ${file}:${line}` };
  return (
    <li>
      {use === 'untouched' ? (
        <span {...common}>{content}</span>
      ) : (
        <a {...common} href={router.link({ view: 'requests', values: toRequestFilter(operation, name) })}>
          {content}
        </a>
      )}
    </li>
  );
}

/** An operation with its documented statuses. */
function OperationItem({ operation }: { readonly operation: Operation }) {
  const { router } = useConsole();
  const { operationId, method, path, requests, forced, points } = operation;
  const use = getUse(requests, forced);
  const touched = points.filter(({ count }) => count > 0).length;
  const link = router.link({ view: 'requests', values: { operation: operationId, all: '1' } });
  return (
    <li>
      <div class="list-text">
        <OperationName {...{ method, path }} />
        <span class="muted">
          {requests === 0 ? operationId : <a href={link}>{operationId}</a>}:{' '}
          {requests === 0 ? USE_NAMES.untouched : formatQuantity(requests, 'request')}
          {use === 'forced' && `, ${USE_NAMES.forced}`}
          {isOnlyRefused(operation) && ', all refused'}
          {requests > 0 && `, ${formatCount(touched)} of ${formatQuantity(points.length, 'part')}`}
        </span>
      </div>
      <ul class="uses" aria-label={`Statuses of ${operationId}`}>
        {points.filter(isStatus).map((point) => (
          <StatusItem key={point.name} {...{ operation, point }} />
        ))}
      </ul>
    </li>
  );
}

/** The view of the coverage: the operations and statuses of the contract that requests to all sandboxes have used. */
export function CoverageView() {
  const { api, router, server } = useConsole();
  const { search = '', show = '' } = useObservable(router.route).values;
  const reloads = useObservable(server)?.contract.reloads ?? 0;
  const { data, error, reload } = useLoaded(`coverage ${reloads}`, () => api.send('getCoverage', {}));
  useInterval(reload, INTERVAL_MS);
  useAfterRequests(reload, REQUESTS_INTERVAL_MS);
  const text = search.toLowerCase();
  const [, , isShown] = FILTERS.find(([value]) => value === show) ?? [];
  const shown = (data?.operations ?? []).filter(
    (operation) =>
      `${operation.operationId} ${operation.method} ${operation.path}`.toLowerCase().includes(text) &&
      (isShown === undefined || isShown(operation)),
  );
  return (
    <main class="coverage" aria-busy={data === undefined && error === undefined}>
      <h1 class="visually-hidden">Coverage</h1>
      <CoverageFilters reload={reload} />
      {error !== undefined && (
        <p class="error page" role="alert">
          {error}
        </p>
      )}
      {data !== undefined && (
        <div class="coverage-scroll" tabIndex={0} role="region" aria-label="Coverage of the contract">
          <Summary totals={data.totals} />
          <Legend />
          <ul class="list">
            {shown.slice(0, MAX_SHOWN).map((operation) => (
              <OperationItem key={operation.operationId} operation={operation} />
            ))}
          </ul>
          {shown.length > MAX_SHOWN && (
            <p class="muted">{formatQuantity(shown.length - MAX_SHOWN, 'more operation')}</p>
          )}
          {shown.length === 0 && <p class="muted">No operation matches.</p>}
        </div>
      )}
    </main>
  );
}
