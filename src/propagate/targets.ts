/** The origins of the storefront servers. */
export interface Targets {
  readonly isEmpty: boolean;
  /** The address of the first server, without a trailing slash. */
  readonly first: string | undefined;
  /** Returns whether a URL is of one of the servers. */
  has(url: string): boolean;
}

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/** Returns the origin of a URL. The names of this machine count as one. Returns undefined if the URL is invalid. */
function toOrigin(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, hostname, port } = new URL(url);
  return `${protocol}//${LOOPBACK.test(hostname) ? 'localhost' : hostname}:${port}`;
}

/** Reads the addresses of the storefront servers. `list`: URLs, separated by commas. */
export function readTargets(list = ''): Targets {
  const urls = list
    .split(',')
    .map((url) => url.trim())
    .filter((url) => URL.canParse(url));
  const origins = new Set(urls.map(toOrigin));
  return {
    isEmpty: origins.size === 0,
    first: urls[0]?.replace(/\/+$/, ''),
    has: (url) => origins.size > 0 && origins.has(toOrigin(url)),
  };
}
