import { Argument, type Command, Option } from 'commander';
import { type CommandRequest, type Flags, refuseStray, type Steer, steering, withMeant } from './command.ts';
import { count, delay, misused, momentOf, share } from './option-values.ts';

/** Lists, adds and ends faults. */
export function faultsCommand(steer: Steer): Command {
  return withMeant(steering('faults', 'Lists the faults of a running shop, adds one, or ends them.'))
    .addArgument(
      new Argument('[what]', 'what is to be done').choices(['list', 'add', 'remove', 'clear']).default('list'),
    )
    .argument('[fault]', 'id of the fault, for remove')
    .option('--skip <number>', 'how many such requests pass first', count)
    .option('--times <number>', 'how many it is met by then', count)
    .option('--share <share>', 'which share of requests meets it, from 0 to 1', share)
    .option('--seed <number>', 'what chance is made of', count)
    .option('--until <moment>', "when it is over, by the sandbox's clock", momentOf)
    .option('--for <ms>', 'how long until it is over', count)
    .addOption(new Option('--phase <phase>', 'before the operation is done, or after').choices(['before', 'after']))
    .option('--code <status>', 'the status of the answer, one that the contract documents', count)
    .option('--example <name>', 'the example of the contract that is the answer')
    .option('--delay <ms>', 'how long the answer waits, or between which bounds (200-800)', delay)
    .addOption(new Option('--connection <end>', 'no answer, or half of one').choices(['reset', 'cut']))
    .option('--slow <ms>', 'how long the body of the answer takes to arrive', count)
    .action((what: string, fault: string | undefined, flags: FaultFlags) =>
      steer(faultRequest(what, fault, flags), flags),
    );
}

interface FaultFlags extends Flags {
  readonly for?: number;
  readonly slow?: number;
  readonly [option: string]: unknown;
}

function faultRequest(what: string, fault: string | undefined, flags: FaultFlags): CommandRequest {
  const { url, sandbox, token, for: forMs, slow: slowMs, ...wish } = flags;
  if (what !== 'add') refuseStray('faults', what, flags, []);
  if (what !== 'remove' && fault !== undefined) throw misused(`faults ${what} has no use for ${fault}`);
  if (what === 'add') {
    const body = { ...wish, ...(forMs === undefined ? {} : { forMs }), ...(slowMs === undefined ? {} : { slowMs }) };
    return { method: 'POST', path: '/faults', body };
  }
  if (what === 'remove') {
    if (fault === undefined)
      throw misused('say which fault is to be removed, such as f1: storefront faults lists them');
    return { method: 'DELETE', path: `/faults/${encodeURIComponent(fault)}` };
  }
  return { method: what === 'clear' ? 'DELETE' : 'GET', path: '/faults' };
}
