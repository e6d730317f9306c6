import { cp, mkdir, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { projectFile } from '../support/fixtures/default-data.ts';
import { runCommand, startCommand } from '../support/harness/commands.ts';
import { readStages, type Step } from '../support/harness/containerfile.ts';
import { createFetchClient } from '../support/harness/start-storefront.ts';
import { tempFolder } from '../support/harness/temp-folder.ts';

/** Returns the copied files of a step: from where, and to where. `source` and `target`: the root folders of the stages. */
function listCopies({ args }: Step, source: string, target: string): readonly (readonly [from: string, to: string])[] {
  const to = args.at(-1) ?? '';
  const place = join(target, to.startsWith('/') ? to : join('/app', to));
  return args.slice(0, -1).map((path) => [join(source, path), to.endsWith('/') ? join(place, basename(path)) : place]);
}

/** Copies files as a step says. The installed packages become a link, because only their place matters. */
async function copy(step: Step, source: string, target: string): Promise<void> {
  for (const [from, to] of listCopies(step, source, target)) {
    await mkdir(dirname(to), { recursive: true });
    if (basename(from) === 'node_modules') await symlink(projectFile('node_modules'), to);
    else await cp(from, to, { recursive: true });
  }
}

it('the files that tools/container/Containerfile copies are enough to build and to run the server', async () => {
  const folder = await tempFolder();
  const [build = [], final = []] = readStages();
  for (const step of build.filter(({ keyword }) => keyword === 'COPY'))
    await copy(step, projectFile(''), join(folder, 'build'));
  await symlink(projectFile('node_modules'), join(folder, 'build/app/node_modules'));
  expect(build.map(({ command }) => command?.join(' '))).toContain('npm run build');
  expect(await runCommand('npm', ['run', 'build'], { cwd: join(folder, 'build/app') })).toMatchObject({ exitCode: 0 });
  for (const step of final.filter(({ keyword }) => keyword === 'COPY'))
    await copy(step, join(folder, 'build'), join(folder, 'final'));
  const program = join(folder, 'final/app/dist/main.js');
  const server = startCommand('node', [program, '--port', '0', '--log', 'pretty'], { cwd: folder });
  const [, url = ''] = await server.said(/listening at (http:\/\/[^\s",]+)/);
  const ask = createFetchClient(url);
  const { body: products } = await ask('GET', '/api/products?search=kettle');
  for (const path of [
    `/${products[0].image}`,
    '/openapi.yaml',
    '/_control/openapi.yaml',
    '/_console/',
    '/_docs/',
    '/_control/metrics',
  ])
    expect((await ask('GET', path)).status, path).toBe(200);
});
