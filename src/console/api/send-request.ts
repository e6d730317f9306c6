import type { SentRequest } from '../model/code.ts';

/**
 * Sends a request to the application and selects a sandbox with `X-Sandbox`.
 * Resolves to the status of the response.
 * Rejects if there is no response.
 */
export async function sendRequest({ method, target, headers, body }: SentRequest, sandbox: string): Promise<number> {
  const response = await fetch(target, {
    method,
    headers: { ...headers, 'X-Sandbox': sandbox },
    ...(body !== undefined && { body }),
  }).catch(() => {
    throw new Error('The server sent no response. Select the request in the list to see the reason.');
  });
  await response.arrayBuffer().catch(() => undefined);
  return response.status;
}
