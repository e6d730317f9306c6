import type { Exchange } from '../../check/exchange.ts';
import type { Finding } from '../../check/findings.ts';
import { SAFE, type Session } from '../../check/session.ts';

/** Ids and times, which are others whenever a sequence is sent again. */
const OWN = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b\d{13}\b/gi;

/** A finding without the requests before the last one that only read, if the others alone lead to the same answer; else as it is. */
export async function withoutLooks(session: Session, finding: Finding): Promise<Finding> {
  const { exchanges } = finding;
  const last = exchanges.at(-1);
  const changing = exchanges.filter((one) => one === last || !SAFE.includes(one.ask.method));
  if (!last || changing.length === exchanges.length || (await endOf(session, changing)) !== outcomeOf(last))
    return finding;
  return { ...finding, exchanges: changing };
}

/** What comes of the last one of some requests that are sent again; undefined where one gets no answer. */
async function endOf({ client }: Session, exchanges: readonly Exchange[]): Promise<string | undefined> {
  let outcome: string | undefined;
  for (const { ask } of exchanges) {
    const reply = await client.send(ask).catch(() => undefined);
    if (!reply) return undefined;
    outcome = outcomeOf({ ask, reply });
  }
  return outcome;
}

function outcomeOf({ reply: { status, text } }: Exchange): string {
  return `${status} ${text.replaceAll(OWN, '')}`;
}
