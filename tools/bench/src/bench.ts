import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ours } from './contestants.ts';
import { type Bench, BenchError } from './measurement.ts';
import { listRequests, recordResponses } from './recorded-responses.ts';
import { startServer } from './server.ts';

/**
 * Creates the input of all measurements. Starts our server once in `folder`, with a new data file, and records its responses. Throws a `BenchError` if the
 * file `serverFile` does not exist.
 */
export async function openBench(serverFile: string, folder: string): Promise<Bench> {
  if (!existsSync(serverFile)) {
    throw new BenchError(
      `there is no ${serverFile}: run \`npm ci\` in the project's root, which builds the file, or choose another file with --server PATH`,
    );
  }
  const dataFile = join(folder, 'existing.json');
  const responsesFile = join(folder, 'responses.json');
  const server = await startServer(ours({ serverFile }, { name: 'ours', log: 'off', data: () => dataFile }), folder);
  const requests = await listRequests(server.port);
  const responses = await recordResponses(server.port, requests);
  await server.stop();
  writeFileSync(responsesFile, JSON.stringify(responses));
  const logProgress = (line: string) => void process.stderr.write(`${line}\n`);
  return { serverFile, folder, responsesFile, dataFile, requests, logProgress };
}
