import type { Exchange } from '../../check/exchange.ts';
import { getResponseName, type Rule } from '../../check/session.ts';
import { removeTypeParameters } from '../../openapi/responses.ts';

/** The place in the contract of the rules for all responses (JSON Pointer). */
export const DESCRIPTION_POINTER = '/info/description';

/** An origin that the shop must allow: the default address of the Vite development server. */
export const ALLOWED_ORIGIN = 'http://localhost:5173';

/** The function that finds the violations of each rule. It returns a sentence for each violation. */
const violationFinders: Readonly<Record<string, (exchange: Exchange) => readonly string[]>> = {
  'no-store': ({ response: { headers } }) =>
    /\bno-store\b/i.test(headers['cache-control'] ?? '')
      ? []
      : [`Cache-Control is ${headers['cache-control']} instead of no-store`],
  CORS({ request: { headers: { origin } = {} }, response }) {
    const allowed = response.headers['access-control-allow-origin'];
    if (origin === undefined || allowed === '*' || allowed === origin) return [];
    return [`Pages of ${origin} cannot read the response: Access-Control-Allow-Origin is ${allowed}`];
  },
  access: (exchange) =>
    isAccessDenial(exchange)
      ? [`Status ${exchange.response.status}, but no operation of the contract requires credentials`]
      : [],
  'problem document': findProblemViolations,
};

/** The rules that every response of the shop must follow, and that a schema can't express. */
export const shopRules: readonly Rule[] = Object.entries(violationFinders).map(([rule, find]) => (route, exchange) => {
  const status = getResponseName(route, exchange.response.status);
  return find(exchange).map((message) => ({ status, rule, message, pointer: DESCRIPTION_POINTER }));
});

/**
 * Returns whether a response denies access without a documented reason. No operation of the shop requires credentials, and the check sends only an
 * origin that the shop must allow. A 403 response for an unknown host is documented. A response to HEAD is ignored, since it has no body with a reason.
 */
function isAccessDenial({ request: { method }, response: { status, body } }: Exchange): boolean {
  const { type } = (body ?? {}) as Readonly<Record<string, unknown>>;
  return status === 401 || (status === 403 && method !== 'HEAD' && !String(type).endsWith('/host-not-allowed'));
}

/** Returns how the body of a problem document contradicts itself or the request. */
function findProblemViolations({ request, response: { headers, body } }: Exchange): readonly string[] {
  if (removeTypeParameters(headers['content-type'] ?? '') !== 'application/problem+json') return [];
  const { type, detail, message, instance, violations } = (body ?? {}) as Readonly<Record<string, unknown>>;
  const path = (request.target.split('?')[0] ?? '').replace(/\/+$/, '');
  // A server may return a path with or without escapes.
  const isPlain = /^[\w/-]*$/.test(path);
  const found: string[] = [];
  if (message !== undefined && detail !== message)
    found.push('The message of the problem document differs from its detail');
  if (String(type).endsWith('/invalid-request') && !Array.isArray(violations))
    found.push('The problem document has no violations');
  if (isPlain && instance !== undefined && !String(instance).replace(/\/+$/, '').endsWith(path))
    found.push(`The instance of the problem document is ${instance} instead of ${path}`);
  return found;
}
