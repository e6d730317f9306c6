import { useState } from 'preact/hooks';
import type { JournalEntry } from '../../control/operation.ts';
import { sendRequest } from '../api/send-request.ts';
import {
  describeMissingSecrets,
  explainUnsendable,
  listSecretHeaders,
  type Secrets,
  toCopiedRequest,
  toCurl,
  toFetch,
  toSentRequest,
  toTest,
} from '../model/code.ts';
import { ActionButton, CopyButton } from '../ui/buttons.tsx';
import { useConsole } from '../ui/context.ts';

/** The secrets that the user has entered, by the name of the header. The page keeps them until it is closed, and stores them nowhere. */
let entered: Secrets = {};

/** The actions for a recorded request: send it again, copy it as code, and add a fault for its operation. */
export function RequestActions({ entry, sandbox }: { readonly entry: JournalEntry; readonly sandbox: string }) {
  const { notices, router } = useConsole();
  const [secrets, setSecrets] = useState(entered);
  const copied = toCopiedRequest(entry, secrets);
  const unsendable = explainUnsendable(entry);
  const explanation = unsendable ?? describeMissingSecrets(entry, secrets);
  const { origin } = location;
  const send = async () =>
    notices.show(`The response has the status ${await sendRequest(toSentRequest(entry, secrets), sandbox)}`);
  const setSecret = (name: string, value: string) => {
    entered = { ...entered, [name]: value };
    setSecrets(entered);
  };
  return (
    <div class="actions">
      {listSecretHeaders(entry).map((name) => (
        <SecretField key={name} name={name} value={secrets[name] ?? ''} onInput={(value) => setSecret(name, value)} />
      ))}
      <ActionButton class="primary" action={send} isDisabled={unsendable !== undefined}>
        Send again
      </ActionButton>
      <fieldset class="copy-group">
        <legend>Copy as</legend>
        <CopyButton name="curl" getText={() => toCurl(copied, origin, sandbox)} />
        <CopyButton name="fetch" getText={() => toFetch(copied, origin, sandbox)} />
        <CopyButton name="test" getText={() => toTest(entry, secrets)} />
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

/** The properties of a `SecretField`. `name`: the name of the header. */
interface SecretFieldProps {
  readonly name: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
}

/** The field for the value of a header that the journal does not store. The page shows the value masked. */
function SecretField({ name, value, onInput }: SecretFieldProps) {
  return (
    <label class="field grow">
      <span>{name}</span>
      <input
        type="password"
        autocomplete="off"
        placeholder={name === 'authorization' ? 'Bearer TOKEN' : undefined}
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </label>
  );
}
