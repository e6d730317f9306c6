import { useState } from 'preact/hooks';
import type { ControlResponse } from '../../control/operation.ts';
import { compareStates } from '../model/compare-states.ts';
import { formatQuantity } from '../model/format.ts';
import { ChangeList } from '../requests/change-list.tsx';
import { ActionForm, Card, ConfirmButton, Field } from '../ui/elements.tsx';
import { useConsole, useInterval, useLoaded, useObservable } from '../ui/hooks.ts';

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
          title="Lowercase letters, digits and hyphens"
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

type Snapshot = ControlResponse<'listSnapshots'>[number];

/** The card for the snapshots of a sandbox: save, compare with the current state, restore and delete. */
export function SnapshotsCard({ sandbox }: { readonly sandbox: string }) {
  const { api } = useConsole();
  const path = { id: sandbox };
  const {
    data = [],
    error,
    isLoading,
    reload,
  } = useLoaded(`snapshots ${sandbox}`, () => api.send('listSnapshots', { path }));
  const [compared, setCompared] = useState<string>();
  return (
    <Card title="Snapshots" text="A snapshot is a saved state that you can restore." {...{ error, isLoading }}>
      <ul class="list">
        {data.map((snapshot) => (
          <SnapshotItem
            key={`${snapshot.name} ${snapshot.builtIn}`}
            {...{ sandbox, snapshot, reload }}
            isCompared={snapshot.name === compared}
            onCompare={() => setCompared(snapshot.name === compared ? undefined : snapshot.name)}
          />
        ))}
      </ul>
      <SaveForm sandbox={sandbox} reload={reload} />
    </Card>
  );
}

function SnapshotItem(props: {
  readonly sandbox: string;
  readonly snapshot: Snapshot;
  readonly isCompared: boolean;
  readonly onCompare: () => void;
  readonly reload: () => Promise<void>;
}) {
  const { api } = useConsole();
  const { sandbox, snapshot, isCompared, onCompare, reload } = props;
  const { name, builtIn, counts } = snapshot;
  const path = { id: sandbox, name };
  const remove = async () => {
    await api.send('deleteSnapshot', { path });
    await reload();
  };
  return (
    <li class="snapshot">
      <div class="list-text">
        <span>{name}</span>
        <span class="muted">
          {builtIn && 'built-in, '}
          {Object.entries(counts)
            .map(([collection, count]) => `${collection} ${count}`)
            .join(', ')}
        </span>
      </div>
      <button type="button" aria-expanded={isCompared} aria-label={`Compare with ${name}`} onClick={onCompare}>
        Compare
      </button>
      <ConfirmButton
        action={() => api.send('restoreSnapshot', { path })}
        done={`The snapshot ${name} is restored`}
        label={`Restore ${name}`}
      >
        Restore
      </ConfirmButton>
      {!builtIn && (
        <ConfirmButton action={remove} done={`The snapshot ${name} is deleted`} label={`Delete ${name}`}>
          Delete
        </ConfirmButton>
      )}
      {isCompared && <Comparison sandbox={sandbox} name={name} />}
    </li>
  );
}

/** The maximum number of changes that a comparison shows. */
const MAX_CHANGES = 100;

/** The differences between a snapshot and the current state of a sandbox. */
function Comparison({ sandbox, name }: { readonly sandbox: string; readonly name: string }) {
  const { api, server, ownChanges } = useConsole();
  const version = useObservable(ownChanges.version);
  const keys = Object.fromEntries((useObservable(server)?.collections ?? []).map((one) => [one.name, one.key]));
  const { data, error } = useLoaded(`comparison ${sandbox} ${name} ${version}`, async () => {
    const path = { id: sandbox };
    const [before, after] = await Promise.all([
      api.send('getSnapshot', { path: { ...path, name } }),
      api.send('getState', { path }),
    ]);
    return compareStates(before, after, keys);
  });
  return (
    <div class="comparison">
      {error !== undefined && <p class="error">{error}</p>}
      {data?.length === 0 && <p class="muted">The current state equals the snapshot.</p>}
      {data !== undefined && data.length > 0 && (
        <>
          <p>Since this snapshot: {formatQuantity(data.length, 'change')}</p>
          <ChangeList changes={data.slice(0, MAX_CHANGES)} />
          {data.length > MAX_CHANGES && <p class="muted">Only the first {MAX_CHANGES} changes are shown.</p>}
        </>
      )}
    </div>
  );
}

/** The form that saves the current state as a snapshot. */
function SaveForm({ sandbox, reload }: { readonly sandbox: string; readonly reload: () => Promise<void> }) {
  const { api } = useConsole();
  const [name, setName] = useState('');
  const save = async () => {
    await api.send('saveSnapshot', { path: { id: sandbox, name } });
    setName('');
    await reload();
  };
  return (
    <ActionForm action={save} done={`The snapshot ${name} is saved`}>
      <Field name="New snapshot">
        <input
          required
          pattern="[a-z0-9][a-z0-9._\-]{0,62}"
          title="Lowercase letters, digits, dots, hyphens and underscores"
          placeholder="before-checkout"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </Field>
      <button type="submit">Save</button>
    </ActionForm>
  );
}
