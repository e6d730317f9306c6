import { useState } from 'preact/hooks';
import type { ControlResponse } from '../../control/operation.ts';
import { formatQuantity } from '../model/format.ts';
import { ActionForm, Field } from '../ui/action-form.tsx';
import { ConfirmButton } from '../ui/buttons.tsx';
import { useConsole } from '../ui/context.ts';
import { useInterval, useLoaded } from '../ui/hooks.ts';
import { Card } from './card.tsx';

type Sandbox = ControlResponse<'listSandboxes'>[number];

/** The interval at which the card loads the list of sandboxes, in ms. */
const INTERVAL_MS = 3000;

/** The maximum number of sandboxes that the card lists. A server can have up to 10,000 sandboxes. */
const MAX_SHOWN = 100;

/** The card for the sandboxes of the server: create, select, reset and delete. */
export function SandboxesCard({ sandbox }: { readonly sandbox: string }) {
  const { api } = useConsole();
  const { data = [], error, isLoading, reload } = useLoaded('sandboxes', () => api.send('listSandboxes', {}));
  useInterval(reload, INTERVAL_MS);
  const [first, ...others] = data;
  const shown = [...(first === undefined ? [] : [first]), ...others.slice(-MAX_SHOWN).reverse()];
  return (
    <Card
      title="Sandboxes"
      text="Each sandbox has its own data, clock, ids, faults and requests."
      {...{ error, isLoading }}
    >
      <ul class="list">
        {shown.map((one) => (
          <SandboxItem key={one.id} one={one} isCurrent={one.id === sandbox} reload={reload} />
        ))}
      </ul>
      {others.length > MAX_SHOWN && <p class="muted">{formatQuantity(others.length - MAX_SHOWN, 'more sandbox')}</p>}
      <CreateForm reload={reload} />
    </Card>
  );
}

function SandboxItem(props: {
  readonly one: Sandbox;
  readonly isCurrent: boolean;
  readonly reload: () => Promise<void>;
}) {
  const { api, router } = useConsole();
  const { one, isCurrent, reload } = props;
  const { id } = one;
  const reset = async () => {
    await api.send('resetSandbox', { path: { id } });
    await reload();
  };
  const remove = async () => {
    await api.send('removeSandbox', { path: { id } });
    if (isCurrent) router.go({ sandbox: 'default' });
    await reload();
  };
  return (
    <li class={isCurrent ? 'current' : undefined}>
      <div class="list-text">
        <a href={router.link({ view: 'control', sandbox: id })} aria-current={isCurrent ? 'true' : undefined}>
          {id}
        </a>
        <span class="muted">
          {formatQuantity(one.requests, 'request')}
          {one.faults > 0 && `, ${formatQuantity(one.faults, 'fault')}`}
        </span>
      </div>
      <ConfirmButton action={reset} done={`The default data of ${id} is restored`} label={`Reset data of ${id}`}>
        Reset data
      </ConfirmButton>
      {id !== 'default' && (
        <ConfirmButton action={remove} done={`The sandbox ${id} is deleted`} label={`Delete the sandbox ${id}`}>
          Delete
        </ConfirmButton>
      )}
    </li>
  );
}

/** The form that creates a sandbox. */
function CreateForm({ reload }: { readonly reload: () => Promise<void> }) {
  const { api, router } = useConsole();
  const [id, setId] = useState('');
  const [from, setFrom] = useState('');
  const snapshots = useLoaded('snapshots of default', () => api.send('listSnapshots', { path: { id: 'default' } }));
  const create = async () => {
    await api.send('putSandbox', { path: { id }, body: from === '' ? {} : { from } });
    setId('');
    await reload();
    router.go({ sandbox: id });
  };
  return (
    <ActionForm action={create} done={`The sandbox ${id} is created`}>
      <Field name="New sandbox">
        <input
          required
          pattern="[a-z0-9][a-z0-9\-]{0,62}"
          title="Lower-case letters, digits and hyphens"
          placeholder="w1"
          value={id}
          onInput={(event) => setId(event.currentTarget.value)}
        />
      </Field>
      <Field name="Start with">
        <select value={from} onChange={(event) => setFrom(event.currentTarget.value)}>
          <option value="">Default data</option>
          {(snapshots.data ?? []).map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </Field>
      <button type="submit">Create</button>
    </ActionForm>
  );
}
