import type { ReceivedResponse, RequestToSend } from './exchange.ts';

/** Where a server expects a CSRF token: the value of a cookie must come back in a header. */
export interface CsrfOptions {
  readonly cookie: string;
  readonly header: string;
  /** The path of a response that sets the cookie. Default: any response can set it. */
  readonly path?: string | undefined;
}

/** Methods for which servers require no token. */
const SAFE_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS', 'TRACE'];

/** Sends the CSRF token of a cookie back in a header, with the cookies that the server has set beside it. */
export class CsrfToken {
  readonly #options: CsrfOptions;
  #cookies: ReadonlyMap<string, string> = new Map();

  constructor(options: CsrfOptions) {
    this.#options = options;
  }

  get path(): string | undefined {
    return this.#options.path;
  }

  /** Remembers the cookies of a response that sets the token, and new values of these cookies. */
  observe({ headers }: ReceivedResponse): void {
    const pairs = listSetCookies(headers);
    const isNew = pairs.some(([name]) => name === this.#options.cookie);
    const known = pairs.filter(([name]) => isNew || this.#cookies.has(name));
    if (known.length > 0) this.#cookies = new Map([...this.#cookies, ...known]);
  }

  /** Adds the token and the cookies to a request. `common`: headers that every request has. */
  apply(request: RequestToSend, common: Readonly<Record<string, string>>): RequestToSend {
    const { cookie, header } = this.#options;
    const token = this.#cookies.get(cookie);
    if (token === undefined || request.isAnonymous === true) return request;
    const sent = request.headers?.cookie ?? common.cookie ?? '';
    const own = sent.split(/;\s*/).filter((pair) => pair !== '');
    const added = [...this.#cookies].filter(([name]) => !own.some((pair) => pair.startsWith(`${name}=`)));
    const cookies = [...own, ...added.map(([name, value]) => `${name}=${value}`)].join('; ');
    const withHeader = SAFE_METHODS.includes(request.method) ? {} : { [header.toLowerCase()]: decode(token) };
    return { ...request, headers: { ...withHeader, ...request.headers, cookie: cookies } };
  }
}

/** Returns the names and the values of the cookies that a response sets. */
export function listSetCookies(headers: ReceivedResponse['headers']): readonly (readonly [string, string])[] {
  return (headers['set-cookie'] ?? '').split(/,\s*(?=[^;,=\s]+=)/).flatMap((text) => {
    const [, name, value = ''] = /^([^=;]+)=([^;]*)/.exec(text.trim()) ?? [];
    return name === undefined ? [] : [[name, value] as const];
  });
}

/** Decodes a token, which some servers escape in the cookie, as browser libraries do. */
function decode(token: string): string {
  try {
    return decodeURIComponent(token);
  } catch {
    // The token is no escaped text.
    return token;
  }
}
