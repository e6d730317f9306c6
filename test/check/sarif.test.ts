import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toAnnotations } from '../../src/check/report/annotations.ts';
import type { Failure, Report } from '../../src/check/report/report.ts';
import { toSarif } from '../../src/check/report/sarif.ts';
import { folderWith } from '../support/harness/folder-with.ts';

function failure(parts: Partial<Failure> = {}): Failure {
  return {
    check: 'statuses',
    operationId: 'listTasks',
    status: '200',
    title: 'body/3/title type',
    rule: { name: 'response-schema', confidence: 'certain', remedy: 'describe the value' },
    message: 'body/3/title must be string',
    place: 'api/open api.yaml:12:7 #/paths/~1tasks/get',
    steps: [{ request: "curl 'http://tasks.test/tasks'", response: '200 application/json []' }],
    ...parts,
  };
}

const LIKELY = failure({
  title: 'PUT replaces the resource',
  rule: { name: 'put-replaces', confidence: 'likely', remedy: undefined },
});

function report(parts: Partial<Report> = {}): Report {
  const coverage = { operations: [], rules: [], contract: { title: '', version: '', totals: [], operations: [] } };
  return { title: '', checks: [], rows: [], failures: [], notes: [], coverage, unchecked: [], unreached: [], ...parts };
}

const readRun = (text: string) => JSON.parse(text).runs[0];

describe('toSarif', () => {
  it('has a result at the line of the contract for each failure, and the rules of the results', () => {
    const { tool, results, invocations } = readRun(toSarif(report({ failures: [failure(), LIKELY] })));
    expect(tool.driver.rules.map(({ id }: { id: string }) => id)).toEqual(['response-schema', 'put-replaces']);
    expect(invocations).toEqual([{ executionSuccessful: true }]);
    expect(results).toMatchObject([
      {
        ruleId: 'response-schema',
        level: 'error',
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: 'api/open%20api.yaml' },
              region: { startLine: 12, startColumn: 7 },
            },
          },
        ],
        partialFingerprints: { 'storefront/v1': 'listTasks statuses response-schema 200 body/*/title type' },
      },
      { ruleId: 'put-replaces', level: 'warning' },
    ]);
    expect(results[0].message.text).toContain("curl 'http://tasks.test/tasks'\n200 application/json []");
  });

  it('suppresses the known failures of a baseline', () => {
    const baseline = { path: '', isStrict: false, known: [failure()], incomplete: [], fixed: [], entries: [] };
    const { results } = readRun(toSarif(report({ failures: [LIKELY], baseline })));
    expect(results.map((one: { baselineState: string }) => one.baselineState)).toEqual(['new', 'unchanged']);
    expect(results[1].suppressions).toMatchObject([{ kind: 'external' }]);
    expect(results[0].suppressions).toBeUndefined();
  });

  it('says what was not checked', () => {
    const [invocation] = readRun(toSarif(report({ unchecked: ['listTasks (403)'] }))).invocations;
    expect(invocation.executionSuccessful).toBe(false);
    expect(invocation.toolExecutionNotifications).toMatchObject([
      { message: { text: 'Not checked: listTasks (403)' } },
    ]);
  });

  it('leaves out a place that it cannot read, and uses a URL for a path outside of the folder', () => {
    const other = failure({ place: '/other/api.yaml:1:1 #/' });
    const { results } = readRun(toSarif(report({ failures: [failure({ place: 'the server' }), other] })));
    expect(results[0].locations).toEqual([]);
    expect(results[1].locations[0].physicalLocation.artifactLocation.uri).toBe('file:///other/api.yaml');
  });
});

describe('toAnnotations', () => {
  it('has a command of GitHub Actions for each cause, errors first', () => {
    const other = failure({ operationId: 'readTask', cause: 'one' });
    const failures = [LIKELY, failure({ cause: 'one' }), other];
    expect(toAnnotations(report({ failures, minConfidence: 'certain' }), '.')).toBe(
      [
        '::error file=api/open api.yaml,line=12,col=7,title=listTasks 200 (statuses) violates "body/3/title type"::body/3/title must be string\n',
        '::warning file=api/open api.yaml,line=12,col=7,title=listTasks 200 (statuses) violates "PUT replaces the resource"::body/3/title must be string\n',
      ].join(''),
    );
  });

  it('prints at most ten, in one line each, relative to the repository', () => {
    const failures = Array.from({ length: 12 }, (_, at) =>
      failure({
        title: `100% a, b: ${at}`,
        message: 'one\ntwo\r::error::three',
        place: '/jobs/app/api/open api.yaml:12:7 #/paths/~1tasks/get',
      }),
    );
    const lines = toAnnotations(report({ failures }), '/jobs/app').trimEnd().split('\n');
    expect(lines).toHaveLength(10);
    expect(lines[0]).toMatch(/^::error file=api\/open api\.yaml,line=12,col=7,title=[^,]*100%25 a%2C b%3A 0"::/);
    expect(lines[0]).toMatch(/::one two ::error::three$/);
  });

  it('has what was not checked, and the fixed failures that make the check fail', () => {
    const baseline = {
      path: 'b',
      isStrict: true,
      known: [],
      incomplete: [],
      fixed: ['getA 200 body (json)'],
      entries: [],
    };
    const unchecked = ['getB (only 401 received)'];
    expect(toAnnotations(report({ failures: [], baseline, unchecked }), '.')).toBe(
      [
        '::error title=Fixed%2C but in the baseline::getA 200 body (json). Remove it with --update-baseline\n',
        '::error title=Not checked completely::getB (only 401 received)\n',
      ].join(''),
    );
    const lenient = report({ failures: [failure({})], baseline: { ...baseline, isStrict: false }, unchecked });
    const [, second, ...others] = toAnnotations(lenient, '.').trimEnd().split('\n');
    expect([second, others]).toEqual(['::warning title=Not checked completely::getB (only 401 received)', []]);
  });

  it('has the path in the Git repository of the contract, from any folder', async () => {
    const workspace = await folderWith({ 'app/.git/HEAD': '', 'app/api/api.yaml': '' });
    const place = `${join(workspace, 'app/api/api.yaml')}:1:1 #/paths`;
    const one = report({ failures: [failure({ place })] });
    expect(toAnnotations(one, workspace)).toContain('::error file=api/api.yaml,line=1');
    const [result] = readRun(toSarif(one)).results;
    expect(result.locations[0].physicalLocation.artifactLocation).toEqual({ uri: 'api/api.yaml' });
  });
});
