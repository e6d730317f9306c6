import type { SteeringCommand } from './options.ts';

/** A server that could not be steered: `message` says why, and what to do. */
export class SteeringFault extends Error {
  override readonly name = 'SteeringFault';
}

/** Asks the control of a running server for something; gives back what it answers, as text. Throws `SteeringFault` where it doesn't do it. */
export async function steer({ url, token, method, path, body }: SteeringCommand): Promise<string> {
  const headers = {
    ...(method === 'PUT' || method === 'POST' ? { 'content-type': 'application/json' } : {}),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  const response = await fetch(`${url}/_control/sandboxes/${path}`, {
    method,
    headers,
    ...(body ? { body: JSON.stringify(body) } : {}),
  }).catch((cause: Error) => {
    throw new SteeringFault(`no server answers at ${url} (${causeOf(cause)}): start it, or name another with --url`, {
      cause,
    });
  });
  const text = await response.text();
  if (response.ok) return text;
  throw new SteeringFault(
    detailIn(text) ?? `${url} answers ${response.status}: it is no storefront that can be steered`,
  );
}

function causeOf({ cause, message }: Error): string {
  return (cause as Error | undefined)?.message || message;
}

function detailIn(text: string): string | undefined {
  try {
    const { detail } = JSON.parse(text) as { detail?: unknown };
    return typeof detail === 'string' ? detail : undefined;
  } catch {
    // Another server's page.
    return undefined;
  }
}
