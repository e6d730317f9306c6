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
  return addMatcherOptions(
    createControlCommand('faults', 'Lists the faults of a running shop, adds one, or ends them.'),
  )
    .addArgument(
      new Argument('[what]', 'what is to be done').choices(['list', 'add', 'remove', 'clear']).default('list'),
    )
    .argument('[fault]', 'id of the fault, for remove')
    .option('--skip <number>', 'how many such requests pass first', parseCount)
    .option('--times <number>', 'how many it is met by then', parseCount)
    .option('--share <share>', 'which share of requests meets it, from 0 to 1', parseProbability)
    .option('--seed <number>', 'what chance is made of', parseCount)
    .option('--until <moment>', "when it is over, by the sandbox's clock", parseMoment)
    .option('--for <ms>', 'how long until it is over', parseCount)
    .addOption(new Option('--phase <phase>', 'before the operation is done, or after').choices(['before', 'after']))
    .option(
      '--status <status>',
      'the status of the answer: one that the contract documents, or any from 400 on',
      parseCount,
    )
    .option('--example <name>', 'the example of the contract that is the answer')
    .option('--body <json>', 'the body of the answer, with --status', anyJson)
    .option('--header <header>', "a header of the answer, with --status: 'Name: value'; also several", header)
    .option('--violation', 'body and headers may break the contract')
    .option('--delay <ms>', 'how long the answer waits, or between which bounds (200-800)', parseDelay)
    .addOption(new Option('--connection <end>', 'no answer, or half of one').choices(['reset', 'cut']))
    .option('--slow <ms>', 'how long the body of the answer takes to arrive', parseCount)
    .action((what: string, fault: string | undefined, flags: FaultFlags) =>
      steer(faultRequest(what, fault, flags), flags),
    );
}

interface FaultFlags extends Flags {
  readonly for?: number;
  readonly slow?: number;
  readonly header?: Readonly<Record<string, string>>;
  readonly [option: string]: unknown;
}

function faultRequest(what: string, fault: string | undefined, flags: FaultFlags): CommandRequest {
  const { url, sandbox, token, for: forMs, slow: slowMs, header: headers, ...wish } = flags;
  if (what !== 'add') refuseUnusedOptions('faults', what, flags, []);
  if (what !== 'remove' && fault !== undefined) throw createUsageError(`faults ${what} has no use for ${fault}`);
  if (what === 'add') {
    const body = {
      ...wish,
      ...(headers === undefined ? {} : { headers }),
      ...(forMs === undefined ? {} : { forMs }),
      ...(slowMs === undefined ? {} : { slowMs }),
    };
    return { method: 'POST', path: '/faults', body };
  }
  if (what === 'remove') {
    if (fault === undefined)
      throw createUsageError('say which fault is to be removed, such as f1: storefront faults lists them');
    return { method: 'DELETE', path: `/faults/${encodeURIComponent(fault)}` };
  }
  return { method: what === 'clear' ? 'DELETE' : 'GET', path: '/faults' };
}
