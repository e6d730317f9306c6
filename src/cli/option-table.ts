import { type Command, Option } from 'commander';

/** The flags and the description of an option, the parser or the choices of its value, and its default value. */
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
