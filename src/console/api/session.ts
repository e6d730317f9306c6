import { Observable } from '../model/observable.ts';

/**
 * Whether the page can use the control API.
 * `unknown`: no request has succeeded yet.
 * `open`: the page can use it.
 * `token`: the server requires a token.
 * `disabled`: the control API is disabled, and `detail` says why.
 */
type Access =
  | { readonly state: 'unknown' | 'open' }
  | { readonly state: 'token'; readonly wasRejected: boolean }
  | { readonly state: 'disabled'; readonly detail: string };

/** The key under which `sessionStorage` has the token. */
const TOKEN_KEY = 'storefront-control-token';

/**
 * Stores the token of the control API, and whether the page can use the control API.
 * The token is stored only for the current tab.
 */
export class Session {
  readonly access = new Observable<Access>({ state: 'unknown' });
  #token = sessionStorage.getItem(TOKEN_KEY) ?? undefined;

  /**
   * Returns the headers of a request to the control API: `Authorization` with the token, if the user has entered a
   * token.
   */
  headers(): Readonly<Record<string, string>> {
    return this.#token === undefined ? {} : { Authorization: `Bearer ${this.#token}` };
  }

  /** Stores the token that the user has entered. Later requests use this token. */
  setToken(token: string): void {
    this.#token = token;
    sessionStorage.setItem(TOKEN_KEY, token);
    this.access.set({ state: 'unknown' });
  }

  /** Records that a request to the control API succeeded. */
  confirm(): void {
    if (this.access.value.state !== 'open') this.access.set({ state: 'open' });
  }

  /**
   * Records that a request to the control API failed.
   * `type` and `detail`: the members of the problem document in the response.
   */
  report(status: number, type: string, detail: string): void {
    if (status === 401) this.access.set({ state: 'token', wasRejected: this.#token !== undefined });
    if (type.endsWith('/control-disabled')) this.access.set({ state: 'disabled', detail });
  }
}
