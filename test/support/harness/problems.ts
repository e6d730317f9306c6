import { expect } from 'vitest';
import type { RawResponse } from './raw-client.ts';
import type { TestResponse } from './start-storefront.ts';

/** A response of the client with fetch or of the client with raw sockets. */
export type AnyResponse = TestResponse | RawResponse;

/** Returns the value of a header in a response. Joins several values with commas. */
export function getHeader({ headers }: AnyResponse, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  return headers[name.toLowerCase()]?.join(', ');
}

/** Matches a path (RFC 3986) that is a valid URI reference: it does not start with two slashes. */
const PATH_REFERENCE = /^(?!\/\/)\/(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2})*$/;

/** Expects a response to be a problem document with all properties, this status and this code. `about`: a text for the failure report. */
export function expectProblem(reply: AnyResponse, status: number, code: string, about = code): void {
  expect(reply.status, about).toBe(status);
  expect(getHeader(reply, 'Content-Type'), about).toBe('application/problem+json');
  expect(getHeader(reply, 'Cache-Control'), about).toBe('no-store');
  expect(reply.body, about).toMatchObject({
    type: `/problems/${code}`,
    title: expect.stringMatching(/\S/),
    status,
    detail: expect.stringMatching(/\S/),
    message: reply.body?.detail,
    error: reply.body?.detail,
    instance: expect.stringMatching(PATH_REFERENCE),
  });
}

/** Expects a response without a server error: JSON with a success status, or a problem document with a 4xx status. `about`: a text for the failure report. */
export function expectNoServerError(reply: AnyResponse, about: string): void {
  expect(reply.status, about).toBeLessThan(500);
  const type = getHeader(reply, 'Content-Type');
  if (reply.status >= 400) {
    expect(type, about).toBe('application/problem+json');
    expect(reply.body, about).toMatchObject({ status: reply.status, instance: expect.stringMatching(PATH_REFERENCE) });
  } else if (reply.status !== 204) {
    expect(type, about).toBe('application/json');
    expect(reply.body, about).toBeDefined();
  }
}

/** Returns the JSON Pointers of all violations in a problem document. */
export function getPointers({ body }: TestResponse): readonly string[] {
  return body.violations.map(({ pointer }: { pointer: string }) => pointer);
}
