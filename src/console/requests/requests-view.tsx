import { useEffect, useRef } from 'preact/hooks';
import type { ControlResponse } from '../../control/operation.ts';
import { sendRequest } from '../api/control-api.ts';
import { type Example, toCurl, toExampleRequest } from '../model/code.ts';
import type { Console, Server } from '../model/console.ts';
import { formatCount, formatQuantity } from '../model/format.ts';
import { isEmptyFilter } from '../model/request-filter.ts';
import type { RequestRow } from '../model/request-row.ts';
import { getReferenceLink } from '../model/route-hash.ts';
import { ActionButton, ConfirmButton, CopyButton } from '../ui/elements.tsx';
import { useConsole, useObservable } from '../ui/hooks.ts';
import { RequestDetails } from './request-details.tsx';
import { RequestGrid } from './request-grid.tsx';

type Sandbox = ControlResponse<'listSandboxes'>[number];

/** The interval at which the page checks the sandboxes for new requests, in ms. */
const INTERVAL_MS = 1000;

/**
 * The maximum number of sandboxes whose requests are loaded at each check.
 * If more have new requests, only the most recently used sandboxes are loaded.
 */
const MAX_SANDBOXES = 50;

/** The tolerance when two times of the last use of a sandbox are compared, in ms. */
const TOLERANCE_MS = 5;

/** What the page knows about the journal of a sandbox: the id of the last request, and the number of requests. */
interface Known {
  readonly lastId: number;
  readonly requests: number;
  /** The time when the journal was last read, by the clock of the page. */
  readonly readMs: number;
}

/**
 * Adds the recorded requests of all sandboxes, except the sandbox `except`, to the list of requests.
 * Polls the journals, because a stream for each sandbox would need more connections than a browser opens.
 * Returns a function that ends the polling.
 */
function followOtherSandboxes({ api, requests, notices }: Console, except: string): () => void {
  const known = new Map<string, Known>();
  const abort = new AbortController();
  const read = async ({ id, requests: count }: Sandbox): Promise<void> => {
    const before = known.get(id);
    // If a journal has fewer requests than before, it was cleared, or the sandbox was replaced.
    // It must be read from the start.
    const after = before === undefined || count < before.requests ? 0 : before.lastId;
    const entries = await api.send('listRequests', { path: { id }, query: { after } });
    if (abort.signal.aborted) return;
    known.set(id, { lastId: entries.at(-1)?.id ?? after, requests: count, readMs: performance.now() });
    if (entries.length > 0) {
      const texts = entries.map((entry) => JSON.stringify(entry));
      requests.add(texts, id);
    }
  };
  const checkSandboxes = async (): Promise<void> => {
    const sandboxes = await api.send('listSandboxes', {});
    const nowMs = performance.now();
    const changed = sandboxes.filter((one) => one.id !== except && hasNewRequests(one, known.get(one.id), nowMs));
    // If a sandbox is deleted in the meantime, its request fails, and the other journals are still read.
    await Promise.allSettled(changed.slice(-MAX_SANDBOXES).map(read));
  };
  const run = async (): Promise<void> => {
    // An error is ignored here, because the banner shows a lost connection.
    while (!abort.signal.aborted) {
      await checkSandboxes().catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
    }
  };
  run().catch((error) => notices.showError(error));
  return () => abort.abort();
}

/**
 * Returns whether the journal of a sandbox may have requests that the page has not read.
 * A full journal always has the same number of requests, so the time of the last use is also compared.
 */
function hasNewRequests({ requests, idleMs }: Sandbox, known: Known | undefined, nowMs: number): boolean {
  if (requests === 0) return false;
  if (known === undefined || requests !== known.requests) return true;
  return nowMs - idleMs > known.readMs + TOLERANCE_MS;
}

const STATUSES = [
  ['', 'Any status'],
  ['2xx', '2xx success'],
  ['3xx', '3xx redirection'],
  ['4xx', '4xx client error'],
  ['5xx', '5xx server error'],
  ['none', 'No response'],
  ['waiting', 'Waiting'],
] as const;

/** The toolbar of the list of requests: filters, pause and clear. */
function RequestFilters() {
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
function RequestCount() {
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

/**
 * The start page: the address of the API, example requests, and how to connect a front end.
 * It is shown before the first request, and after a click on the logo.
 */
function StartPage({ sandbox }: { readonly sandbox: string }) {
  const { server: description, requests, router } = useConsole();
  const server = useObservable(description);
  useObservable(requests.version);
  // The page stays empty until the description of the server has arrived, so that nothing moves.
  if (server === undefined) return <div class="page" aria-busy="true" />;
  const prefix = sandbox === 'default' ? '' : `/_sandbox/${sandbox}`;
  const address = `${location.origin}${prefix}${server.contract.basePath}`;
  return (
    <div class="page empty-state">
      <h2>{server.contract.title} is ready</h2>
      {requests.total === 0 ? (
        <p class="lead">This page lists the requests to the server, and explains each response.</p>
      ) : (
        <p class="lead">
          <a href={router.link({ view: 'requests' })}>Show {formatQuantity(requests.total, 'request')}</a>
        </p>
      )}
      <section>
        <h3>Address</h3>
        <div class="row address">
          <code>{address}</code>
          <span class="muted">
            {formatQuantity(server.contract.operations, 'operation')},{' '}
            {server.dataFile === null ? 'data in memory' : `data in ${server.dataFile}`}
          </span>
        </div>
      </section>
      {server.examples.length > 0 && (
        <section>
          <h3>Try it</h3>
          <ul class="examples">
            {server.examples.map((example) => (
              <ExampleItem key={`${example.method} ${example.path}`} example={example} sandbox={sandbox} />
            ))}
          </ul>
        </section>
      )}
      <ConnectHelp sandbox={sandbox} address={address} path={getCommonPath(server)} />
    </div>
  );
}

/** Returns the start of all paths of the API, such as `/api`, for the configuration of a proxy. */
function getCommonPath({ contract, examples: [example] }: Server): string {
  return contract.basePath || /^\/[^/?]*/.exec(example?.path ?? '/api')?.[0] || '/';
}

/** An example request, with buttons that copy and send the request. */
function ExampleItem({ example, sandbox }: { readonly example: Example; readonly sandbox: string }) {
  const { method, path, title } = example;
  const request = toExampleRequest(example);
  return (
    <li>
      <div class="example-text">
        <span>{title}</span>
        <code>
          {method} {path}
        </code>
      </div>
      <CopyButton name="curl" getText={() => toCurl(request, location.origin, sandbox)} />
      <ActionButton class="primary" label={`Send: ${title}`} action={() => sendRequest(request, sandbox)}>
        Send
      </ActionButton>
    </li>
  );
}

/**
 * Formats a configuration with which Vite's development server forwards requests to a sandbox.
 * `path`: the start of the forwarded paths, such as `/api`.
 */
function formatProxy(path: string, sandbox: string): string {
  const headers = sandbox === 'default' ? '' : `, headers: { 'X-Sandbox': '${sandbox}' }`;
  return `server: { proxy: { '${path}': { target: '${location.origin}'${headers} } } }`;
}

/** Help for connecting a front end, and links to the documentation. */
function ConnectHelp(props: { readonly sandbox: string; readonly address: string; readonly path: string }) {
  const { sandbox, address, path } = props;
  return (
    <section>
      <h3>Connect a front end</h3>
      <p>
        Use <code>{address}</code> as the base address of the API. Or forward requests from the development server of
        the front end, for example in <code>vite.config.js</code>:
      </p>
      <pre class="code">{formatProxy(path, sandbox)}</pre>
      {sandbox !== 'default' && (
        <p>
          Requests with the header <code>X-Sandbox: {sandbox}</code> use this sandbox too.
        </p>
      )}
      <p class="links">
        <a href={getReferenceLink(sandbox)}>API reference</a>
        <a href="/_docs/control">Control API</a>
        <a href="/openapi.yaml">Contract</a>
        <a href="/problems">Problems</a>
      </p>
    </section>
  );
}

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
