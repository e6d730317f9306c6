import type { TestResponse } from './start-storefront.ts';

/** Returns a page with the placeholder of the built file in place of the nonce. */
export function withoutNonce({ text, headers }: TestResponse): string {
  const [, nonce = ''] = /'nonce-([^']+)'/.exec(headers.get('content-security-policy') ?? '') ?? [];
  return text.replaceAll(nonce, 'CSP-NONCE');
}
