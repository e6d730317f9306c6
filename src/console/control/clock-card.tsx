import { useState } from 'preact/hooks';
import type { ControlResponse } from '../../control/operation.ts';
import { formatDateTime } from '../model/format.ts';
import { ActionForm, Field } from '../ui/action-form.tsx';
import { ActionButton } from '../ui/buttons.tsx';
import { useConsole } from '../ui/context.ts';
import { useInterval, useLoaded } from '../ui/hooks.ts';
import { Card } from './card.tsx';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The steps by which the clock can be advanced. */
const STEPS = [
  ['+1 minute', MINUTE_MS],
  ['+1 hour', HOUR_MS],
  ['+1 day', DAY_MS],
] as const;

/** The interval at which the card loads the time of the sandbox, in ms. */
const INTERVAL_MS = 1000;

/** The card for the clock of a sandbox: freeze, set, advance and reset. */
export function ClockCard({ sandbox }: { readonly sandbox: string }) {
  const { api } = useConsole();
  const path = { id: sandbox };
  const { data, error, isLoading, reload } = useLoaded(`clock ${sandbox}`, () => api.send('getSandbox', { path }));
  useInterval(reload, INTERVAL_MS);
  const clock = data?.clock;
  const change = (action: () => Promise<unknown>) => () => action().then(reload);
  return (
    <Card title="Clock" text="The time that handlers and faults of this sandbox use." {...{ error, isLoading }}>
      <p class="clock-time">
        <time dateTime={clock?.now}>{clock === undefined ? '–' : formatDateTime(clock.now)}</time>
        {clock?.frozen && <span class="badge">frozen</span>}
      </p>
      <div class="row">
        <ActionButton
          isDisabled={clock === undefined}
          action={change(() => api.send('setClock', { path, body: { frozen: !clock?.frozen } }))}
        >
          {clock?.frozen ? 'Resume' : 'Freeze'}
        </ActionButton>
        {STEPS.map(([name, ms]) => (
          <ActionButton key={name} action={change(() => api.send('advanceClock', { path, body: { ms } }))}>
            {name}
          </ActionButton>
        ))}
        <ActionButton
          action={change(() => api.send('followClock', { path }))}
          done="The clock shows the current time of the server"
        >
          Reset clock
        </ActionButton>
      </div>
      <TimeForm sandbox={sandbox} clock={clock} reload={reload} />
    </Card>
  );
}

/** The form that sets the clock of a sandbox. */
function TimeForm(props: {
  readonly sandbox: string;
  readonly clock: ControlResponse<'setClock'> | undefined;
  readonly reload: () => Promise<void>;
}) {
  const { api } = useConsole();
  const [time, setTime] = useState('');
  const change = async () => {
    const now = new Date(time).toISOString();
    await api.send('setClock', { path: { id: props.sandbox }, body: { now } });
    await props.reload();
  };
  return (
    <ActionForm action={change} done="The clock is set">
      <Field name="Set the time">
        <input
          type="datetime-local"
          step="1"
          required
          value={time}
          onInput={(event) => setTime(event.currentTarget.value)}
        />
      </Field>
      <button type="submit">Set</button>
    </ActionForm>
  );
}
