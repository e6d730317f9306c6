import { Observable } from './observable.ts';
import { formatRoute, getSandboxFromUrl, parseRoute, type Route } from './route-hash.ts';

/**
 * The current route of the page: its view, its sandbox and other values.
 * The route changes with the hash of the URL.
 */
export class Router {
  readonly defaultSandbox = getSandboxFromUrl(location);
  readonly route = new Observable(parseRoute(location.hash, this.defaultSandbox));

  constructor() {
    addEventListener('hashchange', () => this.#read());
  }

  /**
   * Returns the URL hash for a link to a route.
   * The defaults are the view `requests`, the current sandbox, and no other values.
   */
  link(change: Partial<Route>): string {
    const { sandbox } = this.route.value;
    return formatRoute({ view: 'requests', sandbox, values: {}, ...change }, this.defaultSandbox);
  }

  /** Goes to another route, and adds an entry to the history of the tab. */
  go(change: Partial<Route>): void {
    location.hash = this.link({ view: this.route.value.view, ...change });
  }

  /** Changes some values of the current route, without a new entry in the history of the tab. */
  setValues(values: Readonly<Record<string, string>>): void {
    const route = { ...this.route.value, values: { ...this.route.value.values, ...values } };
    history.replaceState(null, '', formatRoute(route, this.defaultSandbox));
    this.#read();
  }

  #read(): void {
    this.route.set(parseRoute(location.hash, this.defaultSandbox));
  }
}
