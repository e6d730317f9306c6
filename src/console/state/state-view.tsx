import { useEffect, useRef, useState } from 'preact/hooks';
import { formatCount } from '../model/format.ts';
import { ConfirmButton } from '../ui/buttons.tsx';
import { useConsole } from '../ui/context.ts';
import { type Loaded, useAfterRequests, useLoaded, useObservable } from '../ui/hooks.ts';
import { EntryEditor } from './entry-editor.tsx';
import { EntryTable } from './entry-table.tsx';
import { LastChange, useLastChange } from './last-change.tsx';
import { SearchExplanation } from './search-explanation.tsx';
import { StateFile } from './state-file.tsx';
import { type Collection, type EditedEntry, type EntryPage, PAGE_SIZE } from './state-types.ts';

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
  const { search = '', offset = '0', explain } = values;
  const isExplained = collection.isSearched && explain === 'yes' && search.trim() !== '';
  const path = { id: sandbox, collection: collection.name };
  const page = useLoaded(`${collection.name} ${search} ${offset}`, () =>
    api.send('listEntries', {
      path,
      query: { search: search === '' ? undefined : search, offset: Number(offset), limit: PAGE_SIZE },
    }),
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

/** Returns the loaded data. While another page is loading, returns the data of the previous page, so that the table does not disappear. */
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
        onInput={(event) => router.setValues({ search: event.currentTarget.value, offset: '' })}
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
