import { once } from 'node:events';
import { symlink, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { projectFile } from '../support/fixtures/default-data.ts';
import { runCommand } from '../support/harness/commands.ts';
import { tempFolder } from '../support/harness/temp-folder.ts';
import { startReplicas } from '../support/postgres/replicas.ts';
import { createRoundRobin } from '../support/postgres/round-robin.ts';
import { startServers } from '../support/postgres/servers.ts';

const FILES = 20;
const TESTS = 100;

it('100 isolated tests with 8 workers pass against two servers behind nginx', async () => {
  const { url } = await startReplicas(2);
  const folder = await tempFolder();
  await symlink(projectFile('node_modules'), join(folder, 'node_modules'));
  const tests = JSON.stringify(projectFile('test/support/postgres/isolated-tests.ts'));
  for (let file = 0; file < FILES; file++) {
    const define = `defineIsolatedTests('${url}', { name: 'file-${file}', count: ${TESTS / FILES} });`;
    await writeFile(join(folder, `${file}.test.ts`), `import { defineIsolatedTests } from ${tests};\n${define}\n`);
  }
  const args = ['run', '--maxWorkers', '8', '--testTimeout', '60000', '--reporter', 'json'];
  const { exitCode, output } = await runCommand('node', [projectFile('node_modules/vitest/vitest.mjs'), ...args], {
    cwd: folder,
  });
  expect([exitCode, output]).toEqual([0, expect.stringContaining(`"numPassedTests":${TESTS},`)]);
});

it('storefront check passes two servers that handle the requests in turn', async () => {
  const servers = await startServers(2);
  // Not nginx, which refuses malformed paths and the method TRACE by itself.
  const proxy = createRoundRobin(servers.map(({ port }) => port)).listen(0, 'localhost');
  onTestFinished(() => void proxy.close());
  await once(proxy, 'listening');
  const url = `http://localhost:${(proxy.address() as AddressInfo).port}`;
  const args = [projectFile('dist/main.js'), 'check', url, '--allow-writes', '--runs', '20'];
  const { exitCode, output } = await runCommand('node', args, { cwd: await tempFolder() });
  expect([exitCode, output]).toEqual([0, expect.stringContaining('Contract check passed')]);
});
