import { InvalidArgumentError } from 'commander';

/** The longest that an answer waits, in ms. */
const LONGEST_MS = 60_000;

/** How long an answer waits, in ms, or between which bounds, as it stands on a command line. */
export function delay(text: string): number | { readonly from: number; readonly to: number } {
  const [, from = '', to] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? [];
  const bounds = { from: Number(from), to: Number(to ?? from) };
  if (from === '' || bounds.from > bounds.to || bounds.to > LONGEST_MS)
    throw new InvalidArgumentError(`Give whole milliseconds up to ${LONGEST_MS}, or two bounds: 200 or 200-800.`);
  return to === undefined ? bounds.from : bounds;
}
