import { useState } from 'preact/hooks';
import type { ControlResponse } from '../../control/operation.ts';
import { describeHandling } from '../../util/describe-decision.ts';
import { formatDateTime, formatQuantity } from '../model/format.ts';
import { ActionButton, ActionForm, Card, Field, OperationName, useAction } from '../ui/elements.tsx';
import { useConsole, useInterval, useLoaded, useObservable, useOperations } from '../ui/hooks.ts';
import { FaultsCard } from './faults-card.tsx';
import { SandboxesCard, SnapshotsCard } from './sandboxes-card.tsx';
import { WebhooksCard } from './webhooks-card.tsx';

type Operation = ControlResponse<'listOperations'>[number];

/** The minimum number of operations for which the card has a search field. */
const SEARCH_MIN = 12;

/** The maximum number of operations that the card lists. The user can find the other operations by search. */
const MAX_SHOWN = 100;

/**
 * The card for the operations of the contract.
 * The user selects for each operation whether the sandbox mocks the operation or calls its handler.
 */
function OperationsCard({ sandbox }: { readonly sandbox: string }) {
  const { data = [], error, isLoading, reload } = useOperations();
  const [search, setSearch] = useState('');
  const text = search.toLowerCase();
  const shown = data.filter(({ operationId, path }) => `${operationId} ${path}`.toLowerCase().includes(text));
  return (
    <Card
      title="Operations"
      text="A mocked operation returns responses that are generated from the contract, and changes nothing."
      {...{ error, isLoading }}
    >
      {data.length >= SEARCH_MIN && (
        <input
          type="search"
          aria-label="Search in operations"
          placeholder="Search in operations"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
      )}
      <ul class="list operations">
        {shown.slice(0, MAX_SHOWN).map((operation) => (
          <OperationItem key={operation.operationId} {...{ operation, sandbox, reload }} />
        ))}
      </ul>
      {shown.length > MAX_SHOWN && <p class="muted">{formatQuantity(shown.length - MAX_SHOWN, 'more operation')}</p>}
      {shown.length === 0 && data.length > 0 && <p class="muted">No operation matches.</p>}
    </Card>
  );
}

function OperationItem(props: {
  readonly operation: Operation;
  readonly sandbox: string;
  readonly reload: () => Promise<void>;
}) {
  const { api } = useConsole();
  const { operation, sandbox, reload } = props;
  const { operationId, method, path, mocked, hasHandler, explanation } = operation;
  const { run, isRunning } = useAction(async () => {
    await api.send('setOperation', { path: { id: sandbox, operation: operationId }, body: { mocked: !mocked } });
    await reload();
  });
  return (
    <li>
      <div class="list-text">
        <OperationName {...{ method, path }} />
        <span class="muted">
          {operationId} {describeHandling(mocked, mocked && hasHandler ? 'in this sandbox' : explanation)}
        </span>
      </div>
      <label class="switch" title={hasHandler ? undefined : 'The operation has no handler, so it is always mocked'}>
        <input
          type="checkbox"
          checked={isRunning ? !mocked : mocked}
          disabled={!hasHandler}
          aria-busy={isRunning}
          aria-label={`Mock ${operationId}`}
          onChange={run}
        />
        <span aria-hidden="true">Mock</span>
      </label>
    </li>
  );
}

/** The card for the id generator of a sandbox: set a seed, or use random ids. */
function IdsCard({ sandbox }: { readonly sandbox: string }) {
  const { api } = useConsole();
  const path = { id: sandbox };
  const { data, error, isLoading, reload } = useLoaded(`ids ${sandbox}`, () => api.send('getSandbox', { path }));
  const [seed, setSeed] = useState('1');
  const change = async () => {
    await api.send('seedIds', { path, body: { seed: Number(seed) } });
    await reload();
  };
  const randomize = async () => {
    await api.send('randomIds', { path });
    await reload();
  };
  const current = data?.ids.seed;
  return (
    <Card
      title="Ids"
      text="With the same seed, new entries always get the same ids in the same order."
      {...{ error, isLoading }}
    >
      <p>{current === undefined ? '–' : current === null ? 'Ids are random.' : `Ids have the seed ${current}.`}</p>
      <ActionForm action={change} done={`The ids have the seed ${seed}`}>
        <Field name="Seed">
          <input
            type="number"
            min="0"
            max="4294967295"
            required
            value={seed}
            onInput={(event) => setSeed(event.currentTarget.value)}
          />
        </Field>
        <button type="submit">Set seed</button>
        <ActionButton action={randomize} isDisabled={current === null} done="Ids are random">
          Use random ids
        </ActionButton>
      </ActionForm>
    </Card>
  );
}

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
function ClockCard({ sandbox }: { readonly sandbox: string }) {
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

/** The view that controls a sandbox: faults, operations, snapshots, clock and ids. */
export function ControlView() {
  const { sandbox } = useObservable(useConsole().router.route);
  return (
    <main class="control">
      <h1 class="visually-hidden">Control</h1>
      <div class="control-column">
        <FaultsCard sandbox={sandbox} />
        <OperationsCard sandbox={sandbox} />
        <WebhooksCard sandbox={sandbox} />
      </div>
      <div class="control-column">
        <SandboxesCard sandbox={sandbox} />
        <SnapshotsCard sandbox={sandbox} />
        <ClockCard sandbox={sandbox} />
        <IdsCard sandbox={sandbox} />
      </div>
    </main>
  );
}
