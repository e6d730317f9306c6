import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Change } from '../../src/shop/operations/handler.ts';
import type { State } from '../../src/shop/state.ts';
import type { Durability } from '../../src/store/open-state.ts';
import type { Store } from '../../src/store/store.ts';
import { openTestState } from '../support/harness/open-store.ts';
import { tempFolder } from '../support/harness/temp-folder.ts';

const CLIENTS = 50;
const REQUESTS = 8;
const CHANGES = CLIENTS * REQUESTS;

/** The maximum number of commits. It exceeds the number of rounds of requests, and is far below the number of changes. */
const MOST_COMMITS = CHANGES / 4;

const MODES: readonly Durability[] = ['disk', 'memory'];

/** A change that always returns a new state, so that the revision counts the commits. */
const touch: Change<undefined> = (state) => ({ next: { ...state }, result: undefined });

describe.each(MODES)('a store with durability %s', (durability) => {
  it('commits the changes of 50 concurrent HTTP clients together', async () => {
    const { store } = await openTestState({ data: join(await tempFolder(), 'db.json'), durability });
    const port = await serve(store);
    await Promise.all(Array.from({ length: CLIENTS }, () => sendRequests(port)));
    const { revision } = store.read();
    expect(revision).toBeGreaterThan(0);
    expect(revision).toBeLessThan(MOST_COMMITS);
  });

  it('commits changes of several socket events in one turn of the event loop together', async () => {
    const { store } = await openTestState({ data: join(await tempFolder(), 'db.json'), durability });
    const changes: Promise<unknown>[] = [];
    await new Promise<void>((resolve) => {
      for (let number = 1; number <= CHANGES; number++)
        setImmediate(() => {
          changes.push(store.update(touch));
          if (number === CHANGES) resolve();
        });
    });
    await Promise.all(changes);
    expect(store.read().revision).toBe(1);
  });

  it('commits a single change once', async () => {
    const { store } = await openTestState({ data: join(await tempFolder(), 'db.json'), durability });
    for (let number = 1; number <= REQUESTS; number++) await store.update(touch);
    expect(store.read().revision).toBe(REQUESTS);
  });
});

/** Starts a server that handles each request with one change of the store. Returns its port. */
async function serve(store: Store<State>): Promise<number> {
  const server = createServer((_request, response) => {
    void store.update(touch).then(() => response.end('done'));
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

/** Sends the requests of a client one after the other on one connection. */
async function sendRequests(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  const request = (connection: string) => `GET / HTTP/1.1\r\nHost: shop.test\r\nConnection: ${connection}\r\n\r\n`;
  for (let number = 1; number < REQUESTS; number++) {
    socket.write(request('keep-alive'));
    await once(socket, 'data');
  }
  socket.write(request('close'));
  expect(await text(socket)).toContain('done');
}
