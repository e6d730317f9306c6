import { useId } from 'preact/hooks';
import { getReferenceLink, VIEWS, type View } from './model/route-hash.ts';
import { useConsole } from './ui/context.ts';
import { useInterval, useLoaded, useObservable } from './ui/hooks.ts';

const VIEW_NAMES: Readonly<Record<View, string>> = { requests: 'Requests', state: 'State', control: 'Control' };

/** The interval at which the menu loads the list of sandboxes, in ms. */
const SANDBOXES_INTERVAL_MS = 3000;

/** The maximum number of sandboxes in the menu. A server can have up to 10,000 sandboxes. */
const MAX_OPTIONS = 200;

/** The header of the page: links to the views, a menu of sandboxes, and the state of the connection. `hasControl`: whether the page can use the control API. */
export function Header({ hasControl }: { readonly hasControl: boolean }) {
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
