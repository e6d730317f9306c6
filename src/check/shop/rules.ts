import { bareType } from '../../contract/responses.ts';
import type { Trouble } from '../findings.ts';
import { nameOf, type Rule } from '../session.ts';

/** Where the contract says what holds for all answers. */
export const FOR_ALL = '/info/description';

/** A page of another origin. */
export const ORIGIN = 'http://shop.example';

/** What the shop's contract says of all of its answers in words alone. */
export const shopRules: readonly Rule[] = [
  (route, { ask, reply: { status, headers, body } }) => {
    const trouble = (rule: string, said: string): Trouble => ({
      status: nameOf(route, status),
      rule,
      said,
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
        : [trouble('CORS', `may not be read from ${origin}: Access-Control-Allow-Origin is ${allowed}`)]),
      ...problemTroubles(headers, body, ask.target).map((said) => trouble('problem document', said)),
    ];
  },
];

function problemTroubles(headers: Readonly<Record<string, string>>, body: unknown, target: string): readonly string[] {
  if (bareType(headers['content-type'] ?? '') !== 'application/problem+json') return [];
  const { type, detail, message, instance, violations } = (body ?? {}) as Readonly<Record<string, unknown>>;
  const path = (target.split('?')[0] ?? '').replace(/\/+$/, '');
  // What is escaped in a path may be told in either way.
  const isPlain = /^[\w/-]*$/.test(path);
  return [
    ...(message === undefined || detail === message ? [] : ['message does not repeat detail']),
    ...(String(type).endsWith('/invalid-request') && !Array.isArray(violations) ? ['violations are not told'] : []),
    ...(isPlain && instance !== undefined && !String(instance).replace(/\/+$/, '').endsWith(path)
      ? [`instance is ${instance} instead of ${path}`]
      : []),
  ];
}
