import { escapeControlsInLines } from '../util/text.ts';
import type { DiffCommand } from './options.ts';
import { createDiffReport, type DiffReport, toMarkdown, toText } from './report.ts';
import { readVersion, type VersionSource } from './version.ts';

/**
 * Compares two versions of a contract.
 * Returns the report, its text, and whether it has the changes that make the command fail.
 * Rejects with a `UserError` if a version can't be read.
 */
export async function runDiff(
  { old, new: now, failOn, markdown, allowRefs }: DiffCommand,
  source: Pick<VersionSource, 'folder' | 'environment'>,
): Promise<{ readonly report: DiffReport; readonly text: string; readonly hasFailed: boolean }> {
  const read = (version: string) => readVersion(version, { ...source, allowRefs });
  const [before, after] = await Promise.all([read(old), read(now)]);
  const report = createDiffReport(before, after);
  const format = markdown ? toMarkdown : toText;
  const count = report.breaking.length + (failOn === 'any' ? report.other.length : 0);
  return { report, text: escapeControlsInLines(format(report)), hasFailed: failOn !== 'none' && count > 0 };
}
