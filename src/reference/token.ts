/** The key of the token in the session storage of the browser tab. The console uses the same key. */
const TOKEN_KEY = 'storefront-control-token';

/** Returns the headers that requests to the control API need. */
export function getTokenHeaders(): Readonly<Record<string, string>> {
  const token = sessionStorage.getItem(TOKEN_KEY);
  return token === null ? {} : { Authorization: `Bearer ${token}` };
}

/** Shows the form for the token, and waits until the user enters a token. Stores the token for this browser tab. */
export function askForToken(form: HTMLFormElement, input: HTMLInputElement): Promise<void> {
  form.hidden = false;
  input.focus();
  return new Promise((resolve) => {
    form.onsubmit = (event) => {
      event.preventDefault();
      sessionStorage.setItem(TOKEN_KEY, input.value);
      form.hidden = true;
      resolve();
    };
  });
}
