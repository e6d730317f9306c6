import type { ControlResponse } from '../../control/operation.ts';
import { getRowName } from '../model/entry-name.ts';
import { formatQuantity } from '../model/format.ts';
import { useConsole } from '../ui/context.ts';
import { useLoaded, useObservable } from '../ui/hooks.ts';

type Explanation = ControlResponse<'explainSearch'>;
type Word = Explanation['words'][number];
type Result = Explanation['results'][number];

/** The maximum number of search results that are explained. */
const RESULTS = 20;

/** Explains a search: why entries match the term, and why the results have their order. A lower cost means that a result is more relevant. */
export function SearchExplanation(props: {
  readonly sandbox: string;
  readonly collection: string;
  readonly collectionKey: string | undefined;
  readonly term: string;
}) {
  const { sandbox, collection, collectionKey, term } = props;
  const { api, router } = useConsole();
  const { values } = useObservable(router.route);
  const { data, error } = useLoaded(`explain ${collection} ${term}`, () =>
    api.send('explainSearch', { path: { id: sandbox, collection }, query: { term, limit: RESULTS } }),
  );
  if (error !== undefined) return <p class="error page">{error}</p>;
  if (data === undefined) return <div class="search-explanation" aria-busy="true" />;
  const { suggestion, words, results, columns, total } = data;
  return (
    <section class="search-explanation" aria-label="Explanation of the search">
      <p>
        The search of the application finds {formatQuantity(total, 'entry')}.
        {total > 1 && ' The entry with the lowest cost comes first.'}
        {suggestion !== undefined && (
          <>
            {' '}
            Did you mean{' '}
            <a href={router.link({ view: 'state', sandbox, values: { ...values, search: suggestion } })}>
              {suggestion}
            </a>
            ?
          </>
        )}
      </p>
      <ul class="sentences">
        {words.map((word) => (
          <li key={word.word}>{describeWord(word)}</li>
        ))}
      </ul>
      <ol>
        {results.map((result) => (
          <li key={result.position}>
            <ResultCosts result={result} name={getRowName({ ...result, columns }, collectionKey)} />
          </li>
        ))}
      </ol>
    </section>
  );
}

/** A search result, and the parts of its cost. A lower cost means that a result is more relevant. */
function ResultCosts({ result, name }: { readonly result: Result; readonly name: string }) {
  const words = [...new Set(result.parts.map(({ word }) => word))];
  return (
    <>
      <strong>{name}</strong> <span class="muted">cost {formatCost(result.cost)}</span>
      <ul class="sentences costs">
        {words.map((word) => (
          <li key={word}>
            {word !== undefined && <code>{word}</code>}{' '}
            <span class="muted">{formatParts(result.parts.filter((part) => part.word === word))}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function formatParts(parts: Result['parts']): string {
  return parts.map(({ title, cost }) => `${title} ${formatCost(cost)}`).join(', ');
}

function describeWord({ word, isOptional, entries, matches }: Word): string {
  const found = matches.slice(0, 5).map(({ text, how }) => `${text} (${how})`);
  const others = matches.length > found.length ? ' and others' : '';
  const texts = found.length === 0 ? '' : `: ${found.join(', ')}${others}`;
  return `“${word}”${isOptional ? ', which is optional,' : ''} matches ${formatQuantity(entries, 'entry')}${texts}`;
}

function formatCost(cost: number): string {
  return cost.toLocaleString(undefined, { maximumFractionDigits: 2 }).replace('-', '−');
}
