import { type ActionCommand, rejectArgument } from './control-command.ts';
import type { OptionRow } from './option-table.ts';
import {
  createUsageError,
  parseAnyJson,
  parseCount,
  parseDelay,
  parseHeader,
  parseJson,
  parseList,
  parseProbability,
  parseTime,
} from './option-values.ts';

const FAULT_OPTIONS: readonly OptionRow[] = [
  ['--operation <ids>', 'comma-separated operationIds that the fault applies to (default: all operations)', parseList],
  [
    '--where <json>',
    'JSON object that requests must match; its properties can be method, path, query, headers and body',
    parseJson,
  ],
  ['--skip <number>', 'number of matching requests to skip first (default: 0)', parseCount],
  ['--times <number>', 'maximum number of requests that the fault applies to (default: no limit)', parseCount],
  ['--probability <number>', 'probability that the fault applies, from 0 to 1 (default: 1)', parseProbability],
  [
    '--seed <number>',
    'random seed for --probability (default: the number in the id of the fault: 3 for f3)',
    parseCount,
  ],
  [
    '--until <time>',
    'time when the fault expires, by the clock of the sandbox: ISO 8601 or milliseconds since 1970',
    parseTime,
  ],
  ['--duration <ms>', 'milliseconds until the fault expires, up to 86400000', parseCount],
  [
    '--phase <phase>',
    'when the fault applies: before or after the operation runs (default: before)',
    ['before', 'after'],
  ],
  ['--status <status>', 'status of the response: 400 or higher, or a status that the contract documents', parseCount],
  ['--example <name>', 'name of the response example in the contract'],
  ['--body <json>', 'response body (requires --status)', parseAnyJson],
  ['--header <header>', "response header, such as 'Retry-After: 1' (requires --status, repeatable)", parseHeader],
  ['--violation', 'allow a --body or a --header that violates the contract'],
  ['--delay <ms>', 'delay of the response: milliseconds or a range (200-800), up to 60000', parseDelay],
  [
    '--connection <mode>',
    'close the connection: reset (without a response) or cut (after half of the body)',
    ['reset', 'cut'],
  ],
  ['--body-duration <ms>', 'duration of sending the response body, in milliseconds, up to 60000', parseCount],
];

/** The command that lists, adds and removes injected faults. */
export const FAULTS_COMMAND: ActionCommand = {
  name: 'faults',
  description:
    'List, add or remove faults, or remove all faults. The options from --operation to --body-duration are those of add.',
  argument: ['[fault]', 'for remove: id of the fault'],
  options: FAULT_OPTIONS,
  actions: {
    list: { method: 'GET', path: '/faults' },
    add(argument, { duration: durationMs, bodyDuration: bodyDurationMs, header: headers, body, ...fault }) {
      rejectArgument('faults add', argument);
      const { value } = (body ?? {}) as { readonly value?: unknown };
      return { method: 'POST', path: '/faults', body: { ...fault, body: value, headers, durationMs, bodyDurationMs } };
    },
    remove(id) {
      if (id === undefined)
        throw createUsageError('Missing fault id, such as f1. `storefront faults` lists the faults.');
      return { method: 'DELETE', path: `/faults/${encodeURIComponent(id)}` };
    },
    clear: { method: 'DELETE', path: '/faults' },
  },
  accepts: { remove: [] },
};
