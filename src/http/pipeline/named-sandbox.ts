import type { IncomingMessage } from 'node:http';
import { HttpProblemError } from '../problem.ts';

/** The sandbox that a request names, and what of its URL is left without it. */
interface NamedSandbox {
  readonly id: string;
  /** What stands before the rest of the path, `/_sandbox/w3`; empty where the path names none. */
  readonly prefix: string;
  /** The URL without the prefix. */
  readonly url: string;
}

/** An id of a sandbox. */
const ID = /^[a-z0-9][a-z0-9-]{0,62}$/;

const HEADER = 'x-sandbox';
const IN_PATH = /^(\/_sandbox\/([^/?]*))(\/[^?]*)?(\?.*)?$/;
const IN_HOST = /^([^.]+)\.localhost(?::\d+)?$/i;
const IN_COOKIE = /(?:^|;\s*)sandbox=([^;]*)/;

/** Whether a request may name a sandbox in any way: a look that costs next to nothing. */
export function mayNameSandbox({ url = '', headers }: IncomingMessage): boolean {
  return (
    headers[HEADER] !== undefined ||
    url.startsWith('/_sandbox/') ||
    (headers.cookie?.includes('sandbox=') ?? false) ||
    /\.localhost(:|$)/i.test(headers.host ?? '')
  );
}

/**
 * The sandbox that a request names by header, path, host or cookie, in this order; undefined where it names none. Throws a `HttpProblemError` for an id that is
 * none, and where header and path disagree. A host or a cookie that has no id is taken for one that means something else.
 */
export function getNamedSandbox({ url = '/', headers }: IncomingMessage): NamedSandbox | undefined {
  const header = headers[HEADER];
  const [, prefix = '', inPath, rest = '/', query = ''] = IN_PATH.exec(url) ?? [];
  if (header !== undefined && !ID.test(String(header))) throw refusal('header', String(header), NO_ID);
  if (inPath !== undefined && !ID.test(inPath)) throw refusal('path', inPath, NO_ID);
  if (header !== undefined && inPath !== undefined && header !== inPath) {
    throw refusal('header', String(header), `the path names ${inPath}: name one sandbox, or the same twice`);
  }
  const left = prefix === '' ? url : rest + query;
  const id = header ?? inPath ?? idIn(IN_HOST, headers.host?.toLowerCase()) ?? idIn(IN_COOKIE, headers.cookie);
  return id === undefined ? undefined : { id: String(id), prefix, url: left };
}

const NO_ID = 'use up to 63 small letters, digits and hyphens, the first no hyphen';

function idIn(pattern: RegExp, text: string | undefined): string | undefined {
  const id = pattern.exec(text ?? '')?.[1]?.trim();
  return id !== undefined && ID.test(id) ? id : undefined;
}

function refusal(place: 'header' | 'path', value: string, remedy: string): HttpProblemError {
  const shown = value.slice(0, 100);
  return new HttpProblemError({
    code: 'invalid-request',
    detail: `the sandbox ${JSON.stringify(shown)} that the ${place} names can't be used: ${remedy}`,
    violations: [
      { in: place, pointer: place === 'header' ? '/X-Sandbox' : '/sandbox', rule: 'sandbox', value: shown, remedy },
    ],
  });
}
