import type { ControlResponse } from '../../control/operation.ts';
import type { FaultPartProps } from './fault-part.ts';

/** Statuses that every client should handle, even if the contract does not document them. */
const COMMON_STATUSES = ['500', '503', '429', '401', '403', '404', '409'];

const EFFECTS = [
  ['response', 'Response'],
  ['delay', 'Delay only'],
  ['connection', 'Connection failure'],
] as const;

interface EffectProps extends FaultPartProps {
  readonly operation: ControlResponse<'listOperations'>[number] | undefined;
}

/** The form fields for the effect of a fault: a response, a delay, or a connection failure. */
export function FaultEffect({ values, set, operation }: EffectProps) {
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
