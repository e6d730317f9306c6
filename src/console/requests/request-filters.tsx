import { formatCount, formatQuantity } from '../model/format.ts';
import { isEmptyFilter } from '../model/request-filter.ts';
import { ConfirmButton } from '../ui/buttons.tsx';
import { useConsole } from '../ui/context.ts';
import { useObservable } from '../ui/hooks.ts';

const STATUSES = [
  ['', 'Any status'],
  ['2xx', '2xx success'],
  ['3xx', '3xx redirection'],
  ['4xx', '4xx client error'],
  ['5xx', '5xx server error'],
  ['none', 'No response'],
] as const;

/** The toolbar of the list of requests: filters, pause and clear. */
export function RequestFilters() {
  const { router, requests, api } = useConsole();
  const { sandbox, values } = useObservable(router.route);
  const { operation = '', status = '', text = '' } = values;
  const clear = async () => {
    const ids = values.all === '1' ? requests.sandboxes() : [sandbox];
    for (const id of ids) await api.send('clearRequests', { path: { id } });
    router.setValues({ request: '', of: '' });
    requests.clear();
  };
  return (
    <div class="toolbar" role="search" aria-label="Requests">
      <input
        class="grow"
        type="search"
        placeholder="Search requests"
        aria-label="Search in paths, headers and bodies"
        title="Search in paths, headers and bodies"
        value={text}
        onInput={(event) => router.setValues({ text: event.currentTarget.value })}
      />
      <OperationFilter value={operation} />
      <select
        aria-label="Status"
        value={status}
        onChange={(event) => router.setValues({ status: event.currentTarget.value })}
      >
        {STATUSES.map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
        {!STATUSES.some(([value]) => value === status) && <option value={status}>{status}</option>}
      </select>
      <select
        aria-label="Sandboxes"
        value={values.all ?? ''}
        onChange={(event) => router.setValues({ all: event.currentTarget.value })}
      >
        <option value="">This sandbox</option>
        <option value="1">All sandboxes</option>
      </select>
      <PauseButton />
      <ConfirmButton action={clear} label="Clear the requests">
        Clear
      </ConfirmButton>
    </div>
  );
}

function OperationFilter({ value }: { readonly value: string }) {
  const { router, requests } = useConsole();
  const names = requests.operations();
  const all = value === '' || names.includes(value) ? names : [value, ...names];
  return (
    <select
      class="operation-filter"
      aria-label="Operation"
      value={value}
      onChange={(event) => router.setValues({ operation: event.currentTarget.value })}
    >
      <option value="">Any operation</option>
      {all.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
}

function PauseButton() {
  const { requests } = useConsole();
  const isPaused = useObservable(requests.isPaused);
  const waiting = useObservable(requests.waitingCount);
  return (
    <button
      type="button"
      class="pause"
      aria-pressed={isPaused}
      onClick={() => (isPaused ? requests.resume() : requests.pause())}
    >
      {isPaused ? (waiting > 0 ? `Resume (${formatCount(waiting)})` : 'Resume') : 'Pause'}
    </button>
  );
}

/** The number of requests, which is shown below the list. */
export function RequestCount() {
  const { requests, router } = useConsole();
  const { operation = '', status = '', text = '' } = useObservable(router.route).values;
  const isFiltered = !isEmptyFilter({ operation, status, text });
  const { matches, total } = requests;
  return (
    <footer class="request-count">
      <span>
        {isFiltered && `${formatCount(matches.length)} of `}
        {formatQuantity(total, 'request')}
      </span>
      {isFiltered && (
        <button type="button" class="link" onClick={() => router.setValues({ operation: '', status: '', text: '' })}>
          Remove the filter
        </button>
      )}
    </footer>
  );
}
