import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/openapi/contract.ts';
import { formatFindings, runCheck, stopAfterFinding } from '../support/harness/check.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { startTasksServer, TASKS_CONTRACT, type TasksDefect } from '../support/reference-servers/tasks-server.ts';

/** Checks a server. With a defect, the check ends when it has a finding with the title `until`. */
async function checkTasks(seed: number, defect?: TasksDefect, until?: string) {
  const path = join(await folderWith({ 'tasks.yaml': TASKS_CONTRACT }), 'tasks.yaml');
  const contract = await loadContract({ path, strict: false });
  const stop = until === undefined ? {} : stopAfterFinding(({ title }) => title === until);
  return runCheck(await startTasksServer(defect), {
    contract,
    model: undefined,
    seed,
    runs: 10,
    isFresh: false,
    ...stop,
  });
}

describe('The check of an API whose resources can be updated', () => {
  it.each([1, 2, 3])('has no finding for a server that stores changes and normalizes titles: seed %i', async (seed) => {
    const { findings, unchecked, notes } = await checkTasks(seed);
    expect([formatFindings(findings), unchecked, notes]).toEqual([[], [], []]);
  });

  it.each<readonly [TasksDefect, string]>([
    ['POST stores another title than it returns', 'changes are stored'],
    ['PUT returns the new task and does not store it', 'changes are stored'],
    ['PUT stores nothing and returns the old task', 'changes are stored'],
    ['PATCH returns the new task and does not store it', 'changes are stored'],
    ['GET returns the number of a critical task as text', 'body/number type'],
    ['PUT fails for a task that does not exist', 'no server error'],
  ])('finds: %s', async (defect, rule) => {
    for (const seed of [1, 2, 3]) {
      const { findings } = await checkTasks(seed, defect, rule);
      expect(findings.map((finding) => finding.title)).toContain(rule);
    }
  });
});
