import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import type { Coverage } from './coverage-line.ts';

/**
 * The environment variable with the folder in which the servers of all workers store their coverage.
 * Workers inherit it from the process of the reporter.
 */
const FOLDER_VARIABLE = 'STOREFRONT_COVERAGE_FOLDER';

/** The maximum duration of the request for a coverage, in ms. A test can have replaced the timers of the server. */
const READ_MS = 5_000;

/** Creates the folder for the coverage of the servers that this process and its workers start. Returns its path. */
export function createCoverageFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'storefront-coverage-'));
  env[FOLDER_VARIABLE] = folder;
  return folder;
}

/** Stores the coverage of a server if a reporter has created the folder for it. */
export async function storeCoverage(url: string, token: string | undefined): Promise<void> {
  const folder = env[FOLDER_VARIABLE];
  if (folder === undefined) return;
  try {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const response = await fetch(`${url}/_control/coverage`, { headers, signal: AbortSignal.timeout(READ_MS) });
    if (response.ok) writeFileSync(join(mkdtempSync(join(folder, 'server-')), FILE), await response.text());
  } catch {
    // The server has no control API, or the tests have replaced `fetch`. The results of the tests do not depend on it.
  }
}

const FILE = 'coverage.json';

/** Returns the stored coverages, and removes the folder. */
export function takeCoverages(folder: string): readonly Coverage[] {
  try {
    return readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name, FILE), 'utf8')) as Coverage);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
