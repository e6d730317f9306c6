import { type Command, Option } from 'commander';
import { type ActionCommand, createActionCommand, type RunRequest, refuseArgument } from './control-command.ts';
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

/** Creates the command that lists, adds and removes injected faults. */
export function createFaultsCommand(run: RunRequest): Command {
  return createActionCommand(FAULTS_COMMAND, run)
    .option('--operation <ids>', 'operations that the fault applies to, by id (a,b) (default: all)', parseList)
    .option('--where <json>', 'matcher of the request: method, path, query, headers, body', parseJson)
    .option('--skip <number>', 'number of matching requests to skip first (default: 0)', parseCount)
    .option('--times <number>', 'number of requests that the fault applies to (default: no limit)', parseCount)
    .option('--probability <number>', 'probability for a matching request, from 0 to 1 (default: 1)', parseProbability)
    .option('--seed <number>', 'seed of the random decisions (default: the number in the id of the fault)', parseCount)
    .option('--until <time>', "time when it expires, by the sandbox's clock (ISO 8601 or ms since 1970)", parseTime)
    .option('--duration <ms>', 'milliseconds until it expires, up to 86400000', parseCount)
    .addOption(new Option('--phase <phase>', 'before (default) or after the operation').choices(['before', 'after']))
    .option('--status <status>', 'status of the response: one that the contract documents, or any from 400', parseCount)
    .option('--example <name>', 'name of the response example in the contract')
    .option('--body <json>', 'body of the response, with --status', parseAnyJson)
    .option('--header <header>', "header of the response, with --status: 'Name: value' (repeatable)", parseHeader)
    .option('--violation', 'allow body and headers that violate the contract')
    .option('--delay <ms>', 'delay of the response: milliseconds or a range (200-800), up to 60000', parseDelay)
    .addOption(new Option('--connection <end>', 'reset the connection, or cut the response').choices(['reset', 'cut']))
    .option('--body-duration <ms>', 'milliseconds over which the body is sent, up to 60000', parseCount);
}

const FAULTS_COMMAND: ActionCommand = {
  name: 'faults',
  description: 'List, add, remove or clear injected faults; the options from --operation on describe the fault to add.',
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
