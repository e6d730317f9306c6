import type { IncomingHttpHeaders } from 'node:http';
import { HttpProblemError } from '../problem.ts';

/** The sandbox that a request names, and its target without that name. */
export interface NamedSandbox {
  readonly id: string;
  /** The part of the path that names it, `/_sandbox/w3`; empty if something else does. */
  readonly prefix: string;
  /** The target without the prefix. */
  readonly target: string;
}

const ID = /^[a-z0-9][a-z0-9-]{0,62}$/;
const ID_REMEDY = 'use up to 63 small letters, digits and hyphens, the first no hyphen';

const HEADER = 'x-sandbox';
const IN_PATH = /^(\/_sandbox\/([^/?]*))(\/[^?]*)?(\?.*)?$/;
const IN_HOST = /^([^.]+)\.localhost(?::\d+)?$/i;
const IN_COOKIE = /(?:^|;\s*)sandbox=([^;]*)/;

/** Whether a request can name a sandbox: a fast test, which most requests fail. */
export function mayNameSandbox(target: string, headers: IncomingHttpHeaders): boolean {
  return (
    headers[HEADER] !== undefined ||
    target.startsWith('/_sandbox/') ||
    (headers.cookie?.includes('sandbox=') ?? false) ||
    /\.localhost(:|$)/i.test(headers.host ?? '')
  );
}

/**
 * Returns the sandbox that a request names by header, path, host or cookie, in this order; undefined if it names none. Throws `HttpProblemError` for an
 * invalid id in header or path, and if the two differ. A host or a cookie without a valid id means something else.
 */
export function getNamedSandbox(target: string, headers: IncomingHttpHeaders): NamedSandbox | undefined {
  const header = headers[HEADER];
  const [, prefix = '', inPath, rest = '/', query = ''] = IN_PATH.exec(target) ?? [];
  if (header !== undefined && !ID.test(String(header))) throw createIdProblem('header', String(header), ID_REMEDY);
  if (inPath !== undefined && !ID.test(inPath)) throw createIdProblem('path', inPath, ID_REMEDY);
  if (header !== undefined && inPath !== undefined && header !== inPath) {
    throw createIdProblem('header', String(header), `the path names ${inPath}: name one sandbox, or the same twice`);
  }
  const id = header ?? inPath ?? findId(IN_HOST, headers.host?.toLowerCase()) ?? findId(IN_COOKIE, headers.cookie);
  return id === undefined ? undefined : { id: String(id), prefix, target: prefix === '' ? target : rest + query };
}

function findId(pattern: RegExp, text: string | undefined): string | undefined {
  const id = pattern.exec(text ?? '')?.[1]?.trim();
  return id !== undefined && ID.test(id) ? id : undefined;
}

function createIdProblem(place: 'header' | 'path', id: string, remedy: string): HttpProblemError {
  const value = id.slice(0, 100);
  return new HttpProblemError({
    code: 'invalid-request',
    detail: `the sandbox ${JSON.stringify(value)} that the ${place} names can't be used: ${remedy}`,
    violations: [
      { in: place, pointer: place === 'header' ? '/X-Sandbox' : '/sandbox', rule: 'sandbox', value, remedy },
    ],
  });
}
