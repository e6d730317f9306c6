import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { readCommandLine } from '../../src/cli/options.ts';
import { projectFile } from '../support/fixtures/default-data.ts';

describe('the workflow in docs/check.md', () => {
  it('has a command line of storefront check that is valid', () => {
    const workflow = load(readFileSync(projectFile('test/examples/ci/check.yml'), 'utf8')) as {
      jobs: { check: { steps: { run?: string }[] } };
    };
    const command = workflow.jobs.check.steps.map(({ run = '' }) => run).find((run) => run.includes('storefront'));
    const args = command?.split('storefront ')[1]?.split(' ') ?? [];
    expect(readCommandLine({ args, environment: {}, isTerminal: false, version: '1' })).toMatchObject({
      kind: 'check',
      options: { url: 'http://localhost:8080', contract: 'openapi.yaml' },
    });
  });
});
