import { useEffect, useState } from 'preact/hooks';
import { describeFault } from '../model/describe-fault.ts';
import { INITIAL_FAULT, toFaultDefinition, type FaultForm as Values } from '../model/fault-form.ts';
import { useConsole } from '../ui/context.ts';
import { useObservable } from '../ui/hooks.ts';
import { useOperations } from '../ui/use-operations.ts';
import { FaultConditions } from './fault-conditions.tsx';
import { FaultEffect } from './fault-effect.tsx';

interface FormProps {
  readonly sandbox: string;
  readonly onAdd: () => Promise<void>;
}

/** The form that adds a fault to a sandbox. The user can select the operations, statuses and examples of the contract. */
export function FaultForm({ sandbox, onAdd }: FormProps) {
  const { api, notices, router } = useConsole();
  const { values: routeValues } = useObservable(router.route);
  const { fault: operation = '' } = routeValues;
  const { data: operations = [] } = useOperations();
  const [values, setValues] = useState<Values>({ ...INITIAL_FAULT, operation });
  const [error, setError] = useState<string>();
  useEffect(() => setValues((old) => ({ ...old, operation })), [operation]);
  const set = (change: Partial<Values>) => setValues((old) => ({ ...old, ...change }));
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    try {
      const added = await api.send('addFault', { path: { id: sandbox }, body: toFaultDefinition(values) });
      setError(undefined);
      notices.show(`Added: ${describeFault(added)}`);
      await onAdd();
    } catch (caught) {
      setError((caught as Error).message);
    }
  };
  const selected = operations.find(({ operationId }) => operationId === values.operation);
  return (
    <form class="fault-form" onSubmit={submit} aria-label="Add a fault">
      <label class="field">
        <span>Operation</span>
        <select
          value={values.operation}
          onChange={(event) => set({ operation: event.currentTarget.value, example: '' })}
        >
          <option value="">Any operation</option>
          {operations.map(({ operationId, method, path }) => (
            <option key={operationId} value={operationId}>
              {operationId} ({method} {path})
            </option>
          ))}
        </select>
      </label>
      <FaultEffect values={values} set={set} operation={selected} />
      <FaultConditions values={values} set={set} />
      {error !== undefined && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
      <button type="submit" class="primary">
        Add fault
      </button>
    </form>
  );
}
