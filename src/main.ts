#!/usr/bin/env node
import { randomInt } from 'node:crypto';
import { CheckFault } from './check/fault.ts';
import { type CheckCommand, LARGEST_SEED } from './check/options.ts';
import { ContractFault } from './contract/document.ts';
import { ControlFault } from './control/client.ts';
import type { SteeringCommand } from './control/command.ts';
import { steer } from './control/steer.ts';
import { AddressFault } from './listen.ts';
import { CastingFault } from './operations/casting.ts';
import { type Options, type RepairOptions, readCommandLine } from './options.ts';
import { DataFault } from './store/data-file.ts';
import { contractOf, createStorefront, greeting, repair, type Storefront, version } from './storefront.ts';

/** Exit codes: what machine or data refuse, and what the command line gets wrong. */
const REFUSED = 1;
const MISUSED = 2;

/** How long the process may outlive its last work, in ms. */
const LINGER_MS = 1_000;

/** How long a stop may take in all, in ms: a disk that hangs may never end it. */
const STOP_MS = 9_500;

/** How much may wait for a reader of what is printed, in bytes; beyond it lines are dropped. */
const UNREAD_BYTES = 1_000_000;

const request = readCommandLine({
  args: process.argv.slice(2),
  environment: process.env,
  isTerminal: process.stdout.isTTY === true,
  version,
});
// Who reads what is printed may stop reading: that is no reason to stop the shop.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
if (request.kind === 'print') process.stdout.write(request.text);
else if (request.kind === 'refuse') fail(request.reason, MISUSED);
else if (request.kind === 'repair') await orRefuse(() => mend(request.options));
else if (request.kind === 'steer') await orRefuse(() => steering(request.options));
else if (request.kind === 'check') await orRefuse(() => check(request.options));
else await orRefuse(() => run(request.options));

/** Does what was asked for; what machine or data refuse is said in one sentence. */
async function orRefuse(task: () => Promise<void>): Promise<void> {
  try {
    await task();
  } catch (error) {
    if (!isFault(error)) throw error;
    fail(error.message, REFUSED);
  }
}

async function mend(options: RepairOptions): Promise<void> {
  process.stdout.write(`${await repair(options)}\n`);
}

async function steering(command: SteeringCommand): Promise<void> {
  if (!(await steer(command, (text) => void process.stdout.write(text)))) process.exitCode = REFUSED;
}

async function check(command: CheckCommand): Promise<void> {
  // Nobody else is to wait for what this loads.
  const { deliver, judgeServer } = await import('./check/command.ts');
  const print = (text: string) => void process.stdout.write(text);
  const tell = (text: string) => void process.stderr.write(text);
  const { inOwnSandbox } = await import('./check/own-sandbox.ts');
  const seed = randomInt(LARGEST_SEED);
  const chosen = await inOwnSandbox(command, { contract: contractOf({}), seed, print, tell });
  const report = await judgeServer(chosen, {
    contract: contractOf({}),
    start: () => createStorefront({ contract: command.contract }),
    print,
    tell,
    seed,
  });
  if (!deliver(report, command, print)) process.exitCode = REFUSED;
}

async function run(options: Options): Promise<void> {
  const starting = createStorefront({
    ...options,
    logTo: droppingWriter(options.log === 'off' ? process.stderr : process.stdout),
  });
  stopOnSignal(starting);
  const storefront = await starting;
  if (options.log === 'off') process.stdout.write(`${greeting(storefront)}\n`);
}

/** Writes lines without ever waiting: a reader that is gone or asleep, or a full disk behind the stream, is no reason to stop the shop. */
function droppingWriter(stream: NodeJS.WriteStream): { write(line: string): void } {
  return {
    write(line) {
      if (stream.writableLength < UNREAD_BYTES) stream.write(line);
    },
  };
}

function isFault(error: unknown): error is Error {
  return [CheckFault, ControlFault, ContractFault, DataFault, AddressFault, CastingFault].some(
    (fault) => error instanceof fault,
  );
}

/** Ends the shop on the first signal, or when the process that holds a channel to it lets go, once it has started; further ones change nothing. */
function stopOnSignal(starting: Promise<Storefront>): void {
  let stopping = false;
  const stop = async () => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => {
      process.stderr.write('storefront: stopped before all was done, which takes too long\n');
      process.exit(REFUSED);
    }, STOP_MS).unref();
    const storefront = await starting.catch(() => undefined);
    await storefront?.close();
    // What is left to write of the log keeps the process alive; anything else doesn't for long.
    setTimeout(() => process.exit(), LINGER_MS).unref();
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // Who started it with a channel to it wants it to end with them, even where they are killed.
  if (process.connected === false) stop();
  process.on('disconnect', stop);
  process.channel?.unref();
}

function fail(sentence: string, exitCode: number): void {
  process.stderr.write(`storefront: ${sentence}\n`);
  process.exitCode = exitCode;
}
