import type { FaultPartProps } from './fault-part.ts';

/** The conditions of a fault that have a number, such as the probability. */
const CONDITIONS = [
  { key: 'skip', name: 'Skip requests', placeholder: 'none', min: 0 },
  { key: 'probability', name: 'Probability in %', placeholder: '100', min: 0, max: 100 },
] as const;

/** The form fields for the conditions of a fault: how often the fault applies, and to which requests. */
export function FaultConditions({ values, set }: FaultPartProps) {
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
