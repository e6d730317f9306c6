import type { Fault, JournalEntry } from '../../control/operation.ts';
import { sendRequest } from '../api/control-api.ts';
import {
  describeSecrets,
  explainUnsendable,
  hasSecrets,
  toCurl,
  toFetch,
  toSentRequest,
  toTest,
} from '../model/code.ts';
import { describeFault } from '../model/fault-form.ts';
import {
  formatBytes,
  formatDateTime,
  formatDuration,
  formatJson,
  formatQuantity,
  formatTime,
} from '../model/format.ts';
import { DECISION_EXPLANATIONS, type Details, describeOrigin, type SelectedRequest } from '../model/request-row.ts';
import { ActionButton, CopyButton, Section, Status } from '../ui/elements.tsx';
import { useConsole, useLoaded, useObservable } from '../ui/hooks.ts';
import { JsonView } from '../ui/json-view.tsx';
import { ChangeList } from './change-list.tsx';

type LocatedViolation = Details['violations'][number];

interface ExplanationProps {
  readonly sandbox: string;
  readonly entry: JournalEntry;
  /**
   * The journal entry with further details.
   * Undefined until it is loaded, and after the server has removed it from the journal.
   */
  readonly details: Details | undefined;
}

/**
 * Explains why a request got its response: what determined the response, the faults, and the violations of the
 * contract.
 */
function RequestExplanation({ sandbox, entry, details }: ExplanationProps) {
  const { decision, forced, notes = [], responseViolations = [] } = entry;
  const violations: readonly LocatedViolation[] =
    details?.violations ?? entry.violations?.map((violation) => ({ violation })) ?? [];
  const faults = decision?.faults ?? forced?.faults ?? [];
  // A note repeats the violations, so notes are shown only if there are no violations.
  const others = violations.length > 0 ? [] : notes;
  return (
    <Section title="Why this response">
      {entry.delivery !== undefined && (
        <p class="decision">
          The server has sent this request for <strong>{entry.delivery.name}</strong>, attempt {entry.delivery.attempt}.
          The receiver created the response.
        </p>
      )}
      {decision === undefined && entry.operation === undefined && entry.delivery === undefined && (
        <p class="decision">The contract has no operation for this request.</p>
      )}
      {decision !== undefined && (
        <p class="decision">
          <strong>{capitalize(describeOrigin({ decision, faults, operation: entry.operation ?? '' }))}.</strong>{' '}
          {DECISION_EXPLANATIONS[decision.source]}
        </p>
      )}
      <AppliedFaults sandbox={sandbox} ids={faults} />
      {violations.length > 0 && (
        <>
          <p>The request violates the contract:</p>
          <ul class="violations">
            {violations.map((located) => (
              <ViolationItem
                key={`${located.violation.in}${located.violation.pointer}${located.violation.rule}`}
                {...located}
              />
            ))}
          </ul>
        </>
      )}
      <Sentences title="Notes" sentences={others} />
      <Sentences title="The response violates the contract:" sentences={responseViolations} />
      {entry.state === undefined && <ForcedEffects forced={forced} />}
      {entry.state === 'waiting' && <Waiting sandbox={sandbox} entry={entry} />}
      {entry.response === null && entry.state === undefined && <p>The connection was closed without a response.</p>}
    </Section>
  );
}

/** The faults that applied to a request. Omits deleted faults. */
function AppliedFaults({ sandbox, ids }: { readonly sandbox: string; readonly ids: readonly string[] }) {
  const { api, router } = useConsole();
  const { data = [] } = useLoaded(`applied faults ${sandbox} ${ids}`, async () =>
    ids.length === 0 ? [] : api.send('listFaults', { path: { id: sandbox } }),
  );
  const applied = data.filter(({ id }) => ids.includes(id));
  if (applied.length === 0) return null;
  return (
    <ul class="sentences">
      {applied.map((fault) => (
        <li key={fault.id}>
          <a href={router.link({ view: 'control', sandbox })}>{fault.id}</a>: {describeFault(fault)}
        </li>
      ))}
    </ul>
  );
}

/** A violation of the contract by a request, and the lines of the contract that the request violates. */
function ViolationItem({ violation, source }: LocatedViolation) {
  const { in: part, pointer, value, remedy } = violation;
  return (
    <li>
      <p>
        <code class="pointer">
          {part}
          {pointer}
        </code>{' '}
        {value === undefined ? (
          'is missing'
        ) : (
          <>
            is <code>{formatJson(typeof value === 'string' ? JSON.stringify(value) : value)}</code>
          </>
        )}
        : {remedy}
      </p>
      {source !== undefined && (
        <figure class="source">
          <figcaption>
            {source.file}, line {source.line}
          </figcaption>
          <pre class="code">
            {selectLines(source.text).map((line, index) => (
              <span key={index} class={index === 0 ? 'line line-marked' : 'line'} data-line={source.line + index}>
                {line}
              </span>
            ))}
          </pre>
        </figure>
      )}
    </li>
  );
}

/**
 * Returns the first line of a YAML or JSON text, and the following lines that belong to it, because they are indented
 * more.
 * Removes the indentation of the first line from all lines.
 */
function selectLines(text: string): readonly string[] {
  const lines = text.split('\n');
  const getIndent = (line = '') => line.search(/\S|$/);
  const indent = getIndent(lines[0]);
  // The items of a YAML list can have the same indentation as the name of the list.
  const belongs = (line: string) =>
    getIndent(line) > indent || (getIndent(line) === indent && /^\s*(- |[\]}])/.test(line));
  const end = lines.findIndex((line, index) => index > 0 && !belongs(line));
  return (end < 0 ? lines : lines.slice(0, end)).map((line) => line.slice(indent));
}

function Sentences({ title, sentences }: { readonly title: string; readonly sentences: readonly string[] }) {
  if (sentences.length === 0) return null;
  return (
    <>
      <p>{title}</p>
      <ul class="sentences">
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </>
  );
}

/** Since when a request waits, and a button that releases it if a fault holds it. */
function Waiting({ sandbox, entry }: { readonly sandbox: string; readonly entry: JournalEntry }) {
  const { api } = useConsole();
  const { faults = [], hold } = entry.forced ?? {};
  const release = async () => {
    for (const fault of faults) await api.send('releaseFault', { path: { id: sandbox, fault } });
  };
  return (
    <>
      <p>The request has been waiting since {formatTime(entry.at)}.</p>
      {hold && (
        <ActionButton action={release} done="The request is released">
          Release
        </ActionButton>
      )}
    </>
  );
}

/**
 * The effects of a fault or of the `Prefer` header on the connection: a delay, a slow body, or a connection failure.
 */
function ForcedEffects({ forced }: { readonly forced: JournalEntry['forced'] | undefined }) {
  const { delayMs, hold, connection, bodyDurationMs, phase } = forced ?? {};
  const effects = [
    ...(delayMs === undefined ? [] : [`The response was delayed by ${delayMs} ms.`]),
    ...(hold === undefined ? [] : ['A fault held the request until it was released.']),
    ...(connection === 'cut' ? ['The connection was closed after half of the body.'] : []),
    ...(bodyDurationMs === undefined ? [] : [`The body was sent over ${bodyDurationMs} ms.`]),
    ...(phase === 'after' ? ['The fault applied after the operation, so the changes of the operation were kept.'] : []),
  ];
  return <>{effects.length > 0 && <p>{effects.join(' ')}</p>}</>;
}

function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** The actions for a recorded request: send it again, copy it as code, and add a fault for its operation. */
function RequestActions({ entry, sandbox }: { readonly entry: JournalEntry; readonly sandbox: string }) {
  const { api, notices, router, server } = useConsole();
  const { origin } = location;
  // The page loads secrets only to send or copy the request, and does not store them.
  const load = async () => {
    const path = { id: sandbox, request: entry.id };
    return toSentRequest(hasSecrets(entry.request) ? await api.send('getUnredactedRequest', { path }) : entry.request);
  };
  const send = async () => notices.show(`The response has the status ${await sendRequest(await load(), sandbox)}`);
  const unsendable = explainUnsendable(entry.request);
  const explanation = unsendable ?? describeSecrets(entry.request);
  return (
    <div class="actions">
      <ActionButton class="primary" action={send} isDisabled={unsendable !== undefined}>
        Send again
      </ActionButton>
      <fieldset class="copy-group">
        <legend>Copy as</legend>
        <CopyButton name="curl" getText={async () => toCurl(await load(), origin, sandbox)} />
        <CopyButton name="fetch" getText={async () => toFetch(await load(), origin, sandbox)} />
        <CopyButton name="test" getText={async () => toTest(await load(), entry, server.value?.startOptions ?? {})} />
      </fieldset>
      {entry.operation !== undefined && (
        <a
          class="button"
          href={router.link({ view: 'control', sandbox, values: { fault: entry.operation, section: 'faults' } })}
        >
          Add a fault
        </a>
      )}
      {explanation !== undefined && <p class="muted">{explanation}</p>}
    </div>
  );
}

/** The action for an attempt to deliver a webhook or a callback: send it again. */
function DeliveryActions({ delivery, sandbox }: { readonly delivery: string; readonly sandbox: string }) {
  const { api, notices } = useConsole();
  const send = async () => {
    const { status } = await api.send('retryDelivery', { path: { id: sandbox, delivery } });
    notices.show(`The delivery is ${status}`);
  };
  return (
    <div class="actions">
      <ActionButton class="primary" action={send}>
        Send again
      </ActionButton>
    </div>
  );
}

/** The near misses of a request: the active faults that did not apply to it, and the reasons. */
function NearMisses({ faults }: Pick<Details, 'faults'>) {
  // The section is closed if all faults are for other operations, because the user rarely needs these faults.
  const hasNear = faults.some(({ reasons }) => !reasons.some((reason) => reason.startsWith('operation:')));
  return (
    <Section title="Near misses">
      <details open={hasNear}>
        <summary>{formatQuantity(faults.length, 'fault')} did not apply</summary>
        <ul class="near-misses">
          {faults.map(({ fault, reasons }) => (
            <li key={fault.id}>
              <p>
                <code>{fault.id}</code> {describeFault(fault as Fault)}
              </p>
              <ul class="sentences">
                {reasons.map((reason) => (
                  <li key={reason}>{reason}</li>
                ))}
              </ul>
            </li>
          ))}
        </ul>
      </details>
    </Section>
  );
}

/**
 * The details of a recorded request: the actions, the explanation of the response, the changes to the state, the
 * request, and the response.
 */
export function RequestDetails({ sandbox, id, onClose }: SelectedRequest & { readonly onClose: () => void }) {
  const { api, requests } = useConsole();
  useObservable(requests.version);
  const row = requests.find(sandbox, id);
  // The details of a waiting request are loaded again when it has ended.
  const { data, error } = useLoaded(`request ${sandbox} ${id} ${row?.isWaiting}`, () =>
    api.send('getRequest', { path: { id: sandbox, request: id } }),
  );
  const text = row?.text;
  // The list on the page has more requests than the journal of the server, so the server may not have this request any
  // more.
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
            {entry.delivery ? (
              <DeliveryActions delivery={entry.delivery.id} sandbox={sandbox} />
            ) : (
              <RequestActions entry={entry} sandbox={sandbox} />
            )}
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
            <Status status={entry.response?.status} isWaiting={entry.state === 'waiting'} />
            {entry.operation !== undefined && <span>{entry.operation}</span>}
            {entry.state === undefined && <span>{formatDuration(entry.durationMs)}</span>}
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
