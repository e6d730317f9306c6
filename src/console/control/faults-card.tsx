import type { Fault } from '../../control/operation.ts';
import { describeFault } from '../model/describe-fault.ts';
import { formatQuantity } from '../model/format.ts';
import { ActionButton } from '../ui/buttons.tsx';
import { useConsole } from '../ui/context.ts';
import { useAfterRequests, useLoaded } from '../ui/hooks.ts';
import { Card } from './card.tsx';
import { FaultForm } from './fault-form.tsx';

/** The card for the faults of a sandbox: add faults, see how often each fault applied, and delete faults. */
export function FaultsCard({ sandbox }: { readonly sandbox: string }) {
  const { api } = useConsole();
  const path = { id: sandbox };
  const {
    data = [],
    error,
    isLoading,
    reload,
  } = useLoaded(`faults ${sandbox}`, () => api.send('listFaults', { path }));
  useAfterRequests(reload);
  const clear = async () => {
    await api.send('clearFaults', { path });
    await reload();
  };
  return (
    <Card title="Faults" text="Make requests fail, wait, or lose their connection." {...{ error, isLoading }}>
      <FaultForm sandbox={sandbox} onAdd={reload} />
      {data.length > 0 && (
        <>
          <div class="list-head">
            <h3>{formatQuantity(data.length, 'fault')}</h3>
            <ActionButton action={clear} done="The faults are deleted">
              Delete all
            </ActionButton>
          </div>
          <ul class="list">
            {data.map((fault) => (
              <FaultItem key={fault.id} {...{ sandbox, fault, reload }} />
            ))}
          </ul>
        </>
      )}
    </Card>
  );
}

function FaultItem(props: { readonly sandbox: string; readonly fault: Fault; readonly reload: () => Promise<void> }) {
  const { api } = useConsole();
  const { sandbox, fault, reload } = props;
  const { id, applied, matched, expired, warnings = [] } = fault;
  const remove = async () => {
    await api.send('removeFault', { path: { id: sandbox, fault: id } });
    await reload();
  };
  return (
    <li class={expired ? 'expired' : undefined}>
      <div class="list-text">
        <span>
          <code>{id}</code> {describeFault(fault)}
        </span>
        <span class="muted">
          {expired ? 'expired, ' : ''}applied to {applied} of {formatQuantity(matched, 'matching request')}
        </span>
        {warnings.map((warning) => (
          <span key={warning} class="warning">
            {warning}
          </span>
        ))}
      </div>
      <ActionButton action={remove} label={`Delete the fault ${id}`}>
        Delete
      </ActionButton>
    </li>
  );
}
