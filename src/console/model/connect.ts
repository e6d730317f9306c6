import { followRequests } from '../api/request-stream.ts';
import type { Connection, Console } from './console.ts';

/** The interval at which the page checks whether a removed sandbox exists again, in ms. */
const RECREATION_DELAY_MS = 1000;

/** Receives the recorded requests of a sandbox, and adds them to the list of requests. Returns a function that ends the connection. */
export function connect(parts: Console, sandbox: string): () => void {
  const { api, session, requests, ownChanges, connection } = parts;
  const abort = new AbortController();
  const setState = (state: Connection['state']) => connection.set({ ...connection.value, state });
  const restart = () => {
    requests.clear();
    ownChanges.forget(sandbox);
  };
  const follow = () =>
    followRequests(
      { api, session, sandbox, signal: abort.signal },
      {
        onOpen: () => connection.set({ state: 'open', count: connection.value.count + 1 }),
        onRequests: (texts) => requests.add(texts, sandbox),
        onRestart: restart,
        onLost: () => setState('lost'),
        onRemoved: () => {
          setState('removed');
          waitForSandbox();
        },
      },
    );
  /** Waits until the removed sandbox exists again, and then receives its requests. */
  const waitForSandbox = async (): Promise<void> => {
    while (!abort.signal.aborted) {
      const exists = await api.send('getSandbox', { path: { id: sandbox } }).then(
        () => true,
        () => false,
      );
      if (exists && !abort.signal.aborted) {
        restart();
        follow();
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, RECREATION_DELAY_MS));
    }
  };
  requests.clear();
  setState('connecting');
  follow();
  return () => abort.abort();
}
