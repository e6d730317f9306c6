// `npm run contract`: judges a server by the contract in every way that there is here, a shop of our own unless --url names another: generated checks
// and the model of the shop (storefront check), dredd, and the document itself, also against its last version. Ends with 1 where anything breaks it.
import { randomInt } from 'node:crypto';
import { Command, CommanderError } from 'commander';
import { deliver, judgeServer } from '../../src/check/command.ts';
import { CheckFault } from '../../src/check/fault.ts';
import { address, type CheckFlags, checkOf, LARGEST_SEED, withCheckOptions } from '../../src/check/options.ts';
import { inOwnSandbox } from '../../src/check/own-sandbox.ts';
import { joined } from '../../src/check/report/report.ts';
import { loadContract } from '../../src/contract/contract.ts';
import { ContractFault } from '../../src/contract/document.ts';
import { contractOf, createStorefront } from '../../src/storefront.ts';
import { AgainstFault, type EarlierVersion, earlierVersion } from './against.ts';
import { documentPart } from './document-part.ts';
import { dreddPart } from './dredd-part.ts';

interface Flags extends CheckFlags {
  readonly url?: string;
  readonly against?: string;
}

const print = (text: string) => void process.stdout.write(text);
const tell = (text: string) => void process.stderr.write(text);

try {
  process.exitCode = (await judged(flagsOf(process.argv))) ? 0 : 1;
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else if ([AgainstFault, CheckFault, ContractFault].some((fault) => error instanceof fault)) {
    process.stderr.write(`contract: ${(error as Error).message}\n`);
    process.exitCode = 1;
  } else throw error;
}

function flagsOf(args: readonly string[]): Flags {
  const command = withCheckOptions(new Command('contract'), process.env)
    .description(
      'Judges whether a server keeps the contract, and whether the contract keeps its word; without --url, a shop of our own.',
    )
    .option('--url <address>', 'address of the server', address)
    .option('--against <version>', 'hold the document against this file or version of git')
    .allowExcessArguments(false)
    .exitOverride()
    .parse(args);
  return command.opts<Flags>();
}

async function judged({ url, against, ...flags }: Flags): Promise<boolean> {
  const seed = randomInt(LARGEST_SEED);
  const given = checkOf(flags, url);
  const command = await inOwnSandbox(given, { contract: contractOf(given), seed, print, tell });
  const contract = await loadContract({ path: contractOf(command), strict: false });
  const before = await versionBefore(contract.path, against);
  const start = () => createStorefront({ contract: contract.path });
  const judging = judgeServer(command, { contract: contract.path, start, print, tell, seed });
  // Somebody's server is asked by one judge after the other; of our own shop each has one.
  if (url !== undefined) await judging;
  const parts = [dreddPart(command, contract, start), documentPart(contract, before)];
  const [report, ...others] = await Promise.all([judging, ...parts]);
  return deliver(others.reduce(joined, report), command, print);
}

/** The version that the document is held against; why there is none, where none was asked for. */
async function versionBefore(path: string, against: string | undefined): Promise<EarlierVersion | string> {
  try {
    return await earlierVersion(path, against);
  } catch (error) {
    if (!(error instanceof AgainstFault) || against !== undefined) throw error;
    return error.message;
  }
}
