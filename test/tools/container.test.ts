import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { validate } from 'dockerfile-utils';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { readCommandLine } from '../../src/cli/options.ts';
import { projectFile } from '../support/fixtures/default-data.ts';
import { runCommand } from '../support/harness/commands.ts';
import { containerfile, readStages, type Step } from '../support/harness/containerfile.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const HERE = projectFile('tools/container');

function find(steps: readonly Step[], keyword: string): readonly Step[] {
  return steps.filter((step) => step.keyword === keyword);
}

/** Expects that the server accepts a command line. */
function expectCommandLine(args: readonly string[]): void {
  const line = readCommandLine({ args: [...args], environment: {}, isTerminal: false, version: '1' });
  expect(line, args.join(' ')).toMatchObject({ kind: 'serve' });
}

describe('tools/container/Containerfile', () => {
  const [build = [], final = []] = readStages();

  it('passes the linter', () => {
    expect(validate(containerfile).map(({ message, range }) => `${range.start.line + 1}: ${message}`)).toEqual([]);
  });

  it('has a stage that builds, and a stage that runs, both from an image with a version', () => {
    expect(readStages().map((stage) => find(stage, 'FROM')[0]?.args[0])).toEqual(['node:22-slim', 'node:22-slim']);
  });

  it('copies only files that exist', () => {
    const ofProject = find(build, 'COPY').flatMap(({ args }) => args.slice(0, -1));
    expect(ofProject.filter((path) => !existsSync(projectFile(path)))).toEqual([]);
    expect(find(final, 'COPY').map(({ from }) => from)).toEqual(find(final, 'COPY').map(() => 'build'));
  });

  it('needs no shell', () => {
    const commands = [...build, ...final].filter(({ keyword }) =>
      ['RUN', 'HEALTHCHECK', 'ENTRYPOINT', 'CMD'].includes(keyword),
    );
    expect(commands.filter(({ command }) => command === undefined)).toEqual([]);
  });

  it('runs the server as the user node, with its data in a volume that belongs to this user', () => {
    const [user] = find(final, 'USER');
    expect(user?.args).toEqual(['node']);
    expect(final.indexOf(user as Step)).toBeGreaterThan(final.findLastIndex(({ keyword }) => keyword === 'RUN'));
    expect(find(final, 'VOLUME')[0]?.args).toEqual(['/data']);
    expect(find(final, 'RUN').at(-1)?.command).toEqual([
      'install',
      '--directory',
      '--owner=node',
      '--group=node',
      '/data',
    ]);
    expect(find(final, 'ENTRYPOINT')[0]?.command).toEqual(['node', '/app/dist/main.js']);
    expectCommandLine(find(final, 'CMD')[0]?.command ?? []);
  });

  it('has a health check that passes only if the server is ready', async () => {
    expect(find(final, 'HEALTHCHECK')[0]?.command).toEqual(['node', '/app/health-check.mjs']);
    const { port, close } = await startStorefront();
    const check = () => runCommand('env', [`PORT=${port}`, 'node', join(HERE, 'health-check.mjs')], { cwd: HERE });
    expect(await check()).toMatchObject({ exitCode: 0, output: '' });
    await close();
    expect(await check()).toMatchObject({ exitCode: 1, output: '' });
  });
});

/** A service of a compose file. */
interface Service {
  readonly image: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly command?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly volumes?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
}

describe('tools/container/compose.yaml', () => {
  const file = load(readFileSync(join(HERE, 'compose.yaml'), 'utf8')) as {
    readonly services: Readonly<Record<string, Service>>;
    readonly volumes: Readonly<Record<string, unknown>>;
  };
  const services = Object.entries(file.services);

  it('has two replicas with the same settings, PostgreSQL and nginx, each image with a version', () => {
    const { database, 'replica-1': first, 'replica-2': second, storefront, ...others } = file.services;
    expect(others).toEqual({});
    expect(second).toEqual(first);
    expect([database?.image, storefront?.image]).toEqual(['postgres:17-alpine', 'nginx:1.28-alpine']);
    expect(existsSync(join(HERE, first?.build?.context ?? '', first?.build?.dockerfile ?? ''))).toBe(true);
    expectCommandLine(first?.command ?? []);
  });

  it('starts a service when the services before it are healthy', () => {
    const isChecked = (name: string) => name.startsWith('replica') || file.services[name]?.healthcheck !== undefined;
    for (const [name, { depends_on: before = {} }] of services)
      for (const [other, { condition }] of Object.entries(before))
        expect([condition, isChecked(other)], `${name} after ${other}`).toEqual(['service_healthy', true]);
    const shells = services.filter(([, { healthcheck }]) => healthcheck && healthcheck.test[0] !== 'CMD');
    expect(shells).toEqual([]);
  });

  it('mounts files and volumes that exist', () => {
    for (const [source = ''] of services.flatMap(([, { volumes = [] }]) => volumes.map((volume) => volume.split(':'))))
      expect(source.startsWith('.') ? existsSync(join(HERE, source)) : source in file.volumes, source).toBe(true);
  });
});
