import { useState } from 'preact/hooks';
import type { ControlResponse } from '../../control/operation.ts';
import { formatQuantity } from '../model/format.ts';
import { useAction } from '../ui/buttons.tsx';
import { useConsole } from '../ui/context.ts';
import { useOperations } from '../ui/use-operations.ts';
import { Card } from './card.tsx';

type Operation = ControlResponse<'listOperations'>[number];

/** The minimum number of operations for which the card has a search field. */
const SEARCH_MIN = 12;

/** The maximum number of operations that the card lists. The user can find the other operations by search. */
const MAX_SHOWN = 100;

/** The card for the operations of the contract. The user selects for each operation whether the sandbox mocks the operation or calls its handler. */
export function OperationsCard({ sandbox }: { readonly sandbox: string }) {
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
        <span class="operation-name">
          <span class="method">{method}</span>
          <code>{path}</code>
        </span>
        <span class="muted">
          {operationId}: {explanation}
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
