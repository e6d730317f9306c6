import type { JournalEntry } from '../../control/operation.ts';
import { formatBytes, formatDateTime, formatDuration } from '../model/format.ts';
import type { SelectedRequest } from '../model/request-row.ts';
import { useConsole } from '../ui/context.ts';
import { useLoaded } from '../ui/hooks.ts';
import { JsonView } from '../ui/json-view.tsx';
import { Status } from '../ui/status.tsx';
import { ChangeList } from './change-list.tsx';
import { NearMisses } from './near-misses.tsx';
import { RequestActions } from './request-actions.tsx';
import { RequestExplanation } from './request-explanation.tsx';
import { Section } from './section.tsx';

/** The details of a recorded request: the actions, the explanation of the response, the changes to the state, the request, and the response. */
export function RequestDetails({ sandbox, id, onClose }: SelectedRequest & { readonly onClose: () => void }) {
  const { api, requests } = useConsole();
  const { data, error } = useLoaded(`request ${sandbox} ${id}`, () =>
    api.send('getRequest', { path: { id: sandbox, request: id } }),
  );
  const text = requests.find(sandbox, id)?.text;
  // The list on the page has more requests than the journal of the server, so the server may not have this request any more.
  const entry = data?.request ?? (text === undefined ? undefined : (JSON.parse(text) as JournalEntry));
  return (
    <aside
      class="details"
      aria-label={`Request ${id}`}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose();
      }}
    >
      <DetailsHeader id={id} entry={entry} onClose={onClose} />
      <div class="details-body">
        {entry === undefined && <p class={error === undefined ? 'muted' : 'error'}>{error ?? 'Loading…'}</p>}
        {entry !== undefined && (
          <>
            <RequestActions entry={entry} sandbox={sandbox} />
            <RequestExplanation sandbox={sandbox} entry={entry} details={data} />
            {data?.changes !== undefined && data.changes.length > 0 && (
              <Section title="Changes to the state">
                <ChangeList changes={data.changes} />
              </Section>
            )}
            {data !== undefined && data.faults.length > 0 && <NearMisses faults={data.faults} />}
            <Message title="Request" {...entry.request} />
            {entry.response !== null && <Message title="Response" {...entry.response} />}
          </>
        )}
      </div>
    </aside>
  );
}

function DetailsHeader(props: {
  readonly id: number;
  readonly entry: JournalEntry | undefined;
  readonly onClose: () => void;
}) {
  const { id, entry, onClose } = props;
  return (
    <header class="details-header">
      <div class="details-title">
        <h2>
          {entry === undefined ? (
            `Request ${id}`
          ) : (
            <>
              <span class="method">{entry.request.method}</span> {entry.request.url}
            </>
          )}
        </h2>
        {entry !== undefined && (
          <p class="details-facts">
            <Status status={entry.response?.status} />
            {entry.operation !== undefined && <span>{entry.operation}</span>}
            <span>{formatDuration(entry.durationMs)}</span>
            {entry.response !== null && <span>{formatBytes(entry.response.bytes)}</span>}
            <time dateTime={entry.at}>{formatDateTime(entry.at)}</time>
            <span>#{id}</span>
          </p>
        )}
      </div>
      <button type="button" class="quiet close" aria-label="Close the details" onClick={onClose}>
        ×
      </button>
    </header>
  );
}

interface MessageProps {
  readonly title: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly isTruncated?: boolean;
}

/** The headers and the body of a request or a response. */
function Message({ title, headers, body, isTruncated = false }: MessageProps) {
  const entries = Object.entries(headers);
  return (
    <Section title={title}>
      {entries.length > 0 && (
        <details class="headers">
          <summary>{entries.length === 1 ? '1 header' : `${entries.length} headers`}</summary>
          <dl>
            {entries.map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{String(value)}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
      {body === undefined ? <p class="muted">No body</p> : <JsonView value={body} label={`${title} body`} />}
      {isTruncated && <p class="muted">The journal stores only the first 4 kB of a body.</p>}
    </Section>
  );
}
