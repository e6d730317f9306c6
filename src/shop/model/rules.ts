import type { RequestToSend } from '../../check/exchange.ts';
import type { FindingKind } from '../../check/findings.ts';
import { getResponseName, type Rule } from '../../check/session.ts';
import { removeTypeParameters } from '../../openapi/responses.ts';

/** The place of the rules for all responses in the contract. */
export const FOR_ALL = '/info/description';

/** An origin that every CORS policy allows: the default port of Vite. */
export const ORIGIN = 'http://localhost:5173';

/** The rules for all responses that schemas can't express. */
export const shopRules: readonly Rule[] = [
  (route, { request, response: { status, headers, body } }) => {
    const violation = (rule: string, message: string): FindingKind => ({
      status: getResponseName(route, status),
      rule,
      message,
      pointer: FOR_ALL,
    });
    const { origin } = request.headers ?? {};
    const allowed = headers['access-control-allow-origin'];
    return [
      ...(/\bno-store\b/i.test(headers['cache-control'] ?? '')
        ? []
        : [violation('no-store', `Cache-Control is ${headers['cache-control']} instead of no-store`)]),
      ...(origin === undefined || allowed === '*' || allowed === origin
        ? []
        : [
            violation('CORS', `Pages of ${origin} cannot read the response: Access-Control-Allow-Origin is ${allowed}`),
          ]),
      ...(isAccessDenial(request, status, body)
        ? [violation('access', `Status ${status}, but no operation of the contract requires credentials`)]
        : []),
      ...findProblemViolations(headers, body, request.target).map((message) => violation('problem document', message)),
    ];
  },
];

/**
 * Whether a response denies access without a documented reason: no operation requires credentials, and the check sends only a loopback origin. 403 for a
 * host that is not allowed is documented; a response to HEAD has no reason.
 */
function isAccessDenial({ method }: RequestToSend, status: number, body: unknown): boolean {
  const { type } = (body ?? {}) as Readonly<Record<string, unknown>>;
  return status === 401 || (status === 403 && method !== 'HEAD' && !String(type).endsWith('/host-not-allowed'));
}

function findProblemViolations(
  headers: Readonly<Record<string, string>>,
  body: unknown,
  target: string,
): readonly string[] {
  if (removeTypeParameters(headers['content-type'] ?? '') !== 'application/problem+json') return [];
  const { type, detail, message, instance, violations } = (body ?? {}) as Readonly<Record<string, unknown>>;
  const path = (target.split('?')[0] ?? '').replace(/\/+$/, '');
  // Servers may return escapes in a path decoded or not.
  const isPlain = /^[\w/-]*$/.test(path);
  return [
    ...(message === undefined || detail === message
      ? []
      : ['The message of the problem document differs from its detail']),
    ...(String(type).endsWith('/invalid-request') && !Array.isArray(violations)
      ? ['The problem document has no violations']
      : []),
    ...(isPlain && instance !== undefined && !String(instance).replace(/\/+$/, '').endsWith(path)
      ? [`The instance of the problem document is ${instance} instead of ${path}`]
      : []),
  ];
}
