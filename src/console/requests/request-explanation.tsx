import type { JournalEntry } from '../../control/operation.ts';
import { describeFault } from '../model/describe-fault.ts';
import { formatJson } from '../model/format.ts';
import { DECISION_EXPLANATIONS, type Details, describeDecision } from '../model/request-row.ts';
import { useConsole } from '../ui/context.ts';
import { useLoaded } from '../ui/hooks.ts';
import { Section } from './section.tsx';

type LocatedViolation = Details['violations'][number];

interface ExplanationProps {
  readonly sandbox: string;
  readonly entry: JournalEntry;
  /** The journal entry with further details. Undefined until it is loaded, and after the server has removed it from the journal. */
  readonly details: Details | undefined;
}

/** Explains why a request got its response: what determined the response, the faults, and the violations of the contract. */
export function RequestExplanation({ sandbox, entry, details }: ExplanationProps) {
  const { decision, forced, notes = [], responseViolations = [] } = entry;
  const violations: readonly LocatedViolation[] =
    details?.violations ?? entry.violations?.map((violation) => ({ violation })) ?? [];
  const faults = decision?.faults ?? forced?.faults ?? [];
  // A note repeats the violations, so notes are shown only if there are no violations.
  const others = violations.length > 0 ? [] : notes;
  return (
    <Section title="Why this response">
      {decision === undefined && entry.operation === undefined && (
        <p class="decision">The contract has no operation for this request.</p>
      )}
      {decision !== undefined && (
        <p class="decision">
          <strong>{capitalize(describeDecision({ decision, faults, operation: entry.operation ?? '' }))}.</strong>{' '}
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
      <ForcedEffects forced={forced} />
      {entry.response === null && <p>The connection was closed without a response.</p>}
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
 * Returns the first line of a YAML or JSON text, and the following lines that belong to it, because they are indented more. Removes the indentation of the
 * first line from all lines.
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

/** The effects of a fault or of the `Prefer` header on the connection: a delay, a slow body, or a connection failure. */
function ForcedEffects({ forced }: { readonly forced: JournalEntry['forced'] | undefined }) {
  const { delayMs, connection, bodyDurationMs, phase } = forced ?? {};
  const effects = [
    ...(delayMs === undefined ? [] : [`The response was delayed by ${delayMs} ms.`]),
    ...(connection === 'cut' ? ['The connection was closed after half of the body.'] : []),
    ...(bodyDurationMs === undefined ? [] : [`The body was sent over ${bodyDurationMs} ms.`]),
    ...(phase === 'after' ? ['The fault applied after the operation, so the changes of the operation were kept.'] : []),
  ];
  return <>{effects.length > 0 && <p>{effects.join(' ')}</p>}</>;
}

function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
