import { Argument, type Command } from 'commander';
import {
  addMatcherOptions,
  type CommandRequest,
  createControlCommand,
  type Flags,
  type RunControlCommand,
  refuseUnusedOptions,
} from './control-command.ts';
import { parseCount } from './option-values.ts';

/** Shows what was asked, follows it, counts and verifies it. */
export function journalCommand(steer: RunControlCommand): Command {
  return addMatcherOptions(
    createControlCommand('journal', 'Shows what was asked of a running shop, or verifies what came.'),
  )
    .addArgument(new Argument('[what]', 'what is to be done').choices(Object.keys(TAKES)).default('show'))
    .option('--status <code>', 'the status of the answer', parseCount)
    .option('--fault <id>', 'the fault that was met')
    .option('--after <id>', 'only those with a higher id', parseCount)
    .option('--limit <number>', 'for show: at most so many, the newest', parseCount)
    .option('--times <number>', 'for verify: exactly so many', parseCount)
    .option('--at-least <number>', 'for verify', parseCount)
    .option('--at-most <number>', 'for verify', parseCount)
    .option('--within <ms>', 'for verify: how long to wait for it', parseCount)
    .option('--json', 'for show: all that is known of each, as JSON')
    .action((what: string, flags: JournalFlags) => steer(journalRequest(what, flags), flags));
}

const WANTED = ['operation', 'where', 'status', 'fault', 'after'];

/** What can be done with a journal, and the options that it has a use for. */
const TAKES = {
  show: ['operation', 'after', 'limit', 'json'],
  follow: ['operation', 'after'],
  count: WANTED,
  verify: [...WANTED, 'times', 'atLeast', 'atMost', 'within'],
  clear: [],
};

interface JournalFlags extends Flags {
  readonly operation?: readonly string[];
  readonly after?: number;
  readonly limit?: number;
  readonly within?: number;
  readonly json?: true;
  readonly [option: string]: unknown;
}

function journalRequest(what: string, flags: JournalFlags): CommandRequest {
  refuseUnusedOptions('journal', what, flags, TAKES[what as keyof typeof TAKES]);
  const { url, sandbox, token, limit, within: withinMs, json: isJson, ...wanted } = flags;
  const post = (path: string) => ({ method: 'POST', path, body: wanted }) as const;
  switch (what) {
    case 'count':
      return post('/requests/count');
    case 'verify':
      return {
        ...post('/requests/verify'),
        body: { ...wanted, ...(withinMs === undefined ? {} : { withinMs }) },
        shownAs: 'verdict',
      };
    case 'clear':
      return { method: 'DELETE', path: '/requests' };
    default:
      return {
        method: 'GET',
        path: `/requests${queryOf({ after: flags.after, limit, operation: flags.operation?.join(',') })}`,
        ...(what === 'follow' ? { shownAs: 'stream' } : isJson ? {} : { shownAs: 'journal' }),
      };
  }
}

function queryOf(values: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return given.length > 0 ? `?${given.join('&')}` : '';
}
