import { Argument, type Command, Option } from 'commander';
import {
  addMatcherOptions,
  type CommandRequest,
  type ControlOptions,
  createControlCommand,
  type RunRequest,
  refuseArgument,
  refuseUnusedOptions,
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
  return addMatcherOptions(createControlCommand('faults', 'List, add or remove injected faults.'))
    .addArgument(
      new Argument('[action]', 'action to perform').choices(['list', 'add', 'remove', 'clear']).default('list'),
    )
    .argument('[fault]', 'id of the fault to remove')
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
    .option('--body-duration <ms>', 'milliseconds over which the body is sent', parseCount)
    .action((action: string, fault: string | undefined, options: FaultOptions) =>
      run(toRequest(action, fault, options), options),
    );
}

interface FaultOptions extends ControlOptions {
  readonly duration?: number;
  readonly bodyDuration?: number;
  readonly header?: Readonly<Record<string, string>>;
  readonly body?: { readonly value: unknown };
  readonly [option: string]: unknown;
}

function toRequest(action: string, fault: string | undefined, options: FaultOptions): CommandRequest {
  if (action !== 'add') refuseUnusedOptions(`faults ${action}`, options, []);
  if (action !== 'remove') refuseArgument(`faults ${action}`, fault);
  if (action === 'add') return { method: 'POST', path: '/faults', body: toFault(options) };
  if (action !== 'remove') return { method: action === 'clear' ? 'DELETE' : 'GET', path: '/faults' };
  if (fault === undefined)
    throw createUsageError('Missing fault id, such as f1. `storefront faults` lists the faults.');
  return { method: 'DELETE', path: `/faults/${encodeURIComponent(fault)}` };
}

function toFault({ url, sandbox, token, duration, bodyDuration, header, body, ...definition }: FaultOptions): object {
  return {
    ...definition,
    ...(body === undefined ? {} : { body: body.value }),
    ...(header === undefined ? {} : { headers: header }),
    ...(duration === undefined ? {} : { durationMs: duration }),
    ...(bodyDuration === undefined ? {} : { bodyDurationMs: bodyDuration }),
  };
}
