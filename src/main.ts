#!/usr/bin/env node
import { ContractFault } from './contract/document.ts';
import { AddressFault } from './listen.ts';
import { type Options, readCommandLine } from './options.ts';
import { DataFault } from './store/data-file.ts';
import { createStorefront, type Storefront, version } from './storefront.ts';

/** Exit codes: what machine or data refuse, and what the command line gets wrong. */
const REFUSED = 1;
const MISUSED = 2;

/** How long the process may outlive its last work, in ms. */
const LINGER_MS = 1_000;

const request = readCommandLine({
  args: process.argv.slice(2),
  environment: process.env,
  isTerminal: process.stdout.isTTY === true,
  version,
});
// Who reads what is printed may stop reading: that is no reason to stop the shop.
process.stdout.on('error', () => {});
if (request.kind === 'print') process.stdout.write(request.text);
else if (request.kind === 'refuse') fail(request.reason, MISUSED);
else await run(request.options);

async function run(options: Options): Promise<void> {
  try {
    const storefront = await createStorefront(options);
    if (options.log === 'off')
      process.stdout.write(
        `storefront ${version} at ${storefront.url}, data in ${storefront.dataFile}, ${storefront.operations} operations\n`,
      );
    stopOnSignal(storefront);
  } catch (error) {
    if (!isFault(error)) throw error;
    fail(error.message, REFUSED);
  }
}

function isFault(error: unknown): error is Error {
  return error instanceof ContractFault || error instanceof DataFault || error instanceof AddressFault;
}

function stopOnSignal(storefront: Storefront): void {
  const stop = async () => {
    await storefront.close();
    // What is left to write of the log keeps the process alive; anything else doesn't for long.
    setTimeout(() => process.exit(), LINGER_MS).unref();
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

function fail(sentence: string, exitCode: number): void {
  process.stderr.write(`storefront: ${sentence}\n`);
  process.exitCode = exitCode;
}
