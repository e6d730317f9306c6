import { type Command, Option } from 'commander';

/** The definition of an option. `values`: the possible values, or a function that parses the value. */
export type OptionRow = readonly [
  flags: string,
  description: string,
  values?: readonly string[] | ((text: string, previous: never) => unknown),
  defaultValue?: string | number,
];

/** Adds options to a command. */
export function addOptions(command: Command, rows: readonly OptionRow[]): Command {
  for (const [flags, description, values, defaultValue] of rows) {
    const option = new Option(flags, description).default(defaultValue);
    if (typeof values === 'function') option.argParser(values as (text: string) => unknown);
    else if (values) option.choices(values);
    command.addOption(option);
  }
  return command;
}
