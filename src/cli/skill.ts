import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Argument, Command } from 'commander';
import { getPackageFile } from '../package-file.ts';
import { UserError } from '../util/issue.ts';
import { createFolder } from './create-folder.ts';
import { addOptions } from './option-values.ts';

/** The folders in which coding agents look for the skills of a project. */
const FOLDERS = [join('.claude', 'skills'), join('.agents', 'skills')];

/** Where `storefront skill install` copies the skill. */
export interface SkillOptions {
  /** The folder of the skills. Default: each of `FOLDERS` whose parent folder exists, or the first if none exists. */
  readonly dir?: string;
  /** Whether a changed copy is replaced. */
  readonly force?: boolean;
}

/** Creates the command `skill`. Calls `onSkill` with its options. */
export function createSkillCommand(onSkill: (options: SkillOptions) => void): Command {
  const command = addOptions(new Command('skill'), [
    [
      '--dir <folder>',
      `folder of the skills (default: ${FOLDERS.join(' and ')}, each if its parent folder exists; if neither exists, ${FOLDERS[0]})`,
    ],
    ['--force', 'replace a copy that differs, for example after an update of the package'],
  ]);
  return command
    .description('Copy a skill, which explains the commands to coding agents, to the project.')
    .addArgument(new Argument('<action>', 'action to perform').choices(['install']))
    .allowExcessArguments(false)
    .action((_: string, options: SkillOptions) => onSkill(options));
}

/**
 * Copies the skill of the package for coding agents to the project in the current folder. Returns the written files.
 * Throws a `UserError` if a copy was changed, or if a file cannot be read or written.
 */
export function installSkill({ dir, force = false }: SkillOptions): readonly string[] {
  const source = getPackageFile('skills/storefront/SKILL.md');
  const used = FOLDERS.filter((folder) => existsSync(dirname(folder)));
  const folders = dir === undefined ? (used.length > 0 ? used : FOLDERS.slice(0, 1)) : [dir];
  const files = folders.map((folder) => join(folder, 'storefront', 'SKILL.md'));
  const text = readFileSync(source, 'utf8');
  const changed = files.find(
    (file) => !force && existsSync(file) && access(file, () => readFileSync(file, 'utf8')) !== text,
  );
  if (changed !== undefined)
    throw new UserError(`${changed} is another version of the skill, or was changed. Use --force to replace it.`);
  for (const file of files) {
    access(file, () => {
      createFolder(dirname(file));
      copyFileSync(source, file);
    });
  }
  return files;
}

/** Returns what `use` returns. Throws a `UserError` if the file cannot be read or written. */
function access<Result>(file: string, use: () => Result): Result {
  try {
    return use();
  } catch (cause) {
    const reason = (cause as Error).message;
    throw new UserError(
      `Cannot write the skill to ${file} (${reason}). Use another folder with --dir, or correct the permissions.`,
      { cause },
    );
  }
}
