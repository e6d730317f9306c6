import type { Route } from '../openapi/routes.ts';
import { IMAGES_PATH } from '../util/request-target.ts';

/** Which requests a fault means. */
export interface FaultTarget {
  readonly operation?: string | readonly string[] | undefined;
  readonly where?: { readonly method?: string | undefined; readonly path?: string | undefined } | undefined;
  /** Whether only requests with a body match. */
  readonly needsBody?: boolean | undefined;
  readonly status?: number | undefined;
  readonly example?: string | undefined;
  readonly connection?: 'reset' | 'cut' | undefined;
  readonly bodyDurationMs?: number | undefined;
}

/** Where the images are, which are no operation of the contract. */
const IMAGES = `${IMAGES_PATH}/*`;

/** The status from which a response is an error. */
const FIRST_ERROR = 400;

/** The longest path that is compared with those of the contract, in characters. */
const LONGEST_PATH = 500;

/** Why no request can be as a fault says, a sentence each; none where one can. */
export function findUnmatchableParts(routes: readonly Route[], fault: FaultTarget): readonly string[] {
  const issue = findUnmatchablePart(routes, fault);
  return issue === undefined ? [] : [`no request can meet it: ${issue}`];
}

function findUnmatchablePart(routes: readonly Route[], fault: FaultTarget): string | undefined {
  const { operation, where = {}, needsBody = false } = fault;
  const { method, path } = where;
  if (path !== undefined && path.length > LONGEST_PATH) return undefined;
  const ids = operation === undefined ? undefined : [operation].flat();
  const chosen = ids ? routes.filter(({ operationId }) => ids.includes(operationId)) : routes;
  const onPath = onlyOnPath(chosen, path);
  const name = ids?.join(' or ') ?? path;
  const matching = onPath.filter((route) => method === undefined || takes(route, method));
  if (matching.length > 0) {
    if (!needsBody || matching.some(({ bodyMedia }) => Object.keys(bodyMedia).length > 0)) return undefined;
    const subject =
      name === undefined
        ? `no operation${method === undefined ? '' : ` with the method ${method}`} has a`
        : `${name} has no`;
    return `${subject} request body: leave out where.body`;
  }
  if (onPath.length > 0) {
    const methods = [...new Set(onPath.map((route) => route.method))].join(', ');
    return name === undefined
      ? `no operation has the method ${method}, but ${methods}`
      : `${name} has no method ${method}, but ${methods}`;
  }
  if (ids === undefined && path !== undefined && canBothMatch(path, IMAGES)) return findImageIssue(fault);
  return describeMissingPath(routes, chosen, { ids, path });
}

/** Says that no operation is at a path, and where operations are. */
function describeMissingPath(
  routes: readonly Route[],
  chosen: readonly Route[],
  { ids, path }: { readonly ids: readonly string[] | undefined; readonly path: string | undefined },
): string {
  if (path?.startsWith('/_sandbox/'))
    return `where.path is compared without /_sandbox/ID: give ${path.replace(/^\/_sandbox\/[^/]*/, '') || '/'}`;
  const paths = [...new Set((ids ? chosen : routes).map((route) => route.path))].join(', ');
  if (ids) return `${ids.join(' or ')} is at ${paths}, not at ${path}`;
  return `no operation is at ${path}, nor is it below ${IMAGES_PATH}: the contract has ${paths}`;
}

/** The operations whose requests can have a path like a text with `*`; all of them where there is none. */
export function onlyOnPath(routes: readonly Route[], path: string | undefined): readonly Route[] {
  if (path === undefined || path.length > LONGEST_PATH) return routes;
  return routes.filter((route) => isOnPath(route.path, path));
}

function findImageIssue(fault: FaultTarget): string | undefined {
  const { method = 'GET' } = fault.where ?? {};
  if (!['GET', 'HEAD'].includes(method.toUpperCase())) return `images have no method ${method}, but GET, HEAD`;
  return fault.needsBody ? 'images have no request body: leave out where.body' : findImageFaultIssue(fault);
}

/** Says why an image can't have the effect of a fault; undefined if it can. */
export function findImageFaultIssue({ status, example, connection, bodyDurationMs }: FaultTarget): string | undefined {
  const effects = [
    ...(status !== undefined && status < FIRST_ERROR ? [`status ${status}`] : []),
    ...(example === undefined ? [] : ['example']),
    ...(connection === 'cut' ? ['connection cut'] : []),
    ...(bodyDurationMs === undefined ? [] : ['bodyDurationMs']),
  ];
  if (effects.length === 0) return undefined;
  return `images can't have ${effects.join(', ')}: give a status from ${FIRST_ERROR} on, delay, or connection reset`;
}

function takes(route: Route, method: string): boolean {
  const wanted = method.toUpperCase();
  return route.method === wanted || (wanted === 'HEAD' && route.method === 'GET');
}

/** Whether a request to a path of the contract can be like a text with `*`. */
function isOnPath(template: string, wanted: string): boolean {
  const glob = template.replaceAll(/\{.*?\}/g, '*');
  // A slash at the end of a path doesn't count.
  return canBothMatch(wanted, glob) || canBothMatch(wanted, `${glob}/`);
}

/** Whether there is a text that both match, in which `*` stands for any text; in time that grows with the product of the lengths. */
export function canBothMatch(one: string, other: string): boolean {
  /** For each place in `one`, whether what follows there has a text in common with the rest of `other`. */
  let rest: readonly boolean[] = [];
  for (let at = other.length; at >= 0; at--) {
    const row = new Array<boolean>(one.length + 1).fill(false);
    for (let place = one.length; place >= 0; place--) {
      const [mine, theirs] = [one[place], other[at]];
      const skipMine = place < one.length && row[place + 1] === true;
      const skipTheirs = at < other.length && rest[place] === true;
      const isBothOver = mine === undefined && theirs === undefined;
      const isSame = mine !== undefined && mine === theirs && rest[place + 1] === true;
      const isStar = mine === '*' || theirs === '*';
      row[place] = isBothOver || isSame || (isStar && (skipMine || skipTheirs));
    }
    rest = row;
  }
  return rest[0] === true;
}
