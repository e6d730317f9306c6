import { Argument, type Command, Option } from 'commander';
import {
  addMatcherOptions,
  type CommandRequest,
  createControlCommand,
  type Flags,
  type RunControlCommand,
  refuseUnusedOptions,
} from './control-command.ts';
import {
  anyJson,
  createUsageError,
  header,
  parseCount,
  parseDelay,
  parseMoment,
  parseProbability,
} from './option-values.ts';

/** Lists, adds and ends faults. */
export function faultsCommand(steer: RunControlCommand): Command {
  return addMatcherOptions(createControlCommand('faults', 'List, add or remove injected faults.'))
    .addArgument(new Argument('[what]', 'action').choices(['list', 'add', 'remove', 'clear']).default('list'))
    .argument('[fault]', 'id of the fault to remove')
    .option('--skip <number>', 'number of matching requests to skip first', parseCount)
    .option('--times <number>', 'number of requests that the fault applies to before it expires', parseCount)
    .option(
      '--probability <number>',
      'probability that the fault applies to a matching request, from 0 to 1',
      parseProbability,
    )
    .option('--seed <number>', 'seed of the random decisions', parseCount)
    .option('--until <time>', "time when the fault expires, by the sandbox's clock", parseMoment)
    .option('--duration <ms>', 'milliseconds until the fault expires', parseCount)
    .addOption(
      new Option('--phase <phase>', 'apply the fault before or after the operation').choices(['before', 'after']),
    )
    .option('--status <status>', 'status of the response: one that the contract documents, or any from 400', parseCount)
    .option('--example <name>', 'name of the response example in the contract')
    .option('--body <json>', 'body of the response, with --status', anyJson)
    .option('--header <header>', "header of the response, with --status: 'Name: value' (repeatable)", header)
    .option('--violation', 'allow body and headers that violate the contract')
    .option('--delay <ms>', 'delay of the response: milliseconds or a range (200-800)', parseDelay)
    .addOption(new Option('--connection <end>', 'reset the connection, or cut the response').choices(['reset', 'cut']))
    .option('--body-duration <ms>', 'milliseconds over which the body is sent', parseCount)
    .action((what: string, fault: string | undefined, flags: FaultFlags) =>
      steer(faultRequest(what, fault, flags), flags),
    );
}

interface FaultFlags extends Flags {
  readonly duration?: number;
  readonly bodyDuration?: number;
  readonly header?: Readonly<Record<string, string>>;
  readonly body?: { readonly value: unknown };
  readonly [option: string]: unknown;
}

function faultRequest(what: string, fault: string | undefined, flags: FaultFlags): CommandRequest {
  const { url, sandbox, token, duration: durationMs, bodyDuration: bodyDurationMs, header: headers, ...others } = flags;
  const { body: own, ...wish } = others;
  if (what !== 'add') refuseUnusedOptions('faults', what, flags, []);
  if (what !== 'remove' && fault !== undefined) throw createUsageError(`faults ${what} has no use for ${fault}`);
  if (what === 'add') {
    const body = {
      ...wish,
      ...(own === undefined ? {} : { body: own.value }),
      ...(headers === undefined ? {} : { headers }),
      ...(durationMs === undefined ? {} : { durationMs }),
      ...(bodyDurationMs === undefined ? {} : { bodyDurationMs }),
    };
    return { method: 'POST', path: '/faults', body };
  }
  if (what === 'remove') {
    if (fault === undefined)
      throw createUsageError('Missing fault id, such as f1. `storefront faults` lists the faults.');
    return { method: 'DELETE', path: `/faults/${encodeURIComponent(fault)}` };
  }
  return { method: what === 'clear' ? 'DELETE' : 'GET', path: '/faults' };
}
