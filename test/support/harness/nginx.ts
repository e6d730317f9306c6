import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { projectFile } from '../fixtures/default-data.ts';
import { startCommand } from './commands.ts';
import { findFreePort } from './free-port.ts';
import { createFetchClient } from './start-storefront.ts';
import { tempFolder } from './temp-folder.ts';

/** Whether nginx is installed. */
export const hasNginx: boolean = spawnSync('nginx', ['-v']).error === undefined;

/** Matches the two replicas in tools/container/nginx.conf. The group contains the settings of the first replica. */
const REPLICAS = /server replica-1:3000(.*;)\n\s*server replica-2:3000.*;/;

/** Starts nginx with tools/container/nginx.conf as a load balancer for the servers on these ports. Stops nginx when the test ends. Returns its URL. */
export async function startNginx(ports: readonly number[]): Promise<string> {
  if (!hasNginx) throw new Error('This test needs nginx, which is not installed: run apt-get install nginx-light.');
  const port = await findFreePort();
  const folder = await tempFolder();
  const text = await readFile(projectFile('tools/container/nginx.conf'), 'utf8');
  const toServers = (_: string, settings: string) =>
    ports.map((one) => `server 127.0.0.1:${one}${settings}`).join('\n');
  const config = text.replace(REPLICAS, toServers).replace('listen 3000', `listen 127.0.0.1:${port}`);
  await writeFile(join(folder, 'nginx.conf'), config);
  const settings = `daemon off; pid ${folder}/nginx.pid;`;
  startCommand('nginx', ['-c', join(folder, 'nginx.conf'), '-p', folder, '-g', settings], { cwd: folder });
  const url = `http://localhost:${port}`;
  const ask = createFetchClient(url);
  await vi.waitFor(async () => expect((await ask('GET', '/_control/health')).status).toBe(200), { timeout: 60_000 });
  return url;
}
