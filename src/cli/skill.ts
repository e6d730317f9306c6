import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Argument, Command } from 'commander';
import { getPackageFile } from '../package-file.ts';
import { UserError } from '../util/issue.ts';
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
 * Throws a `UserError` if a copy was changed.
 */
export function installSkill({ dir, force = false }: SkillOptions): readonly string[] {
  const source = getPackageFile('skills/storefront/SKILL.md');
  const used = FOLDERS.filter((folder) => existsSync(dirname(folder)));
  const folders = dir === undefined ? (used.length > 0 ? used : FOLDERS.slice(0, 1)) : [dir];
  const files = folders.map((folder) => join(folder, 'storefront', 'SKILL.md'));
  const changed = files.find(
    (file) => !force && existsSync(file) && readFileSync(file, 'utf8') !== readFileSync(source, 'utf8'),
  );
  if (changed !== undefined)
    throw new UserError(`${changed} is another version of the skill, or was changed. Use --force to replace it.`);
  for (const file of files) {
    mkdirSync(dirname(file), { recursive: true });
    copyFileSync(source, file);
  }
  return files;
}
