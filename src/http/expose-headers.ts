import type { ServerResponse } from 'node:http';

const EXPOSE = 'Access-Control-Expose-Headers';

/** Lets pages of other origins read headers of a response, if they may read the response. */
export function exposeHeaders(res: ServerResponse, names: readonly string[]): void {
  const exposed = res.getHeader(EXPOSE);
  if (exposed === undefined || names.length === 0) return;
  const known = String(exposed).split(',');
  const isKnown = (name: string) => known.some((one) => one.toLowerCase() === name.toLowerCase());
  res.setHeader(EXPOSE, [...known, ...names.filter((name) => !isKnown(name))].join());
}
