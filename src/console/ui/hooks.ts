import { createContext } from 'preact';
import { useCallback, useContext, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Console } from '../model/console.ts';
import type { Observable } from '../model/observable.ts';

/** Returns the value of an observable, and renders the component again when the value changes. */
export function useObservable<Value>(observable: Observable<Value>): Value {
  const [, setVersion] = useState(0);
  const rendered = useRef(observable.value);
  rendered.current = observable.value;
  useLayoutEffect(() => {
    const update = () => setVersion((version) => version + 1);
    if (rendered.current !== observable.value) update();
    return observable.observe(update);
  }, [observable]);
  return observable.value;
}

/** Data that is loaded from the server. */
export interface Loaded<Data> {
  /** The data that was loaded last. Undefined until the first data has arrived. */
  readonly data: Data | undefined;
  /** The error message if the last attempt to load the data failed. Undefined if it succeeded. */
  readonly error: string | undefined;
  /** Whether the first attempt to load the data is in progress. */
  readonly isLoading: boolean;
  /** Loads the data again. Resolves when the data has arrived. */
  readonly reload: () => Promise<void>;
}

/**
 * Loads data when the component is shown, when `key` changes, and when the page connects to the server again.
 * Ignores data that was loaded for an earlier key.
 * Always calls the `load` function of the latest rendering.
 */
export function useLoaded<Data>(key: string, load: () => Promise<Data>): Loaded<Data> {
  const { connection } = useConsole();
  const [loaded, setLoaded] = useState<{ readonly key: string; readonly data?: Data; readonly error?: string }>({
    key,
  });
  const latest = useRef({ key, load, number: 0 });
  latest.current.key = key;
  latest.current.load = load;
  const { count } = useObservable(connection);
  const reload = useCallback(async () => {
    const number = ++latest.current.number;
    const started = latest.current.key;
    const isCurrent = () => number === latest.current.number && started === latest.current.key;
    try {
      const data = await latest.current.load();
      if (isCurrent()) setLoaded({ key: started, data });
    } catch (error) {
      const { message } = error as Error;
      if (isCurrent()) setLoaded((old) => ({ ...(old.key === started && old), key: started, error: message }));
    }
  }, []);
  useEffect(() => {
    reload();
  }, [key, count, reload]);
  const { data, error } = loaded.key === key ? loaded : {};
  return { data, error, isLoading: data === undefined && error === undefined, reload };
}

/** Calls a function at an interval while the page is visible. */
export function useInterval(call: () => void, intervalMs: number): void {
  const latest = useRef(call);
  latest.current = call;
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) latest.current();
    }, intervalMs);
    return () => clearInterval(timer);
  }, [intervalMs]);
}

/** Calls a function after new recorded requests have arrived, at most once per interval. */
export function useAfterRequests(call: () => void, intervalMs = 500): void {
  const { requests } = useConsole();
  const latest = useRef(call);
  latest.current = call;
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = requests.version.observe(() => {
      timer ??= setTimeout(() => {
        timer = undefined;
        latest.current();
      }, intervalMs);
    });
    return () => {
      end();
      clearTimeout(timer);
    };
  }, [requests, intervalMs]);
}

export const ConsoleContext = createContext<Console | undefined>(undefined);

/** Returns the objects that all components of the console share. */
export function useConsole(): Console {
  const console = useContext(ConsoleContext);
  if (console === undefined) throw new Error('The component must be used inside ConsoleContext.Provider.');
  return console;
}

/** Loads the operations of the contract. Each operation says whether the current sandbox mocks it. */
export function useOperations() {
  const { api, router, server } = useConsole();
  const { sandbox } = useObservable(router.route);
  const reloads = useObservable(server)?.contract.reloads ?? 0;
  return useLoaded(`operations ${sandbox} ${reloads}`, () => api.send('listOperations', { path: { id: sandbox } }));
}
