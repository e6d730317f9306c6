#!/usr/bin/env node
import { randomInt } from 'node:crypto';
import { CheckError } from '../check/check-error.ts';
import { type CheckCommand, LARGEST_SEED } from '../check/options.ts';
import { ControlError } from '../client/client.ts';
import { ContractError } from '../openapi/document.ts';
import { HandlersError } from '../server/handler-registry.ts';
import { AddressError } from '../server/listen.ts';
import { createLogger, showsColors } from '../server/logger.ts';
import type { Options, RepairOptions } from '../server/options.ts';
import { getContractPath } from '../server/paths.ts';
import { repair } from '../server/repair.ts';
import { formatStartMessage } from '../server/start-message.ts';
import { createStorefront, type Storefront } from '../server/storefront.ts';
import { version } from '../server/version.ts';
import { DataFileError } from '../store/data-file.ts';
import type { ControlCommand } from './control-command.ts';
import { readCommandLine } from './options.ts';
import { runControlCommand } from './run-control-command.ts';
import { TypesError, writeTypes } from './types-command.ts';
import type { TypesCommand } from './types-options.ts';
import { handleUnhandledErrors } from './unhandled-errors.ts';

/** Exit codes: what machine or data refuse, and what the command line gets wrong. */
const REFUSED = 1;
const MISUSED = 2;

/** The exit code of a check that could not be made: 1 says that the contract is broken, and nothing else. */
const UNJUDGED = 3;
/** The signals that ask for an end: of a supervisor, of Ctrl-C, and of a terminal that is closed. */
const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

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
else if (request.kind === 'types') await orRefuse(() => types(request.options));
else if (request.kind === 'check') await check(request.options).catch(failCheck);
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

async function steering(command: ControlCommand): Promise<void> {
  if (!(await runControlCommand(command, (text) => void process.stdout.write(text)))) process.exitCode = REFUSED;
}

async function types(command: TypesCommand): Promise<void> {
  await writeTypes(command, { folder: process.cwd(), print: (text) => void process.stdout.write(text) });
}

async function check(command: CheckCommand): Promise<void> {
  // Nobody else is to wait for what this loads.
  const { writeReports, runCheck } = await import('../check/command.ts');
  const print = (text: string) => void process.stdout.write(text);
  const tell = (text: string) => void process.stderr.write(text);
  const interrupt = new AbortController();
  // A second signal ends the program at once.
  for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => interrupt.abort());
  const { inOwnSandbox } = await import('../check/check-sandbox.ts');
  const { createStopSignal } = await import('../check/stop-signal.ts');
  const signal = createStopSignal(command.maxTime, interrupt.signal);
  const seed = randomInt(LARGEST_SEED);
  const chosen = await inOwnSandbox(command, {
    contract: getContractPath({}),
    seed,
    print,
    tell,
    signal,
  });
  const onProgress = command.report === undefined && process.stderr.isTTY ? progressLine(tell) : undefined;
  const report = await runCheck(chosen, {
    contract: getContractPath({}),
    start: () => createStorefront({ contract: command.contract }),
    print,
    onProgress,
    signal,
    seed,
  });
  if (onProgress) tell('\r\u001b[K');
  process.exitCode = writeReports(report, command, print);
}

/** Shows how far a check has come, in one line of a terminal. */
function progressLine(tell: (text: string) => void): (done: number, of: number, part: string) => void {
  return (done, of, part) => tell(`\r\u001b[K${done} of ${of} parts judged: ${part}`);
}

function failCheck(error: unknown): void {
  const isMisuse = error instanceof CheckError && error.isMisuse;
  const said = isFault(error)
    ? error.message
    : `the check failed, which is a bug of storefront: ${(error as Error).stack}`;
  fail(said, isMisuse ? MISUSED : UNJUDGED);
}

async function run(options: Options): Promise<void> {
  const logTo = droppingWriter(options.log === 'off' ? process.stderr : process.stdout);
  const log = createLogger(options.log ?? 'off', logTo);
  const starting = createStorefront({ ...options, logTo });
  handleUnhandledErrors(process, {
    starting,
    logError: (err, message) => log.error({ err }, message),
    fail: (message) => {
      fail(message, REFUSED);
      process.exit();
    },
  });
  stopOnSignal(starting);
  const storefront = await starting;
  if (options.log === 'off') process.stdout.write(`${formatStartMessage(storefront)}\n`);
}

/** Writes lines without ever waiting: a reader that is gone or asleep, or a full disk behind the stream, is no reason to stop the shop. */
function droppingWriter(stream: NodeJS.WriteStream): NonNullable<Options['logTo']> {
  return {
    hasColors: showsColors(stream.isTTY, process.env),
    write(line) {
      if (stream.writableLength < UNREAD_BYTES) stream.write(line);
    },
  };
}

function isFault(error: unknown): error is Error {
  return [CheckError, ControlError, ContractError, DataFileError, AddressError, HandlersError, TypesError].some(
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
  for (const signal of STOP_SIGNALS) process.on(signal, stop);
  // Who started it with a channel to it wants it to end with them, even where they are killed.
  if (process.connected === false) stop();
  process.on('disconnect', stop);
  process.channel?.unref();
}

function fail(sentence: string, exitCode: number): void {
  process.stderr.write(`storefront: ${sentence}\n`);
  process.exitCode = exitCode;
}
