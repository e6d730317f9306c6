import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, onTestFinished } from 'vitest';
import { writeApi } from '../support/harness/start-api.ts';
import { startProgram } from '../support/harness/start-program.ts';
import { createFetchClient } from '../support/harness/start-storefront.ts';
import { tempFolder } from '../support/harness/temp-folder.ts';
import { createRequests, PlainServer, SHAPES } from '../support/oracles/plain-server.ts';

/** The number of requests in a sequence, and how many of them precede each time that the server is killed. */
const REQUESTS = 2_000;
const REQUESTS_PER_START = 250;

describe('a server that is killed and started again', { timeout: 300_000 }, () => {
  it.each(SHAPES)(
    '$title: 2,000 random requests get the responses of a server with plain arrays',
    async ({ api, collections }) => {
      const folder = await tempFolder();
      const seeds = join(folder, 'seeds.json');
      await writeFile(seeds, JSON.stringify(Object.fromEntries(Object.keys(collections).map((name) => [name, []]))));
      const contract = await writeApi(api);
      const files = ['--contract', contract, '--default-data', seeds, '--data', join(folder, 'db.json')];
      const plain = new PlainServer(collections);
      const requests = createRequests(1, REQUESTS);
      for (let start = 0; start < REQUESTS; start += REQUESTS_PER_START) {
        const program = await startProgram({ onTestFinished }, [...files, '--port', '0', '--log', 'off']);
        const ask = createFetchClient(await program.url());
        for (const request of requests.slice(start, start + REQUESTS_PER_START)) await plain.compare(ask, request);
        program.child.kill('SIGKILL');
        await program.ended;
      }
    },
  );
});
