import { expect } from 'vitest';
import type { RawReply } from './raw-client.ts';
import type { Reply } from './start-storefront.ts';

/** An answer, however it was asked for. */
export type AnyReply = Reply | RawReply;

/** The header of an answer; of one that came more than once, the values with commas between. */
export function headerOf({ headers }: AnyReply, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  return headers[name.toLowerCase()]?.join(', ');
}

/** A path as RFC 3986 has it, by itself a URI reference: it doesn't begin with two slashes. */
const PATH_REFERENCE = /^(?!\/\/)\/(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2})*$/;

/** Expects an answer to be a complete problem document with this status and code. */
export function expectProblem(reply: AnyReply, status: number, code: string, about = code): void {
  expect(reply.status, about).toBe(status);
  expect(headerOf(reply, 'Content-Type'), about).toBe('application/problem+json');
  expect(headerOf(reply, 'Cache-Control'), about).toBe('no-store');
  expect(reply.body, about).toMatchObject({
    type: `/problems/${code}`,
    title: expect.stringMatching(/\S/),
    status,
    detail: expect.stringMatching(/\S/),
    message: reply.body?.detail,
    instance: expect.stringMatching(PATH_REFERENCE),
  });
}

/** Expects an answer that a hostile request may get: JSON and success, or a problem that is the request's own. */
export function expectNoFault(reply: AnyReply, about: string): void {
  expect(reply.status, about).toBeLessThan(500);
  const type = headerOf(reply, 'Content-Type');
  if (reply.status >= 400) {
    expect(type, about).toBe('application/problem+json');
    expect(reply.body, about).toMatchObject({ status: reply.status, instance: expect.stringMatching(PATH_REFERENCE) });
  } else if (reply.status !== 204) {
    expect(type, about).toBe('application/json');
    expect(reply.body, about).toBeDefined();
  }
}
