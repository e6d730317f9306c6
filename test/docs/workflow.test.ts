import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { readCommandLine } from '../../src/cli/options.ts';
import { projectFile } from '../support/fixtures/default-data.ts';

interface Step {
  readonly run?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

function readYaml<Content>(path: string): Content {
  return load(readFileSync(projectFile(path), 'utf8')) as Content;
}

function readSteps(path: string): readonly Step[] {
  return readYaml<{ jobs: { check: { steps: readonly Step[] } } }>(path).jobs.check.steps;
}

function readArguments(args: readonly string[]) {
  return readCommandLine({ args, environment: {}, isTerminal: false, version: '1' });
}

describe('the workflows in docs/check.md', () => {
  it('have a command line of storefront check that is valid', () => {
    const commands = readSteps('test/examples/ci/check.yml').map(({ run = '' }) => run);
    const args =
      commands
        .find((run) => run.includes('storefront'))
        ?.split('storefront ')[1]
        ?.split(' ') ?? [];
    expect(readArguments(args)).toMatchObject({
      kind: 'check',
      options: { url: 'http://localhost:8080', contract: 'openapi.yaml' },
    });
  });

  it('use only inputs and outputs that the action has, and valid options', () => {
    const { inputs, outputs } = readYaml<Record<'inputs' | 'outputs', object>>('.github/actions/check/action.yml');
    const steps = readSteps('test/examples/ci/check-action.yml');
    const { with: given = {} } = steps.find(({ uses }) => uses?.endsWith('/.github/actions/check')) ?? {};
    expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(given)));
    const used = [...JSON.stringify(steps).matchAll(/steps\.check\.outputs\.(\w+)/g)].map(([, name]) => name);
    expect(used).toEqual(expect.arrayContaining(['sarif', 'junit']));
    expect(Object.keys(outputs)).toEqual(expect.arrayContaining(used));
    const lines = String(given.args).trim().split('\n');
    expect(readArguments(['check', String(given.url), '--baseline', String(given.baseline), ...lines])).toMatchObject({
      kind: 'check',
    });
  });
});
