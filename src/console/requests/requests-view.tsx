import { useEffect, useRef } from 'preact/hooks';
import { followOtherSandboxes } from '../model/other-sandboxes.ts';
import type { RequestRow } from '../model/request-row.ts';
import { useConsole } from '../ui/context.ts';
import { useObservable } from '../ui/hooks.ts';
import { RequestDetails } from './request-details.tsx';
import { RequestCount, RequestFilters } from './request-filters.tsx';
import { RequestGrid } from './request-grid.tsx';
import { StartPage } from './start-page.tsx';

/** The view of the recorded requests. Shows the list and the details of the selected request, or the start page. */
export function RequestsView() {
  const { router, requests, connection } = useConsole();
  const { sandbox, values } = useObservable(router.route);
  const isEverySandbox = values.all === '1';
  useFilter();
  useOtherSandboxes(sandbox, isEverySandbox);
  useObservable(requests.version);
  const { state } = useObservable(connection);
  const selected = values.request ? { sandbox: values.of ?? sandbox, id: Number(values.request) } : undefined;
  const select = (row: RequestRow | undefined) =>
    router.setValues({
      request: row === undefined ? '' : String(row.id),
      of: row === undefined || row.sandbox === sandbox ? '' : row.sandbox,
    });
  const grid = useRef<HTMLDivElement>(null);
  const isEmpty = requests.total + requests.waitingCount.value === 0 && selected === undefined && !isEverySandbox;
  return (
    <main class={selected === undefined ? 'requests' : 'requests has-details'}>
      <h1 class="visually-hidden">Requests</h1>
      {values.start === '1' || (isEmpty && state !== 'connecting') ? (
        <StartPage sandbox={sandbox} />
      ) : (
        <>
          <div class="request-list">
            <RequestFilters />
            <RequestGrid selected={selected} onSelect={select} hasSandboxes={isEverySandbox} viewport={grid} />
            <RequestCount />
          </div>
          {selected !== undefined && (
            <RequestDetails
              key={`${selected.sandbox} ${selected.id}`}
              {...selected}
              onClose={() => {
                select(undefined);
                grid.current?.focus();
              }}
            />
          )}
        </>
      )}
    </main>
  );
}

/** Filters the list of requests by the values in the URL. */
function useFilter(): void {
  const { router, requests } = useConsole();
  const { operation = '', status = '', text = '' } = useObservable(router.route).values;
  useEffect(() => requests.setFilter({ operation, status, text }), [requests, operation, status, text]);
}

/** Adds the requests of all other sandboxes to the list of requests if `isEverySandbox` is true. */
function useOtherSandboxes(sandbox: string, isEverySandbox: boolean): void {
  const parts = useConsole();
  useEffect(() => {
    if (!isEverySandbox) return undefined;
    const end = followOtherSandboxes(parts, sandbox);
    return () => {
      end();
      parts.requests.keepOnly(sandbox);
    };
  }, [parts, sandbox, isEverySandbox]);
}
