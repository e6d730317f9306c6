import type { Ask } from '../../check/exchange.ts';
import type { FindingKind } from '../../check/findings.ts';
import { nameOf, type Rule } from '../../check/session.ts';
import { bareType } from '../../openapi/responses.ts';

/** Where the contract says what holds for all answers. */
export const FOR_ALL = '/info/description';

/** The origin of a front end on the developer's machine, which every policy lets in: Vite's default port. */
export const ORIGIN = 'http://localhost:5173';

/** What the shop's contract says of all of its answers in words alone. */
export const shopRules: readonly Rule[] = [
  (route, { ask, reply: { status, headers, body } }) => {
    const trouble = (rule: string, said: string): FindingKind => ({
      status: nameOf(route, status),
      rule,
      message: said,
      pointer: FOR_ALL,
    });
    const { origin } = ask.headers ?? {};
    const allowed = headers['access-control-allow-origin'];
    return [
      ...(/\bno-store\b/i.test(headers['cache-control'] ?? '')
        ? []
        : [trouble('no-store', `Cache-Control is ${headers['cache-control']} instead of no-store`)]),
      ...(origin === undefined || allowed === '*' || allowed === origin
        ? []
        : [trouble('CORS', `Pages of ${origin} cannot read the response: Access-Control-Allow-Origin is ${allowed}`)]),
      ...(isAccessDenial(ask, status, body)
        ? [trouble('access', `Status ${status}, but no operation of the contract requires credentials`)]
        : []),
      ...problemTroubles(headers, body, ask.target).map((said) => trouble('problem document', said)),
    ];
  },
];

/**
 * Whether a response denies access for a reason that the contract doesn't have: no operation needs credentials, and the check sends no origin but a
 * loopback one. 403 for a host name that is not allowed is documented; a response to HEAD doesn't say for what it is.
 */
function isAccessDenial({ method }: Ask, status: number, body: unknown): boolean {
  const { type } = (body ?? {}) as Readonly<Record<string, unknown>>;
  return status === 401 || (status === 403 && method !== 'HEAD' && !String(type).endsWith('/host-not-allowed'));
}

function problemTroubles(headers: Readonly<Record<string, string>>, body: unknown, target: string): readonly string[] {
  if (bareType(headers['content-type'] ?? '') !== 'application/problem+json') return [];
  const { type, detail, message, instance, violations } = (body ?? {}) as Readonly<Record<string, unknown>>;
  const path = (target.split('?')[0] ?? '').replace(/\/+$/, '');
  // What is escaped in a path may be told in either way.
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
