import { toQuery } from '../client/client.ts';
import type { ActionCommand, CommandRequest } from './control-command.ts';
import { parseCount, parseJson, parseList } from './option-values.ts';

const FILTER = ['operation', 'where', 'status', 'fault', 'after'];

/** The command that shows, follows, counts, verifies and clears recorded requests. */
export const JOURNAL_COMMAND: ActionCommand = {
  name: 'journal',
  description: 'Show, follow, count, verify or clear the recorded requests of a sandbox.',
  options: [
    ['--operation <ids>', 'only requests of these comma-separated operationIds (default: all operations)', parseList],
    [
      '--where <json>',
      'for count and verify: JSON object that requests must match; its properties can be method, path, query, headers and body',
      parseJson,
    ],
    ['--status <status>', 'count, verify: only requests with this response status', parseCount],
    ['--fault <id>', 'count, verify: only requests that this fault applied to'],
    ['--after <id>', 'only requests with a higher id', parseCount],
    ['--limit <number>', 'show: number of newest requests to show (default: all)', parseCount],
    ['--times <number>', 'verify: exact number of requests', parseCount],
    ['--at-least <number>', 'verify: minimum number of requests (default: 1, or 0 with --at-most)', parseCount],
    ['--at-most <number>', 'verify: maximum number of requests (default: no limit)', parseCount],
    [
      '--within <ms>',
      'verify: maximum time to wait for the requests, in milliseconds, up to 60000 (default: 0)',
      parseCount,
    ],
    ['--json', 'show: print all fields as JSON'],
  ],
  actions: {
    show: (_, { json, ...query }) => ({ ...createListRequest(query), ...(json ? {} : { format: 'journal' }) }),
    follow: (_, query) => ({ ...createListRequest(query), format: 'stream' }),
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

function createListRequest(query: Readonly<Record<string, unknown>>): CommandRequest {
  return { method: 'GET', path: `/requests${toQuery(query)}` };
}
