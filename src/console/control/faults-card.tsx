import { useEffect, useState } from 'preact/hooks';
import type { ControlResponse, Fault } from '../../control/operation.ts';
import { describeFault, INITIAL_FAULT, toFaultDefinition, type FaultForm as Values } from '../model/fault-form.ts';
import { formatQuantity } from '../model/format.ts';
import { ActionButton, Card } from '../ui/elements.tsx';
import { useAfterRequests, useConsole, useLoaded, useObservable, useOperations } from '../ui/hooks.ts';

/** The properties of a component that shows a part of the form for adding a fault. */
interface FaultPartProps {
  readonly values: Values;
  readonly set: (change: Partial<Values>) => void;
}

interface FormProps {
  readonly sandbox: string;
  readonly onAdd: () => Promise<void>;
}

/**
 * The form that adds a fault to a sandbox.
 * The user can select the operations, statuses and examples of the contract.
 */
function FaultForm({ sandbox, onAdd }: FormProps) {
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

/** Statuses that every client should handle, even if the contract does not document them. */
const COMMON_STATUSES = ['500', '503', '429', '401', '403', '404', '409'];

const EFFECTS = [
  ['response', 'Response'],
  ['delay', 'Delay only'],
  ['hold', 'Hold until released'],
  ['connection', 'Connection failure'],
] as const;

interface EffectProps extends FaultPartProps {
  readonly operation: ControlResponse<'listOperations'>[number] | undefined;
}

/** The form fields for the effect of a fault: a response, a delay, or a connection failure. */
function FaultEffect({ values, set, operation }: EffectProps) {
  return (
    <>
      <fieldset class="choices">
        <legend>Effect</legend>
        {EFFECTS.map(([effect, name]) => (
          <label key={effect}>
            <input
              type="radio"
              name="effect"
              checked={values.effect === effect}
              onChange={() => set({ effect, delay: effect === 'delay' && values.delay === '' ? '2000' : values.delay })}
            />
            {name}
          </label>
        ))}
      </fieldset>
      {values.effect === 'response' && <ResponseFields {...{ values, set, operation }} />}
      {values.effect === 'connection' && (
        <label class="field">
          <span>Connection</span>
          <select
            value={values.connection}
            onChange={(event) => set({ connection: event.currentTarget.value as 'reset' | 'cut' })}
          >
            <option value="reset">Close without a response</option>
            <option value="cut">Close after half of the body</option>
          </select>
        </label>
      )}
      {values.effect !== 'hold' && (
        <label class="field">
          <span>Delay in ms</span>
          <input
            type="number"
            min="0"
            max="60000"
            required={values.effect === 'delay'}
            placeholder="none"
            value={values.delay}
            onInput={(event) => set({ delay: event.currentTarget.value })}
          />
        </label>
      )}
    </>
  );
}

/** The form fields for the response of a fault: its status, its example and its body. */
function ResponseFields({ values, set, operation }: EffectProps) {
  const examples = operation?.examples ?? [];
  return (
    <>
      <StatusField {...{ values, set, operation }} />
      {examples.length > 0 && (
        <label class="field">
          <span>Example of the contract</span>
          <select value={values.example} onChange={(event) => set({ example: event.currentTarget.value, status: '' })}>
            <option value="">None</option>
            {examples.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      <label class="field wide">
        <span>Body</span>
        <textarea
          class="code-input"
          rows={2}
          placeholder="An error in the format of the contract"
          value={values.body}
          onInput={(event) => set({ body: event.currentTarget.value })}
        />
      </label>
    </>
  );
}

/** The form field for the status of a response. Suggests the statuses in the contract, and other common statuses. */
function StatusField({ values, set, operation }: EffectProps) {
  const documented = (operation?.statuses ?? []).filter((status) => /^\d{3}$/.test(status));
  const statuses = [...new Set([...documented, ...COMMON_STATUSES])];
  return (
    <>
      <label class="field">
        <span>Status</span>
        <input
          list="fault-statuses"
          inputMode="numeric"
          pattern="[2-5][0-9]{2}"
          title="A status from 200 to 599"
          required={values.example === ''}
          value={values.status}
          onInput={(event) => set({ status: event.currentTarget.value })}
        />
      </label>
      <datalist id="fault-statuses">
        {statuses.map((status) => (
          <option key={status} value={status}>
            {documented.includes(status) ? 'in the contract' : 'not in the contract'}
          </option>
        ))}
      </datalist>
    </>
  );
}

/** The conditions of a fault that have a number, such as the probability. */
const CONDITIONS = [
  { key: 'skip', name: 'Skip requests', placeholder: 'none', min: 0 },
  { key: 'probability', name: 'Probability in %', placeholder: '100', min: 0, max: 100 },
] as const;

/** The form fields for the conditions of a fault: how often the fault applies, and to which requests. */
function FaultConditions({ values, set }: FaultPartProps) {
  return (
    <>
      <NumberField
        name="Times"
        placeholder="every request"
        value={values.times}
        min={1}
        onInput={(times) => set({ times })}
      />
      <details class="wide">
        <summary>More conditions</summary>
        <div class="fault-form">
          {CONDITIONS.map(({ key, ...field }) => (
            <NumberField key={key} {...field} value={values[key]} onInput={(text) => set({ [key]: text })} />
          ))}
          <label class="field">
            <span>Phase</span>
            <select
              value={values.phase}
              onChange={(event) => set({ phase: event.currentTarget.value as 'before' | 'after' })}
            >
              <option value="before">Before the operation</option>
              <option value="after">After the operation (keeps its changes)</option>
            </select>
          </label>
          <label class="field wide">
            <span>Matcher (JSON)</span>
            <textarea
              class="code-input"
              rows={3}
              placeholder={'{ "body": { "quantity": { "$gt": 2 } } }'}
              value={values.where}
              onInput={(event) => set({ where: event.currentTarget.value })}
            />
          </label>
        </div>
      </details>
    </>
  );
}

interface NumberProps {
  readonly name: string;
  readonly placeholder: string;
  readonly value: string;
  readonly min: number;
  readonly max?: number;
  readonly onInput: (text: string) => void;
}

function NumberField({ name, placeholder, value, min, max, onInput }: NumberProps) {
  return (
    <label class="field">
      <span>{name}</span>
      <input
        type="number"
        min={min}
        max={max}
        placeholder={placeholder}
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </label>
  );
}

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
  const { id, applied, matched, expired, held = 0, warnings = [] } = fault;
  const remove = async () => {
    await api.send('removeFault', { path: { id: sandbox, fault: id } });
    await reload();
  };
  const release = async () => {
    await api.send('releaseFault', { path: { id: sandbox, fault: id } });
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
          {held > 0 && `, holds ${formatQuantity(held, 'request')}`}
        </span>
        {warnings.map((warning) => (
          <span key={warning} class="warning">
            {warning}
          </span>
        ))}
      </div>
      {held > 0 && (
        <ActionButton action={release} label={`Release the requests of the fault ${id}`}>
          Release
        </ActionButton>
      )}
      <ActionButton action={remove} label={`Delete the fault ${id}`}>
        Delete
      </ActionButton>
    </li>
  );
}
