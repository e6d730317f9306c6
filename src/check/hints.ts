import type { Contract } from '../openapi/contract.ts';
import { getNode, toNode } from '../openapi/document.ts';
import { findMediaType } from '../openapi/media-types.ts';
import { findResponse } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import type { Exchange, ReceivedResponse } from './exchange.ts';

/** What a response says about the server around the API, and the options for it. */
interface Hint {
  readonly kind: 'login' | 'csrf' | 'gateway' | 'certificate' | 'oauth';
  readonly text: string;
}

const LOG_IN =
  "Send a session with -H 'Cookie: NAME=VALUE' or a token with -H 'Authorization: Bearer TOKEN', or log in with check.before or check.credentials of the configuration file";

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

const LOGIN_PAGE = /log-?in|sign-?in|\bsso\b|saml|openid|oauth|authori[sz]e/i;

/** The statuses of a proxy whose server does not respond (RFC 9110, section 15.6). */
const GATEWAY_STATUSES: readonly number[] = [502, 503, 504];

/** The statuses with which servers refuse a request without a CSRF token. Laravel uses 419. */
const CSRF_STATUSES: readonly number[] = [400, 403, 419, 422];

/** Collects hints for the report: one of each kind. */
export class Hints {
  readonly #contract: Contract;
  readonly #hints = new Map<Hint['kind'], string>();
  /** The cookie with a CSRF token that a response has set. */
  #csrfCookie: string | undefined;

  constructor(contract: Contract) {
    this.#contract = contract;
  }

  get texts(): readonly string[] {
    return [...this.#hints.values()];
  }

  /** Adds the hint that the first response of each kind gives. */
  observe(route: Route, exchange: Exchange): void {
    const [, cookie] =
      /(?:^|,\s*)([^=;,\s]*(?:csrf|xsrf)[^=;,\s]*)=/i.exec(exchange.response.headers['set-cookie'] ?? '') ?? [];
    this.#csrfCookie ??= cookie;
    const hint = this.#find(route, exchange);
    if (hint && !this.#hints.has(hint.kind)) this.#hints.set(hint.kind, hint.text);
  }

  #find(route: Route, { request, response }: Exchange): Hint | undefined {
    const { status, headers, text } = response;
    const name = `${route.method} ${route.path}`;
    const isDocumented = findResponse(route.responses, status) !== undefined;
    const isPage = isUndocumentedPage(route, response);
    const location = headers.location ?? '';
    if (REDIRECTS.includes(status) && !isDocumented && LOGIN_PAGE.test(location))
      return { kind: 'login', text: `${name} redirects to a login page (${location.split('?', 1)[0]}). ${LOG_IN}` };
    if (isPage && /<input\b[^>]*\btype\s*=\s*["']?password/i.test(text))
      return { kind: 'login', text: `${name} responds with a login page. ${LOG_IN}` };
    if (status === 400 && isPage && /SSL certificate/i.test(text))
      return {
        kind: 'certificate',
        text: `${name} is refused without a certificate of the client: add it with --cert FILE and --key FILE`,
      };
    if (GATEWAY_STATUSES.includes(status) && isPage) {
      const proxy = headers.server === undefined ? 'A proxy' : `A proxy (${headers.server})`;
      return {
        kind: 'gateway',
        text: `${proxy} responds to ${name} with ${status}, and not the server: the server does not run, or gets too many requests. Wait for it with --wait SECONDS, or use --rate 10/s`,
      };
    }
    if (isCsrfRefusal(request.method, response)) return { kind: 'csrf', text: this.#describeCsrf(name, status) };
    return status === 401 && request.isAnonymous !== true ? this.#findOAuth(route) : undefined;
  }

  #describeCsrf(name: string, status: number): string {
    const cookie = this.#csrfCookie ?? 'XSRF-TOKEN';
    const header = { 'XSRF-TOKEN': 'X-XSRF-TOKEN', csrftoken: 'X-CSRFToken' }[cookie] ?? 'X-CSRF-Token';
    return `${name} is refused without a CSRF token (status ${status}). Send the token of a cookie back with --csrf COOKIE:HEADER, such as --csrf ${cookie}:${header}`;
  }

  /** Returns a hint about OAuth client credentials, with which a check can get a token by itself. */
  #findOAuth({ security }: Route): Hint | undefined {
    for (const { schemeName } of security.flat()) {
      const scheme = toNode(getNode(this.#contract.document, `/components/securitySchemes/${schemeName}`));
      const { clientCredentials } = toNode(scheme.flows);
      if (clientCredentials === undefined) continue;
      const url = String(toNode(clientCredentials).tokenUrl);
      const text = `The contract has OAuth client credentials, with tokens from ${url}: return one from check.credentials.${schemeName} of the configuration file`;
      return { kind: 'oauth', text };
    }
    return undefined;
  }
}

function isUndocumentedPage({ responses }: Route, { status, headers, text }: ReceivedResponse): boolean {
  const types = Object.keys(findResponse(responses, status)?.media ?? {});
  const isHtml = /^text\/html\b/i.test(headers['content-type'] ?? '') || /^\s*<(?:!doctype html|html)\b/i.test(text);
  return isHtml && findMediaType(types, 'text/html') === undefined;
}

function isCsrfRefusal(method: string, { status, text, headers }: ReceivedResponse): boolean {
  const isWrite = method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS';
  const isNamed = /csrf|xsrf|cross.?site request forgery/i.test(text + (headers['x-csrf-token'] ?? ''));
  return isWrite && CSRF_STATUSES.includes(status) && (status === 419 || isNamed);
}
