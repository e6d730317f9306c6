import { sendRequest } from '../api/send-request.ts';
import { type Example, toCurl, toExampleRequest } from '../model/code.ts';
import type { Server } from '../model/console.ts';
import { formatQuantity } from '../model/format.ts';
import { getReferenceLink } from '../model/route-hash.ts';
import { ActionButton, CopyButton } from '../ui/buttons.tsx';
import { useConsole } from '../ui/context.ts';
import { useObservable } from '../ui/hooks.ts';

/**
 * The start page: the address of the API, example requests, and how to connect a front end. It is shown before the first request, and after a click on the
 * logo.
 */
export function StartPage({ sandbox }: { readonly sandbox: string }) {
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

/** Formats a configuration with which Vite's development server forwards requests to a sandbox. `path`: the start of the forwarded paths, such as `/api`. */
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
