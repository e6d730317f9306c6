import { useState } from 'preact/hooks';
import { useConsole } from './ui/context.ts';

/** The form in which the user enters the token of the control API. `wasRejected`: whether the server has rejected the last token. */
export function TokenForm({ wasRejected }: { readonly wasRejected: boolean }) {
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
export function DisabledPage({ detail }: { readonly detail: string }) {
  return (
    <main class="disabled">
      <p class="banner">{detail} The API reference works without the control API.</p>
      <iframe src="/_docs" title="API reference" />
    </main>
  );
}
