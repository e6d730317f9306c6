import type { Command } from 'commander';
import { toQuery } from '../client/client.ts';
import { type ActionCommand, type CommandRequest, createActionCommand, type RunRequest } from './control-command.ts';
import { parseCount, parseJson, parseList } from './option-values.ts';

/** Creates the command that shows, follows, counts, verifies and clears recorded requests. */
export function createJournalCommand(run: RunRequest): Command {
  return createActionCommand(JOURNAL_COMMAND, run)
    .option('--operation <ids>', 'operations of the requests, by id (a,b) (default: all)', parseList)
    .option('--where <json>', 'count, verify: matcher of the request: method, path, query, headers, body', parseJson)
    .option('--status <status>', 'count, verify: status of the response', parseCount)
    .option('--fault <id>', 'count, verify: id of the fault that applied')
    .option('--after <id>', 'only requests with a higher id', parseCount)
    .option('--limit <number>', 'show: maximum number of requests, the newest ones (default: all)', parseCount)
    .option('--times <number>', 'verify: exact number of requests', parseCount)
    .option('--at-least <number>', 'verify: minimum number of requests (default: 1, or 0 with --at-most)', parseCount)
    .option('--at-most <number>', 'verify: maximum number of requests (default: no limit)', parseCount)
    .option('--within <ms>', 'verify: milliseconds to wait for the requests, up to 60000 (default: 0)', parseCount)
    .option('--json', 'show: print all fields as JSON');
}

const FILTER = ['operation', 'where', 'status', 'fault', 'after'];

const JOURNAL_COMMAND: ActionCommand = {
  name: 'journal',
  description: 'Show, follow, count, verify or clear the recorded requests of a sandbox.',
  actions: {
    show: (_, { json, ...query }) => ({ ...toListRequest(query), ...(json ? {} : { format: 'journal' }) }),
    follow: (_, query) => ({ ...toListRequest(query), format: 'stream' }),
    count: (_, body) => ({ method: 'POST', path: '/requests/count', body }),
    verify: (_, { within: withinMs, ...filter }) => ({
      method: 'POST',
      path: '/requests/verify',
      body: { ...filter, withinMs },
      format: 'verification',
    }),
    clear: { method: 'DELETE', path: '/requests' },
  },
  accepts: {
    show: ['operation', 'after', 'limit', 'json'],
    follow: ['operation', 'after'],
    count: FILTER,
    verify: [...FILTER, 'times', 'atLeast', 'atMost', 'within'],
  },
};

function toListRequest(query: Readonly<Record<string, unknown>>): CommandRequest {
  return { method: 'GET', path: `/requests${toQuery(query)}` };
}
