import { redactFullText } from '../util/redact-secrets.ts';
import type { Access } from './access.ts';
import { Client } from './client.ts';
import type { HookSend } from './hooks.ts';

/** The maximum length of a response in a message, in characters. */
const MAX_LENGTH = 200;

/** Creates the function with which hooks send requests. */
export function createSend(
  url: string | undefined,
  { signal, access }: { readonly signal?: AbortSignal | undefined; readonly access?: Access | undefined },
): HookSend {
  return async ({ path, body, method = body === undefined ? 'GET' : 'POST', headers = {} }) => {
    const { base, target } = splitUrl(url, path);
    const own = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    const { type, text } = serialize(body);
    const client = new Client(base, {}, { signal, access });
    try {
      const response = await client.send({
        method,
        target,
        headers: { accept: 'application/json', ...(type === undefined ? {} : { 'content-type': type }), ...own },
        ...(text === undefined ? {} : { body: text }),
      });
      if (response.status < 400) return { status: response.status, headers: response.headers, body: response.body };
      throw new Error(
        `${method} ${path} responds with ${response.status} ${redactFullText(response.text).slice(0, MAX_LENGTH)}`.trim(),
      );
    } finally {
      client.close();
    }
  };
}

/** Returns the URL of the server of a request, and the rest of the URL. */
function splitUrl(url: string | undefined, path: string): { readonly base: string; readonly target: string } {
  if (/^https?:/i.test(path) && URL.canParse(path)) {
    const { origin, pathname, search } = new URL(path);
    return { base: origin, target: pathname + search };
  }
  if (url === undefined) throw new Error('send needs a whole URL for a check without the URL of a server');
  return { base: url, target: path.startsWith('/') ? path : `/${path}` };
}

function serialize(body: unknown): { readonly type?: string; readonly text?: string } {
  if (body === undefined) return {};
  if (typeof body === 'string') return { text: body };
  if (body instanceof URLSearchParams) return { type: 'application/x-www-form-urlencoded', text: String(body) };
  return { type: 'application/json', text: JSON.stringify(body) };
}
