import type { Exchange } from '../../check/exchange.ts';
import type { Finding } from '../../check/findings.ts';
import { SAFE_METHODS, type Session } from '../../check/session.ts';

/** Ids and times, which differ each time a sequence is sent. */
const OWN = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b\d{13}\b/gi;

/** Returns a finding without the reads before its last request, if it has the same outcome without them; otherwise as it is. */
export async function withoutReads(session: Session, finding: Finding): Promise<Finding> {
  const { exchanges } = finding;
  const last = exchanges.at(-1);
  const changing = exchanges.filter((one) => one === last || !SAFE_METHODS.includes(one.request.method));
  if (!last || changing.length === exchanges.length || (await replay(session, changing)) !== toOutcome(last))
    return finding;
  return { ...finding, exchanges: changing };
}

/** Sends requests again. Returns the outcome of the last one; undefined if one gets no response. */
async function replay({ client }: Session, exchanges: readonly Exchange[]): Promise<string | undefined> {
  let outcome: string | undefined;
  for (const { request } of exchanges) {
    const response = await client.send(request).catch(() => undefined);
    if (!response) return undefined;
    outcome = toOutcome({ request, response });
  }
  return outcome;
}

function toOutcome({ response: { status, text } }: Exchange): string {
  return `${status} ${text.replaceAll(OWN, '')}`;
}
