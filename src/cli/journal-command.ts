import { Argument, type Command } from 'commander';
import { toQuery } from '../client/client.ts';
import {
  addMatcherOptions,
  type CommandRequest,
  type ControlOptions,
  createControlCommand,
  type RunRequest,
  refuseUnusedOptions,
} from './control-command.ts';
import { parseCount } from './option-values.ts';

/** Creates the command that shows, follows, counts, verifies and clears recorded requests. */
export function createJournalCommand(run: RunRequest): Command {
  return addMatcherOptions(
    createControlCommand('journal', 'Show, follow, count, verify or clear the recorded requests of a sandbox.'),
  )
    .addArgument(new Argument('[action]', 'action to perform').choices(Object.keys(ACCEPTED_OPTIONS)).default('show'))
    .option('--status <status>', 'status of the response', parseCount)
    .option('--fault <id>', 'id of the fault that applied')
    .option('--after <id>', 'only requests with a higher id', parseCount)
    .option('--limit <number>', 'show: maximum number of requests, the newest ones', parseCount)
    .option('--times <number>', 'verify: exact number of requests', parseCount)
    .option('--at-least <number>', 'verify: minimum number of requests (default: 1)', parseCount)
    .option('--at-most <number>', 'verify: maximum number of requests', parseCount)
    .option('--within <ms>', 'verify: milliseconds to wait for the requests', parseCount)
    .option('--json', 'show: print all fields as JSON')
    .action((action: Action, options: JournalOptions) => run(toRequest(action, options), options));
}

const FILTER_OPTIONS = ['operation', 'where', 'status', 'fault', 'after'];

/** The options that each action accepts. */
const ACCEPTED_OPTIONS = {
  show: ['operation', 'after', 'limit', 'json'],
  follow: ['operation', 'after'],
  count: FILTER_OPTIONS,
  verify: [...FILTER_OPTIONS, 'times', 'atLeast', 'atMost', 'within'],
  clear: [],
};

type Action = keyof typeof ACCEPTED_OPTIONS;

interface JournalOptions extends ControlOptions {
  readonly operation?: readonly string[];
  readonly after?: number;
  readonly limit?: number;
  readonly within?: number;
  readonly json?: true;
  readonly [option: string]: unknown;
}

function toRequest(action: Action, options: JournalOptions): CommandRequest {
  refuseUnusedOptions(`journal ${action}`, options, ACCEPTED_OPTIONS[action]);
  const { url, sandbox, token, limit, within: withinMs, json, ...filter } = options;
  switch (action) {
    case 'count':
      return { method: 'POST', path: '/requests/count', body: filter };
    case 'verify': {
      const body = { ...filter, ...(withinMs === undefined ? {} : { withinMs }) };
      return { method: 'POST', path: '/requests/verify', body, format: 'verification' };
    }
    case 'clear':
      return { method: 'DELETE', path: '/requests' };
    default: {
      const query = { after: options.after, limit, operation: options.operation };
      const format = action === 'follow' ? 'stream' : 'journal';
      return { method: 'GET', path: `/requests${toQuery(query)}`, ...(json ? {} : { format }) };
    }
  }
}
