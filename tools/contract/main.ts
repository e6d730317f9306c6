// `npm run contract`: checks a server and the contract itself. Without --url, checks the built-in shop. Uses `storefront check` (with the behaviour model of
// the shop) and dredd to check the server. Checks the document for errors, and for breaking changes since an earlier version. Exit codes: 1 if there are
// findings; 3 if there are no findings, but not everything was checked.
import { randomInt } from 'node:crypto';
import { Command, CommanderError } from 'commander';
import { selectSandboxes } from '../../src/check/check-sandbox.ts';
import { EXIT_CODES, runCheck, writeReports } from '../../src/check/command.ts';
import { createStopSignal } from '../../src/check/exchange.ts';
import { addCheckOptions, type CheckFlags, MAX_SEED, parseUrl, toCheckCommand } from '../../src/check/options.ts';
import { createStorefront } from '../../src/index.ts';
import { loadContract } from '../../src/openapi/contract.ts';
import { getContractPath } from '../../src/server/choose-application.ts';
import { shopModel } from '../../src/shop/model/shop.ts';
import { UserError } from '../../src/util/issue.ts';
import { type EarlierVersion, readEarlierVersion } from './against.ts';
import { documentPart } from './document-part.ts';
import { dreddPart } from './dredd-part.ts';
import { joinReports } from './join-reports.ts';

interface Flags extends CheckFlags {
  readonly url?: string;
  readonly against?: string;
}

const print = (text: string) => void process.stdout.write(text);
const printError = (text: string) => void process.stderr.write(text);
const interrupt = new AbortController();
// A second signal ends the program at once.
for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => interrupt.abort());

try {
  process.exitCode = await runContractChecks(parseFlags(process.argv));
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : EXIT_CODES.misuse;
  else if (error instanceof UserError) {
    process.stderr.write(`contract: ${error.message}\n`);
    process.exitCode = error.reason === 'usage' ? EXIT_CODES.misuse : EXIT_CODES.incomplete;
  } else throw error;
}

function parseFlags(args: readonly string[]): Flags {
  const command = addCheckOptions(new Command('contract'), process.env)
    .description(
      'Checks a server against its contract, and the contract itself; without --url, checks the built-in shop.',
    )
    .option('--url <address>', 'URL of the server', parseUrl)
    .option('--against <version>', 'compare the document with this file or git revision')
    .allowExcessArguments(false)
    .exitOverride()
    .parse(args);
  return command.opts<Flags>();
}

async function runContractChecks({ url, against, ...flags }: Flags): Promise<number> {
  const seed = randomInt(MAX_SEED);
  const selected = toCheckCommand(flags, url);
  const signal = createStopSignal(selected.maxTime, interrupt.signal);
  const command = await selectSandboxes(selected, {
    model: shopModel,
    contract: getContractPath(selected),
    seed,
    print,
    printProgress: printError,
    signal,
  });
  const contract = await loadContract({ path: getContractPath(command), strict: false });
  const before = await readEarlierVersionOrReason(contract.path, against);
  const start = () => createStorefront({ contract: contract.path });
  const checking = runCheck(command, {
    model: shopModel,
    contract: contract.path,
    start,
    print,
    seed,
    nowMs: Date.now(),
    signal,
  });
  // With --url, the tools use the same server, one after another. Without --url, each tool starts a shop of its own.
  if (url !== undefined) await checking;
  const parts = [dreddPart(command, contract, start), documentPart(contract, before)];
  const [report, ...others] = await Promise.all([checking, ...parts]);
  return writeReports(others.reduce(joinReports, report), command, print);
}

/**
 * Returns the earlier version of the document. Without `against`, returns the reason if there is no earlier version. With `against`, throws `UserError`.
 */
async function readEarlierVersionOrReason(path: string, against: string | undefined): Promise<EarlierVersion | string> {
  try {
    return await readEarlierVersion(path, against);
  } catch (error) {
    if (!(error instanceof UserError) || against !== undefined) throw error;
    return error.message;
  }
}
