import { useEffect, useRef, useState } from 'preact/hooks';
import type { ControlResponse } from '../../control/operation.ts';
import { tryOrUndefined } from '../../util/try-or-undefined.ts';
import type { EntryChange } from '../model/compare-states.ts';
import { getRowName } from '../model/entry-fields.ts';
import { formatCount, formatQuantity } from '../model/format.ts';
import type { RequestRow } from '../model/request-row.ts';
import { ActionButton, ConfirmButton, useAction } from '../ui/elements.tsx';
import { type Loaded, useAfterRequests, useConsole, useLoaded, useObservable } from '../ui/hooks.ts';
import { EntryEditor } from './entry-editor.tsx';
import { EntryTable } from './entry-table.tsx';
import { type Collection, type EditedEntry, type EntryPage, PAGE_SIZE } from './state-types.ts';

type Explanation = ControlResponse<'explainSearch'>;
type Word = Explanation['words'][number];
type Result = Explanation['results'][number];

/** The maximum number of search results that are explained. */
const RESULTS = 20;

/**
 * Explains a search: why entries match the term, and why the results have their order.
 * A lower cost means that a result is more relevant.
 */
function SearchExplanation(props: {
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

/** The last change of the state of a sandbox. */
interface StateChange {
  /** The request that made the change, or a text that describes a change in the console. */
  readonly source: RequestRow | string;
  readonly changes: readonly EntryChange[];
}

/** The maximum number of requests whose changes are loaded to find the last change. */
const MAX_LOOKUPS = 3;

/** Loads the last change of the state of a sandbox, by a request or by the user of the console. */
function useLastChange(sandbox: string): Loaded<StateChange | undefined> {
  const { api, requests, ownChanges } = useConsole();
  return useLoaded(`change ${sandbox}`, async () => {
    const own = ownChanges.find(sandbox);
    const isLater = ({ id }: RequestRow) => own === undefined || id > own.newestId;
    let before = Number.POSITIVE_INFINITY;
    for (let lookup = 0; lookup < MAX_LOOKUPS; lookup++) {
      const row = requests.findNewest((one) => one.order < before && isLater(one) && mayHaveChanged(one));
      if (row === undefined) break;
      const { changes = [] } = await api
        .send('getRequest', { path: { id: sandbox, request: row.id } })
        .catch(() => ({ changes: undefined }));
      if (changes.length > 0) return { source: row, changes };
      before = row.order;
    }
    return own && { source: own.text, changes: [] };
  });
}

/** Returns whether a request may have changed the state, according to its method and its response. */
function mayHaveChanged({ method, decision, status = 0 }: RequestRow): boolean {
  const isWithoutHandler = ['refusal', 'mock', 'replay'].includes(decision?.source ?? '');
  return (
    !['GET', 'HEAD', 'OPTIONS'].includes(method) && !isWithoutHandler && (status < 400 || decision?.source === 'fault')
  );
}

/** Shows what changed the state last, and the number of changed entries. */
function LastChange({ change }: { readonly change: StateChange | undefined }) {
  const { router } = useConsole();
  const { sandbox } = useObservable(router.route);
  if (change === undefined) return null;
  const { source, changes } = change;
  return (
    <p class="last-change">
      <span>
        Last change:{' '}
        {typeof source === 'string' ? (
          source
        ) : (
          <a href={router.link({ view: 'requests', sandbox, values: { request: String(source.id) } })}>
            {source.method} {source.path}
          </a>
        )}
      </span>
      <span class="muted">{describeChanges(changes)}</span>
    </p>
  );
}

/** Describes changes, such as `notes: 1 entry added, tags: 2 entries removed`. */
function describeChanges(changes: readonly EntryChange[]): string {
  const kinds = new Map<string, number>();
  for (const { collection, before, after } of changes) {
    const kind = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
    const name = `${collection} ${kind}`;
    kinds.set(name, (kinds.get(name) ?? 0) + 1);
  }
  return [...kinds]
    .map(([name, count]) => {
      const [collection = '', kind = ''] = name.split(/ (?=\w+$)/);
      return `${collection}: ${formatQuantity(count, 'entry')} ${kind}`;
    })
    .join(', ');
}

/** The buttons that export the state of a sandbox to a JSON file, and import it from a JSON file. */
function StateFile({ sandbox, onChange }: { readonly sandbox: string; readonly onChange: () => Promise<void> }) {
  const { api } = useConsole();
  const input = useRef<HTMLInputElement>(null);
  const save = async () => {
    const state = await api.send('getState', { path: { id: sandbox } });
    download(`${sandbox}.json`, JSON.stringify(state, null, 2));
  };
  const load = async () => {
    const [file] = input.current?.files ?? [];
    if (file === undefined) return;
    const text = await file.text();
    if (input.current) input.current.value = '';
    const body = tryOrUndefined(() => JSON.parse(text));
    if (typeof body !== 'object' || body === null || Array.isArray(body))
      throw new Error(
        `${file.name} can't be imported: the file must contain a JSON object with a list for each collection.`,
      );
    await api.send('putState', { path: { id: sandbox }, body });
    await onChange();
  };
  const { run } = useAction(load, 'The state is imported');
  return (
    <>
      <ActionButton action={save}>Export</ActionButton>
      <button type="button" onClick={() => input.current?.click()}>
        Import
      </button>
      <input
        ref={input}
        class="visually-hidden"
        type="file"
        accept=".json,application/json"
        aria-label="JSON file to import"
        tabIndex={-1}
        onChange={run}
      />
    </>
  );
}

/** Lets the browser download a text as a file. */
function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The URL must be valid until the download has started.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** The view of the state of a sandbox, with a table for each collection. */
export function StateView() {
  const { router, server } = useConsole();
  const { sandbox, values } = useObservable(router.route);
  const collections = useObservable(server)?.collections;
  const collection = collections?.find(({ name }) => name === values.collection) ?? collections?.[0];
  if (collections === undefined) return <main class="state" aria-busy="true" />;
  return (
    <main class="state">
      <h1 class="visually-hidden">State</h1>
      {collection === undefined ? (
        <div class="page">
          <p>The application has no state: the contract has no resources whose entries can be stored.</p>
        </div>
      ) : (
        <CollectionView key={collection.name} {...{ sandbox, collection, collections }} />
      )}
    </main>
  );
}

interface CollectionProps {
  readonly sandbox: string;
  readonly collection: Collection;
  readonly collections: readonly Collection[];
}

function CollectionView({ sandbox, collection, collections }: CollectionProps) {
  const { api, router } = useConsole();
  const { values } = useObservable(router.route);
  const { search = '', offset = '0', explain, key, sort } = values;
  const isExplained = collection.isSearched && explain === 'yes' && search.trim() !== '';
  const path = { id: sandbox, collection: collection.name };
  const query = { search: search || undefined, key: key || undefined, sort: sort || undefined, offset: Number(offset) };
  const page = useLoaded(`${collection.name} ${JSON.stringify(query)}`, () =>
    api.send('listEntries', { path, query: { ...query, limit: PAGE_SIZE } }),
  );
  const details = useLoaded(`sandbox ${sandbox}`, () => api.send('getSandbox', { path: { id: sandbox } }));
  const [edited, setEdited] = useState<EditedEntry>();
  const lastChange = useLastChange(sandbox);
  const reload = async () => {
    await Promise.all([page.reload(), details.reload(), lastChange.reload()]);
  };
  useAfterRequests(reload);
  const shown = useLastData(page);
  return (
    <>
      <CollectionTabs collections={collections} current={collection.name} counts={details.data?.counts} />
      <StateToolbar onAdd={() => setEdited({})} onChange={reload} collection={collection} />
      {key !== undefined && (
        <p class="last-change">
          <span>
            The entry with the id <code>{key}</code>
          </span>
          <a href={router.link({ view: 'state', sandbox, values: { collection: collection.name } })}>
            Show all entries
          </a>
        </p>
      )}
      <LastChange change={lastChange.data} />
      {page.error !== undefined && <p class="error page">{page.error}</p>}
      {isExplained && (
        <SearchExplanation {...{ sandbox }} collection={collection.name} collectionKey={collection.key} term={search} />
      )}
      {!isExplained && shown !== undefined && (
        <EntryTable
          page={shown}
          collectionKey={collection.key}
          offset={Number(offset)}
          changes={lastChange.data?.changes.filter((change) => change.collection === collection.name) ?? []}
          onEdit={setEdited}
        />
      )}
      {edited !== undefined && (
        <EntryEditor
          key={edited.position}
          {...{ sandbox, collection, edited }}
          onClose={() => setEdited(undefined)}
          onChange={reload}
        />
      )}
    </>
  );
}

/**
 * Returns the loaded data.
 * While another page is loading, returns the data of the previous page, so that the table does not disappear.
 */
function useLastData({ data }: Loaded<EntryPage>): EntryPage | undefined {
  const [last, setLast] = useState(data);
  if (data !== undefined && data !== last) setLast(data);
  return data ?? last;
}

/** The tabs that select a collection. Each tab shows the number of entries. */
function CollectionTabs(props: {
  readonly collections: readonly Collection[];
  readonly current: string;
  /** The number of entries of each collection. Undefined until it is loaded. */
  readonly counts: Readonly<Record<string, number>> | undefined;
}) {
  const { router } = useConsole();
  const { sandbox } = useObservable(router.route);
  const tabs = useRef<HTMLElement>(null);
  useEffect(
    () => tabs.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' }),
    [],
  );
  return (
    <nav class="tabs" aria-label="Collections" ref={tabs}>
      {props.collections.map(({ name }) => (
        <a
          key={name}
          href={router.link({ view: 'state', sandbox, values: { collection: name } })}
          aria-current={name === props.current ? 'page' : undefined}
        >
          {name} {props.counts && <span class="count">{formatCount(props.counts[name] ?? 0)}</span>}
        </a>
      ))}
    </nav>
  );
}

/** The toolbar of a collection: search, add, export, import and reset. */
function StateToolbar(props: {
  readonly collection: Collection;
  readonly onAdd: () => void;
  readonly onChange: () => Promise<void>;
}) {
  const { api, router } = useConsole();
  const { sandbox, values } = useObservable(router.route);
  const { name, isSearched } = props.collection;
  const reset = async () => {
    await api.send('resetSandbox', { path: { id: sandbox } });
    await props.onChange();
  };
  return (
    <div class="toolbar" role="search" aria-label="Entries">
      <input
        class="grow"
        type="search"
        placeholder={`Search in ${name}`}
        aria-label={`Search in ${name}`}
        value={values.search ?? ''}
        onInput={(event) => router.setValues({ search: event.currentTarget.value, key: '', offset: '' })}
      />
      {isSearched && (
        <label class="checkbox">
          <input
            type="checkbox"
            checked={values.explain === 'yes'}
            onChange={(event) => router.setValues({ explain: event.currentTarget.checked ? 'yes' : '' })}
          />{' '}
          Explain the search of the application
        </label>
      )}
      <button type="button" onClick={props.onAdd}>
        Add entry
      </button>
      <StateFile sandbox={sandbox} onChange={props.onChange} />
      <ConfirmButton action={reset} done="The default data is restored" label="Reset data">
        Reset data
      </ConfirmButton>
    </div>
  );
}
