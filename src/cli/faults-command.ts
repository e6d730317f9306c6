import { type Command, Option } from 'commander';
import {
  type ActionCommand,
  addMatcherOptions,
  createActionCommand,
  type RunRequest,
  refuseArgument,
} from './control-command.ts';
import {
  createUsageError,
  parseAnyJson,
  parseCount,
  parseDelay,
  parseHeader,
  parseProbability,
  parseTime,
} from './option-values.ts';

/** Creates the command that lists, adds and removes injected faults. */
export function createFaultsCommand(run: RunRequest): Command {
  return addMatcherOptions(createActionCommand(FAULTS_COMMAND, run))
    .option('--skip <number>', 'number of matching requests to skip first', parseCount)
    .option('--times <number>', 'number of requests that the fault applies to before it expires', parseCount)
    .option(
      '--probability <number>',
      'probability that the fault applies to a matching request, from 0 to 1',
      parseProbability,
    )
    .option('--seed <number>', 'seed of the random decisions', parseCount)
    .option('--until <time>', "time when the fault expires, by the sandbox's clock", parseTime)
    .option('--duration <ms>', 'milliseconds until the fault expires', parseCount)
    .addOption(
      new Option('--phase <phase>', 'apply the fault before or after the operation').choices(['before', 'after']),
    )
    .option('--status <status>', 'status of the response: one that the contract documents, or any from 400', parseCount)
    .option('--example <name>', 'name of the response example in the contract')
    .option('--body <json>', 'body of the response, with --status', parseAnyJson)
    .option('--header <header>', "header of the response, with --status: 'Name: value' (repeatable)", parseHeader)
    .option('--violation', 'allow body and headers that violate the contract')
    .option('--delay <ms>', 'delay of the response: milliseconds or a range (200-800)', parseDelay)
    .addOption(new Option('--connection <end>', 'reset the connection, or cut the response').choices(['reset', 'cut']))
    .option('--body-duration <ms>', 'milliseconds over which the body is sent', parseCount);
}

const FAULTS_COMMAND: ActionCommand = {
  name: 'faults',
  description: 'List, add or remove injected faults.',
  argument: ['[fault]', 'remove: id of the fault'],
  actions: {
    list: { method: 'GET', path: '/faults' },
    add(argument, { duration: durationMs, bodyDuration: bodyDurationMs, header: headers, body, ...fault }) {
      refuseArgument('faults add', argument);
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
