import type { Issue } from '../util/issue.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { toPattern } from '../util/path-template.ts';
import { type Document, getTarget, toNode } from './document.ts';
import { getRoutes, type Route } from './routes.ts';

/** Returns the parts of a document that the server can't follow: paths that no request can have, and styles of parameters. */
export function findIgnoredParts(document: Document): readonly Issue[] {
  const routes = getRoutes(document);
  return [...findUnreachablePaths(routes), ...findUnsupportedStyles(document, routes)];
}

function findUnreachablePaths(routes: readonly Route[]): readonly Issue[] {
  const first = new Map<string, string>();
  // All paths of the contract of the control API are the server's own.
  const isControl = routes.every(({ path }) => OWN_PATH.test(path));
  return routes.flatMap(({ method, path, pointer }) => {
    if (/[?#]/.test(path)) return [{ pointer, message: UNREACHABLE }];
    if (OWN_PATH.test(path) && !isControl) return [{ pointer, message: TAKEN }];
    const key = `${method} ${toPattern(path).replace(/(.)\/+$/, '$1')}`;
    const other = first.get(key);
    first.set(key, other ?? path);
    const message = `is never reached, because ${other} matches the same requests: remove one of them`;
    return other === undefined ? [] : [{ pointer, message }];
  });
}

const UNREACHABLE = 'is never reached, because the path has a query or a fragment: make it a parameter';

/** The paths of the control API, and of sandboxes. */
const OWN_PATH = /^\/_(?:control|sandbox)(?:\/|$)/;

const TAKEN =
  'is never reached, because the server uses the paths below /_control and /_sandbox itself: use another path';

/** Returns the path parameters with a style that is not parsed. */
function findUnsupportedStyles(document: Document, routes: readonly Route[]): readonly Issue[] {
  const pointers = routes.flatMap(({ parameters }) => parameters.map(({ pointer }) => pointer));
  return [...new Set(pointers)].flatMap((pointer) => {
    const { style } = toNode(getTarget(document, pointer));
    const message = `is read as the style simple, because ${style} is not supported: use simple`;
    return style === 'matrix' || style === 'label' ? [{ pointer: pointer + formatPointer('style'), message }] : [];
  });
}
