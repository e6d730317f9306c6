import type { ComponentChildren } from 'preact';
import { useEffect, useErrorBoundary, useId, useState } from 'preact/hooks';
import { followRequests } from './api/request-stream.ts';
import { ControlView } from './control/control-view.tsx';
import { CoverageView } from './coverage/coverage-view.tsx';
import type { Connection, Console } from './model/console.ts';
import type { Notices } from './model/observable.ts';
import { getReferenceLink, VIEWS, type View } from './model/route-hash.ts';
import { RequestsView } from './requests/requests-view.tsx';
import { StateView } from './state/state-view.tsx';
import { ActionButton } from './ui/elements.tsx';
import { useConsole, useInterval, useLoaded, useObservable } from './ui/hooks.ts';

/** The interval at which the page checks whether a removed sandbox exists again, in ms. */
const RECREATION_DELAY_MS = 1000;

/**
 * Receives the recorded requests of a sandbox, and adds them to the list of requests.
 * Returns a function that ends the connection.
 */
function connect(parts: Console, sandbox: string): () => void {
  const { api, session, requests, ownChanges, connection } = parts;
  const abort = new AbortController();
  const setState = (state: Connection['state']) => connection.set({ ...connection.value, state });
  const restart = () => {
    requests.clear();
    ownChanges.forget(sandbox);
  };
  const follow = () =>
    followRequests(
      { api, session, sandbox, signal: abort.signal },
      {
        onOpen: () => connection.set({ state: 'open', count: connection.value.count + 1 }),
        onRequests: (texts) => requests.add(texts, sandbox),
        onEnded: (ids) => requests.remove(ids, sandbox),
        onRestart: restart,
        onLost: () => setState('lost'),
        onRemoved: () => {
          setState('removed');
          waitForSandbox();
        },
      },
    );
  /** Waits until the removed sandbox exists again, and then receives its requests. */
  const waitForSandbox = async (): Promise<void> => {
    while (!abort.signal.aborted) {
      const exists = await api.send('getSandbox', { path: { id: sandbox } }).then(
        () => true,
        () => false,
      );
      if (exists && !abort.signal.aborted) {
        restart();
        follow();
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, RECREATION_DELAY_MS));
    }
  };
  requests.clear();
  setState('connecting');
  follow();
  return () => abort.abort();
}

/** The list of messages about the results of actions. Screen readers announce new messages. */
function NoticeList({ notices }: { readonly notices: Notices }) {
  const shown = useObservable(notices.shown);
  return (
    <div class="notices" role="status">
      {shown.map(({ id, text, isError }) => (
        <div key={id} class={isError ? 'notice notice-error' : 'notice'}>
          <span>{text}</span>
          <button type="button" class="quiet" aria-label="Hide the message" onClick={() => notices.hide(id)}>
            ×
          </button>
        </div>
      ))}
    </div>
  );
}

const VIEW_NAMES: Readonly<Record<View, string>> = {
  requests: 'Requests',
  state: 'State',
  coverage: 'Coverage',
  control: 'Control',
};

/** The interval at which the menu loads the list of sandboxes, in ms. */
const SANDBOXES_INTERVAL_MS = 3000;

/** The maximum number of sandboxes in the menu. A server can have up to 10,000 sandboxes. */
const MAX_OPTIONS = 200;

/**
 * The header of the page: links to the views, a menu of sandboxes, and the state of the connection.
 * `hasControl`: whether the page can use the control API.
 */
function Header({ hasControl }: { readonly hasControl: boolean }) {
  const { router, server } = useConsole();
  const { view, sandbox } = useObservable(router.route);
  const loaded = useObservable(server);
  return (
    <header class="header">
      <a class="brand" href={router.link({ values: { start: '1' } })} aria-label="storefront: start page">
        <Logo />
        <span class="brand-title">{loaded?.contract.title ?? 'storefront'}</span>
      </a>
      <nav class="views" aria-label="Views">
        {hasControl &&
          VIEWS.map((name) => (
            <a key={name} href={router.link({ view: name })} aria-current={name === view ? 'page' : undefined}>
              {VIEW_NAMES[name]}
            </a>
          ))}
        <a href={getReferenceLink(sandbox)}>API reference</a>
      </nav>
      {hasControl && <SandboxMenu />}
      {hasControl && <ConnectionState />}
    </header>
  );
}

function Logo() {
  return (
    <svg viewBox="0 0 32 32" width="24" height="24" aria-hidden="true">
      <rect width="32" height="32" rx="7" class="logo-back" />
      <path d="M7 12h18l-2 13H9zm5 0a4 4 0 0 1 8 0" class="logo-line" />
    </svg>
  );
}

/** The menu that selects the sandbox. */
function SandboxMenu() {
  const { api, router } = useConsole();
  const { view, sandbox, values } = useObservable(router.route);
  const select = (name: string) => {
    const { collection = '' } = view === 'state' ? values : {};
    router.go({ sandbox: name, values: { collection } });
  };
  const { data = [], reload } = useLoaded('sandboxes', () => api.send('listSandboxes', {}));
  useInterval(reload, SANDBOXES_INTERVAL_MS);
  const id = useId();
  // The server lists the sandbox `default` first, then the other sandboxes from least to most recently used.
  const [first, ...others] = data.map((one) => one.id);
  const recent = [first ?? 'default', ...others.slice(-MAX_OPTIONS)];
  const options = recent.includes(sandbox) ? recent : [...recent, sandbox];
  return (
    <div class="sandbox-menu">
      <label for={id}>Sandbox</label>
      <select id={id} value={sandbox} onChange={(event) => select(event.currentTarget.value)}>
        {options.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}

const CONNECTION_NAMES = { connecting: 'Connecting', open: 'Live', lost: 'Reconnecting', removed: 'No sandbox' };

/** Shows whether the page receives new requests. */
function ConnectionState() {
  const { connection } = useConsole();
  const { state } = useObservable(connection);
  return (
    <span class={`connection connection-${state}`} title={CONNECTION_NAMES[state]}>
      <span class="connection-name">{CONNECTION_NAMES[state]}</span>
    </span>
  );
}

/**
 * The form in which the user enters the token of the control API.
 * `wasRejected`: whether the server has rejected the last token.
 */
function TokenForm({ wasRejected }: { readonly wasRejected: boolean }) {
  const { session } = useConsole();
  const [token, setToken] = useState('');
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (token !== '') session.setToken(token);
  };
  return (
    <main class="page access">
      <h1>Enter the token</h1>
      <p>
        The server runs with <code>--control-token</code>. The browser stores the token until you close this tab.
      </p>
      <form onSubmit={submit} class="row">
        <label class="field grow">
          <span>Token</span>
          <input
            type="password"
            autocomplete="off"
            value={token}
            aria-invalid={wasRejected}
            aria-describedby={wasRejected ? 'token-error' : undefined}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="primary">
          Continue
        </button>
      </form>
      {wasRejected && (
        <p id="token-error" class="error" role="alert">
          The token is wrong. Enter the value of <code>--control-token</code>.
        </p>
      )}
    </main>
  );
}

/** The page for a server with a disabled control API. Shows the reason (`detail`) and the API reference. */
function DisabledPage({ detail }: { readonly detail: string }) {
  return (
    <main class="disabled">
      <p class="banner">{detail} The API reference works without the control API.</p>
      <iframe src="/_docs" title="API reference" />
    </main>
  );
}

/**
 * The interval at which the page checks whether the server was restarted or has a new version of the contract, in ms.
 */
const SERVER_INTERVAL_MS = 5000;

/** The interval at which the page checks whether the journal was cleared, in ms. */
const JOURNAL_INTERVAL_MS = 2000;

const VIEW_COMPONENTS = { requests: RequestsView, state: StateView, coverage: CoverageView, control: ControlView };

/** The whole page: the header, the selected view, and messages. */
export function App() {
  const { router, session, notices, connection, requests } = useConsole();
  const { view, sandbox } = useObservable(router.route);
  const access = useObservable(session.access);
  const isOpen = access.state === 'open' || access.state === 'unknown';
  useConnection(sandbox, isOpen);
  useClearedJournal(sandbox, isOpen);
  const { state } = useObservable(connection);
  // If the sandbox was deleted, the page still shows the requests that it has received before.
  // The coverage is that of all sandboxes.
  const isMissing = state === 'removed' && view !== 'coverage' && (view !== 'requests' || requests.total === 0);
  const View = VIEW_COMPONENTS[view];
  return (
    <>
      <Header hasControl={isOpen} />
      <ConnectionBanner isMissing={isMissing} />
      {isOpen && (
        <ErrorBoundary key={`${view} ${sandbox}`}>
          {isMissing ? <MissingSandbox sandbox={sandbox} /> : <View />}
        </ErrorBoundary>
      )}
      {access.state === 'token' && <TokenForm wasRejected={access.wasRejected} />}
      {access.state === 'disabled' && <DisabledPage detail={access.detail} />}
      <NoticeList notices={notices} />
    </>
  );
}

/** Shows the error if a view fails to render. The other views still work. */
function ErrorBoundary({ children }: { readonly children: ComponentChildren }) {
  const [error, reset] = useErrorBoundary();
  if (error === undefined) return <>{children}</>;
  return (
    <main class="page">
      <h1>The page has an error</h1>
      <p class="error">{String(error)}</p>
      <button type="button" onClick={reset}>
        Try again
      </button>
    </main>
  );
}

/**
 * Receives the recorded requests of a sandbox, and loads the description of the server.
 * Does nothing while `isOpen` is false.
 */
function useConnection(sandbox: string, isOpen: boolean): void {
  const parts = useConsole();
  const { api, server, connection, notices } = parts;
  const { count } = useObservable(connection);
  // A new token starts a new connection, because `isOpen` changes.
  useEffect(() => (isOpen ? connect(parts, sandbox) : undefined), [parts, sandbox, isOpen]);
  const loadServer = () => {
    if (!isOpen) return;
    api.send('getServer', {}).then(
      (loaded) => {
        const { startedAt = loaded.startedAt } = server.value ?? {};
        if (loaded.startedAt !== startedAt) {
          notices.hideErrors();
          const data = loaded.dataFile === null ? ' The data is the default data.' : '';
          notices.show(`The server was restarted. Its earlier requests, sandboxes and faults are deleted.${data}`);
        }
        if (JSON.stringify(loaded) !== JSON.stringify(server.value)) server.set(loaded);
        document.title = `${loaded.contract.title} · storefront`;
      },
      // An error is ignored here, because the banner shows a lost connection.
      () => {},
    );
  };
  useEffect(loadServer, [count, isOpen]);
  useInterval(loadServer, SERVER_INTERVAL_MS);
}

/**
 * Empties the list of requests when another client clears the journal or replaces the sandbox.
 * Checks this at an interval, because the stream of requests does not report it.
 */
function useClearedJournal(sandbox: string, isOpen: boolean): void {
  const { api, requests } = useConsole();
  useInterval(async () => {
    const { newest } = requests;
    if (!isOpen || newest === undefined) return;
    const found = await api.send('getSandbox', { path: { id: sandbox } }).catch(() => undefined);
    if (found?.requests === 0 && requests.newest === newest) requests.clear();
  }, JOURNAL_INTERVAL_MS);
}

/**
 * The page for a sandbox that does not exist.
 * Its name may be mistyped, so the page creates the sandbox only after a click on a button.
 */
function MissingSandbox({ sandbox }: { readonly sandbox: string }) {
  const { api, router } = useConsole();
  return (
    <main class="page">
      <h1>No sandbox {sandbox}</h1>
      <p>Check the name, or create the sandbox.</p>
      <div class="row">
        <ActionButton class="primary" action={() => api.send('putSandbox', { path: { id: sandbox }, body: {} })}>
          Create the sandbox
        </ActionButton>
        <a class="button" href={router.link({ sandbox: 'default' })}>
          Show default
        </a>
      </div>
    </main>
  );
}

/**
 * Shows a message if the connection is lost, or if the sandbox does not exist.
 * `isMissing`: the page already says that the sandbox does not exist, so the banner does not repeat it.
 */
function ConnectionBanner({ isMissing }: { readonly isMissing: boolean }) {
  const { connection, router, session } = useConsole();
  const { state } = useObservable(connection);
  const { sandbox } = useObservable(router.route);
  const { state: access } = useObservable(session.access);
  const isShown =
    (state === 'lost' || (state === 'removed' && !isMissing)) && (access === 'open' || access === 'unknown');
  return (
    <div role="status" class={isShown ? 'banner' : undefined}>
      {isShown && state === 'lost' && 'Connection lost, reconnecting…'}
      {isShown && state === 'removed' && (
        <>
          The sandbox {sandbox} does not exist.{' '}
          <a href={router.link({ view: 'control', sandbox: 'default' })}>Select another sandbox</a>
        </>
      )}
    </div>
  );
}
