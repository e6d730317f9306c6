import type { Route } from '../openapi/routes.ts';
import { IMAGES_PATH } from '../util/request-target.ts';

/** The parts of a fault that decide which requests match it, and which responses it can have. */
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

/** The paths of images, which are not operations of the contract. */
const IMAGES = `${IMAGES_PATH}/*`;

/** The lowest status of an error. */
const MIN_ERROR_STATUS = 400;

/** The maximum length of a path that is compared with those of the contract, in characters. */
const MAX_PATH_LENGTH = 500;

/** Returns messages that say why no request can match a fault; none if one can. */
export function findUnmatchableReasons(routes: readonly Route[], fault: FaultTarget): readonly string[] {
  const issue = findTargetIssue(routes, fault);
  return issue === undefined ? [] : [`no request can match it: ${issue}`];
}

function findTargetIssue(routes: readonly Route[], fault: FaultTarget): string | undefined {
  const { operation, where: { method, path } = {} } = fault;
  if (path !== undefined && path.length > MAX_PATH_LENGTH) return undefined;
  const ids = operation === undefined ? undefined : [operation].flat();
  const candidates = ids ? routes.filter(({ operationId }) => ids.includes(operationId)) : routes;
  const onPath = filterByPath(candidates, path);
  const name = ids?.join(' or ') ?? path;
  const matching = onPath.filter((route) => method === undefined || hasMethod(route, method));
  if (matching.length > 0) return fault.needsBody ? findBodyIssue(matching, { name, method }) : undefined;
  if (onPath.length > 0) {
    const methods = [...new Set(onPath.map((route) => route.method))].join(', ');
    return name === undefined
      ? `no operation has the method ${method}, but ${methods}`
      : `${name} has no method ${method}, but ${methods}`;
  }
  if (ids === undefined && path !== undefined && canBothMatch(path, IMAGES)) return findImageIssue(fault);
  return describeUnknownPath(candidates, { ids, path });
}

/** Returns why no request with a body can match; undefined if one of the operations has a request body. */
function findBodyIssue(
  routes: readonly Route[],
  { name, method }: { readonly name: string | undefined; readonly method: string | undefined },
): string | undefined {
  if (routes.some(({ bodyMedia }) => Object.keys(bodyMedia).length > 0)) return undefined;
  if (name !== undefined) return `${name} has no request body: remove where.body`;
  const selection = method === undefined ? '' : ` with the method ${method}`;
  return `no operation${selection} has a request body: remove where.body`;
}

/** Says that none of the operations is at a path, and where they are. */
function describeUnknownPath(
  routes: readonly Route[],
  { ids, path }: { readonly ids: readonly string[] | undefined; readonly path: string | undefined },
): string {
  if (path?.startsWith('/_sandbox/'))
    return `where.path is compared without /_sandbox/ID: use ${path.replace(/^\/_sandbox\/[^/]*/, '') || '/'}`;
  const paths = [...new Set(routes.map((route) => route.path))].join(', ');
  return ids
    ? `${ids.join(' or ')} is at ${paths}, not at ${path}`
    : `no operation is at ${path}, and it is not below ${IMAGES_PATH}: the contract has ${paths}`;
}

/** Returns the operations with a path that can match a glob; all of them if there is none. */
export function filterByPath(routes: readonly Route[], glob: string | undefined): readonly Route[] {
  if (glob === undefined || glob.length > MAX_PATH_LENGTH) return routes;
  return routes.filter((route) => canMatchPath(route.path, glob));
}

function findImageIssue(fault: FaultTarget): string | undefined {
  const { method = 'GET' } = fault.where ?? {};
  if (!['GET', 'HEAD'].includes(method.toUpperCase())) return `images have no method ${method}, but GET, HEAD`;
  return fault.needsBody ? 'images have no request body: remove where.body' : findImageFaultIssue(fault);
}

/** Returns why a fault can't apply to an image; undefined if it can. */
export function findImageFaultIssue({ status, example, connection, bodyDurationMs }: FaultTarget): string | undefined {
  const unsupported = [
    ...(status !== undefined && status < MIN_ERROR_STATUS ? [`status ${status}`] : []),
    ...(example === undefined ? [] : ['example']),
    ...(connection === 'cut' ? ['connection cut'] : []),
    ...(bodyDurationMs === undefined ? [] : ['bodyDurationMs']),
  ];
  if (unsupported.length === 0) return undefined;
  return `images can't have ${unsupported.join(', ')}: use a status of at least ${MIN_ERROR_STATUS}, delay, or connection reset`;
}

/** HEAD is handled by GET. */
function hasMethod(route: Route, method: string): boolean {
  const name = method.toUpperCase();
  return route.method === name || (name === 'HEAD' && route.method === 'GET');
}

/** A trailing slash in the path of a request is ignored. */
function canMatchPath(template: string, glob: string): boolean {
  const templateGlob = template.replaceAll(/\{.*?\}/g, '*');
  return canBothMatch(glob, templateGlob) || canBothMatch(glob, `${templateGlob}/`);
}

/** Returns whether a string exists that matches two globs, in which `*` stands for any string. Takes time proportional to length × length. */
export function canBothMatch(a: string, b: string): boolean {
  /** For each index in `a`: whether the rests of both globs can match the same string. */
  let nextRow: readonly boolean[] = [];
  for (let indexB = b.length; indexB >= 0; indexB--) {
    const row = new Array<boolean>(a.length + 1).fill(false);
    for (let indexA = a.length; indexA >= 0; indexA--) {
      const [characterA, characterB] = [a[indexA], b[indexB]];
      const canSkipA = indexA < a.length && row[indexA + 1] === true;
      const canSkipB = indexB < b.length && nextRow[indexA] === true;
      const areBothAtEnd = characterA === undefined && characterB === undefined;
      const isSame = characterA !== undefined && characterA === characterB && nextRow[indexA + 1] === true;
      const isStar = characterA === '*' || characterB === '*';
      row[indexA] = areBothAtEnd || isSame || (isStar && (canSkipA || canSkipB));
    }
    nextRow = row;
  }
  return nextRow[0] === true;
}
