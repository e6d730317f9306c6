/** The views of the console. */
export const VIEWS = ['requests', 'state', 'coverage', 'control'] as const;
export type View = (typeof VIEWS)[number];

/** The view, the sandbox and other values in the hash of the page's URL. */
export interface Route {
  readonly view: View;
  readonly sandbox: string;
  /** The values of the view, such as filters. */
  readonly values: Readonly<Record<string, string>>;
}

/**
 * Parses the hash of a URL, such as `#/requests?sandbox=w1&status=4xx`.
 * `defaultSandbox`: the sandbox for a hash without a sandbox.
 */
export function parseRoute(hash: string, defaultSandbox: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const { sandbox = defaultSandbox, ...values } = Object.fromEntries(new URLSearchParams(query));
  return { view: VIEWS.find((view) => view === path) ?? 'requests', sandbox, values };
}

/** Formats a route as the hash of a URL. Omits empty values, and the sandbox if it is `defaultSandbox`. */
export function formatRoute({ view, sandbox, values }: Route, defaultSandbox: string): string {
  const query = new URLSearchParams();
  if (sandbox !== defaultSandbox) query.set('sandbox', sandbox);
  for (const [name, value] of Object.entries(values)) if (value !== '') query.set(name, value);
  return query.size > 0 ? `#/${view}?${query}` : `#/${view}`;
}

/** Returns the URL of an API reference that sends its requests to a sandbox. */
export function getReferenceLink(sandbox: string): string {
  return sandbox === 'default' ? '/_docs' : `/_docs?sandbox=${encodeURIComponent(sandbox)}`;
}

/**
 * Returns the sandbox that the URL of the page selects by `/_sandbox/ID` or `ID.localhost`.
 * Returns `default` if the URL selects no sandbox.
 */
export function getSandboxFromUrl({
  pathname,
  hostname,
}: {
  readonly pathname: string;
  readonly hostname: string;
}): string {
  const [, inPath] = /^\/_sandbox\/([^/]+)/.exec(pathname) ?? [];
  const [, inHost] = /^([a-z0-9-]+)\.localhost$/.exec(hostname) ?? [];
  return inPath ?? inHost ?? 'default';
}
