import type { IncomingHttpHeaders } from 'node:http';
import { normalizeEscapes } from '../openapi/routes.ts';
import { SANDBOX_ID, SANDBOX_ID_REMEDY } from '../util/ids.ts';
import { HttpProblemError } from '../util/problem.ts';
import { getPathname, toDecodablePath } from '../util/request-target.ts';
import type { Location, SandboxTarget } from './exchange.ts';

/**
 * The maximum length of a path, in characters.
 * Other servers have a similar limit for the whole URL, and decoding a longer path would delay other requests.
 */
export const MAX_PATH_LENGTH = 8_000;

/** Throws an `HttpProblemError` if the path in a request target is too long. */
export function refuseLongPath(target: string): void {
  const { length } = getPathname(target);
  if (length <= MAX_PATH_LENGTH) return;
  const detail = `the path has ${length} characters: send a path of at most ${MAX_PATH_LENGTH} characters`;
  throw new HttpProblemError({ code: 'malformed-request', detail });
}

/** Splits a request target into its parts. */
export function createLocation({ sandboxId, prefix, target }: SandboxTarget): Location {
  const end = target.indexOf('?');
  const [pathname, querystring] = end === -1 ? [target, ''] : [target.slice(0, end), target.slice(end + 1)];
  const path = getPathname(target);
  return {
    sandboxId,
    prefix,
    basePath: '',
    target,
    pathname,
    path: target.includes('%') ? normalizeEscapes(toDecodablePath(path)) : path,
    querystring,
  };
}

const HEADER = 'x-sandbox';
const IN_PATH = /^(\/_sandbox\/([^/?]*))(\/[^?]*)?(\?.*)?$/;
const IN_HOST = /^([^.]+)\.localhost(?::\d+)?$/i;
const IN_COOKIE = /(?:^|;\s*)sandbox=([^;]*)/;

/**
 * Returns whether a request might name a sandbox.
 * Takes less time than `getNamedSandbox`, which is only necessary if this function returns true.
 */
export function mayNameSandbox(target: string, headers: IncomingHttpHeaders): boolean {
  return (
    headers[HEADER] !== undefined ||
    target.startsWith('/_sandbox/') ||
    (headers.cookie?.includes('sandbox=') ?? false) ||
    /\.localhost(:|$)/i.test(headers.host ?? '')
  );
}

/**
 * Returns the id of the sandbox that a request names.
 * Looks for the id in the header `X-Sandbox`, the path, the host and the cookie, in this order.
 * Throws an `HttpProblemError` if the id in the header or in the path is invalid, or if these two ids differ.
 * Ignores an invalid id in the host or the cookie.
 */
export function getNamedSandbox(target: string, headers: IncomingHttpHeaders): SandboxTarget {
  const header = headers[HEADER]?.toString();
  const [, prefix = '', inPath, rest = '/', query = ''] = IN_PATH.exec(target) ?? [];
  if (header !== undefined && !SANDBOX_ID.test(header)) throw createIdProblem('header', header, SANDBOX_ID_REMEDY);
  if (inPath !== undefined && !SANDBOX_ID.test(inPath)) throw createIdProblem('path', inPath, SANDBOX_ID_REMEDY);
  if (header !== undefined && inPath !== undefined && header !== inPath)
    throw createIdProblem('header', header, `it differs from ${inPath} in the path: send only one of the two ids`);
  const sandboxId =
    header ?? inPath ?? findId(IN_HOST, headers.host?.toLowerCase()) ?? findId(IN_COOKIE, headers.cookie);
  return { sandboxId, prefix, target: prefix === '' ? target : rest + query };
}

function findId(pattern: RegExp, text: string | undefined): string | undefined {
  const id = pattern.exec(text ?? '')?.[1]?.trim();
  return id !== undefined && SANDBOX_ID.test(id) ? id : undefined;
}

function createIdProblem(place: 'header' | 'path', id: string, remedy: string): HttpProblemError {
  const value = id.slice(0, 100);
  const [pointer, source] = place === 'header' ? ['/X-Sandbox', 'X-Sandbox header'] : ['/sandbox', 'path'];
  const detail = `the sandbox ${JSON.stringify(value)} in the ${source} is invalid: ${remedy}`;
  const violation = { in: place, pointer, rule: 'sandbox', value, remedy };
  return new HttpProblemError({ code: 'invalid-request', detail, violations: [violation] });
}
