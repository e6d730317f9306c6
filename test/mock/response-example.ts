import { type DocumentedOperation, getMediaType } from '../support/fixtures/contract-document.ts';

/** Returns a response example by its name, with its status. */
export function getExample({ operationId, responses }: DocumentedOperation, name: string) {
  for (const [status, response] of Object.entries(responses)) {
    const example = getMediaType(response)?.examples?.[name];
    // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects in there.
    if (example) return { status: Number(status), body: example.value as any };
  }
  if (operationId === 'removeCartItem') return { status: 204, body: undefined };
  throw new Error(`${operationId} has no answer named ${name}`);
}
