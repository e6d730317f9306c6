import type { TestResponse, TestShop } from '../support/harness/start-storefront.ts';

/** Sends a request with a `Prefer` header. */
export function askPreferring(
  { ask }: TestShop,
  prefer: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<TestResponse> {
  return ask(method, path, body, { Prefer: prefer });
}

/** Returns the preferences in the `Preference-Applied` header. */
export function getApplied({ headers }: TestResponse): readonly string[] {
  return (headers.get('preference-applied') ?? '').split(', ').filter((text) => text !== '');
}
