import { it } from 'vitest';
import { createCountingIds, startApi } from '../support/harness/start-api.ts';
import { createRequests, PlainServer, SHAPES } from '../support/oracles/plain-server.ts';

/** The number of requests in each sequence. */
const REQUESTS = 150;

it.each(SHAPES)(
  '$title: random requests get the responses of a server with plain arrays',
  async ({ api, collections }) => {
    for (const seed of [1, 2]) {
      const { ask } = await startApi(api);
      const plain = new PlainServer(collections, createCountingIds());
      for (const request of createRequests(seed, REQUESTS)) await plain.compare(ask, request);
    }
  },
);
