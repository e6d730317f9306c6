import { statSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import { OPTIONS, type Syntax } from '../options.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import type { OptionRow } from './option-values.ts';
import {
  parseAuth,
  parseDelay,
  parseHostNames,
  parseList,
  parseOrigins,
  parsePaths,
  parsePort,
  parseText,
} from './option-values.ts';

type Name = keyof typeof OPTIONS;

const PARSERS = {
  text: parseText,
  folder: parseFolder,
  port: parsePort,
  names: parseList,
  paths: parsePaths,
  hosts: parseHostNames,
  origins: parseOrigins,
  auth: parseAuth,
  delay: parseDelay,
} satisfies Record<Syntax, OptionRow[2]>;

/** Returns the options of the command line with these names. Options without one are left out. */
function listRows(...names: readonly Name[]): readonly OptionRow[] {
  return names.flatMap((name) => {
    const { kind, cli } = OPTIONS[name];
    if (!cli) return [];
    const { flags, help, env, default: value, defaultText } = cli;
    const notes = [env && `env: ${env}`, defaultText && `default: ${defaultText}`].filter(Boolean);
    const description = notes.length > 0 ? `${help} (${notes.join('; ')})` : help;
    return [[flags, description, kind.choices ?? (kind.syntax && PARSERS[kind.syntax]), value] as OptionRow];
  });
}

/** The options of the server. */
export const SERVER_OPTIONS = listRows(...(Object.keys(OPTIONS) as Name[]));

/** The options of `storefront repair`. */
export const REPAIR_OPTIONS = listRows('data', 'defaultData', 'contract', 'allowRefs');

/** The options of `storefront explain`. */
export const EXPLAIN_OPTIONS: readonly OptionRow[] = [
  ...listRows('mock', 'handlers', 'allowRefs'),
  ['--json', 'print JSON instead of a table'],
];

/** The options of the database, for `storefront migrate`. */
export const DATABASE_OPTIONS = listRows('database', 'databaseSchema');

/** The values of server options in environment variables. */
export function listVariables(
  environment: Readonly<Record<string, string | undefined>>,
): readonly { readonly option: Name; readonly name: string; readonly text: string; parse(text: string): unknown }[] {
  return (Object.keys(OPTIONS) as Name[]).flatMap((option) => {
    const { kind, cli } = OPTIONS[option];
    const text = cli?.env && environment[cli.env];
    return cli?.env && text ? [{ option, name: cli.env, text, parse: PARSERS[kind.syntax ?? 'text'] }] : [];
  });
}

function parseFolder(path: string): string {
  if (tryOrUndefined(() => statSync(path).isDirectory())) return path;
  throw new InvalidArgumentError('Use the path of an existing folder.');
}
