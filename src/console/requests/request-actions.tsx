import type { JournalEntry } from '../../control/operation.ts';
import { sendRequest } from '../api/send-request.ts';
import { describeMissingSecrets, explainUnsendable, toCurl, toFetch, toSentRequest, toTest } from '../model/code.ts';
import { ActionButton, CopyButton } from '../ui/buttons.tsx';
import { useConsole } from '../ui/context.ts';

/** The actions for a recorded request: send it again, copy it as code, and add a fault for its operation. */
export function RequestActions({ entry, sandbox }: { readonly entry: JournalEntry; readonly sandbox: string }) {
  const { notices, router } = useConsole();
  const request = toSentRequest(entry);
  const unsendable = explainUnsendable(entry);
  const explanation = unsendable ?? describeMissingSecrets(entry);
  const { origin } = location;
  const send = async () => notices.show(`The response has the status ${await sendRequest(request, sandbox)}`);
  return (
    <div class="actions">
      <ActionButton class="primary" action={send} isDisabled={unsendable !== undefined}>
        Send again
      </ActionButton>
      <fieldset class="copy-group">
        <legend>Copy as</legend>
        <CopyButton name="curl" getText={() => toCurl(request, origin, sandbox)} />
        <CopyButton name="fetch" getText={() => toFetch(request, origin, sandbox)} />
        <CopyButton name="test" getText={() => toTest(entry)} />
      </fieldset>
      {entry.operation !== undefined && (
        <a
          class="button"
          href={router.link({ view: 'control', sandbox, values: { fault: entry.operation, section: 'faults' } })}
        >
          Add a fault
        </a>
      )}
      {explanation !== undefined && <p class="muted">{explanation}</p>}
    </div>
  );
}
