import type { ComponentChildren } from 'preact';
import { useEffect, useErrorBoundary } from 'preact/hooks';
import { DisabledPage, TokenForm } from './access.tsx';
import { ControlView } from './control/control-view.tsx';
import { Header } from './header.tsx';
import { connect } from './model/connect.ts';
import { RequestsView } from './requests/requests-view.tsx';
import { StateView } from './state/state-view.tsx';
import { ActionButton } from './ui/buttons.tsx';
import { useConsole } from './ui/context.ts';
import { useInterval, useObservable } from './ui/hooks.ts';
import { NoticeList } from './ui/notices.tsx';

/** The interval at which the page checks whether the server was restarted or has a new version of the contract, in ms. */
const SERVER_INTERVAL_MS = 5000;

/** The interval at which the page checks whether the journal was cleared, in ms. */
const JOURNAL_INTERVAL_MS = 2000;

const VIEW_COMPONENTS = { requests: RequestsView, state: StateView, control: ControlView };

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
  const isMissing = state === 'removed' && (view !== 'requests' || requests.total === 0);
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

/** Receives the recorded requests of a sandbox, and loads the description of the server. Does nothing while `isOpen` is false. */
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
 * Empties the list of requests when another client clears the journal or replaces the sandbox. Checks this at an interval, because the stream of requests does
 * not report it.
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

/** The page for a sandbox that does not exist. Its name may be mistyped, so the page creates the sandbox only after a click on a button. */
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
 * Shows a message if the connection is lost, or if the sandbox does not exist. `isMissing`: the page already says that the sandbox does not exist, so the
 * banner does not repeat it.
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
