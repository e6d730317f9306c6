/** Returns the command line flag of an option, such as `--at-least` for `atLeast`. */
export function toFlag(option: string): string {
  return `--${option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
