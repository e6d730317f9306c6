import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordAnswers } from './answers.ts';
import { ours } from './contestants.ts';
import { type Bench, Fault } from './measurement.ts';
import { reset } from './requests.ts';
import { startServer } from './server.ts';

/** What all measurements share: our server's answers and the data file of its first start, both made in `folder`. */
export async function openBench(serverFile: string, folder: string): Promise<Bench> {
  if (!existsSync(serverFile)) {
    throw new Fault(
      `there is no ${serverFile}: run \`npm ci\` in the project's root, which builds it, or name another with --server PATH`,
    );
  }
  const dataFile = join(folder, 'existing.json');
  const answersFile = join(folder, 'answers.json');
  const server = await startServer(ours({ serverFile }, { name: 'ours', log: 'off', data: () => dataFile }), folder);
  const answers = await recordAnswers(server.port);
  await server.stop();
  writeFileSync(answersFile, JSON.stringify(answers));
  const requests = answers.map(({ request }) => request).filter((request) => request !== reset);
  const tell = (line: string) => void process.stderr.write(`${line}\n`);
  return { serverFile, folder, answersFile, dataFile, requests, tell };
}
