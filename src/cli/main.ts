#!/usr/bin/env node
import { randomInt } from 'node:crypto';
import { CheckError } from '../check/check-error.ts';
import { type CheckCommand, MAX_SEED } from '../check/options.ts';
import { ControlError } from '../client/client.ts';
import { ContractError } from '../openapi/document.ts';
import { HandlersError } from '../server/handler-registry.ts';
import { AddressError } from '../server/listen.ts';
import { createLogger, supportsColors } from '../server/logger.ts';
import type { Options } from '../server/options.ts';
import { getContractPath } from '../server/paths.ts';
import { repair } from '../server/repair.ts';
import { formatStartMessage } from '../server/start-message.ts';
import { createStorefront, type Storefront } from '../server/storefront.ts';
import { version } from '../server/version.ts';
import { DataFileError } from '../store/data-file.ts';
import { type ParsedCommand, readCommandLine } from './options.ts';
import { runControlCommand } from './run-control-command.ts';
import { TypesError, writeTypes } from './types-command.ts';
import { handleUnhandledErrors } from './unhandled-errors.ts';

/** Exit codes: the command failed, and the command line is invalid. */
const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

/** The exit code of a check without a verdict: 1 means that the server violates the contract. */
const EXIT_NO_VERDICT = 3;

/** Signals that stop the server: from a supervisor, by Ctrl-C, and when the terminal is closed. */
const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** How long the process stays alive after the server has stopped, in ms, to write the rest of the log. */
const LINGER_MS = 1_000;

/** The time limit of a stop, in ms: a disk that hangs could block it forever. */
const STOP_MS = 9_500;

/** The maximum output that waits for a slow reader, in bytes; beyond it, lines are dropped. */
const MAX_UNREAD_BYTES = 1_000_000;

/** Moves the cursor to the start of the line and clears it (ECMA-48). */
const CLEAR_LINE = '\r\u001b[K';

/** Errors whose message is meant for the user. */
const USER_ERRORS = [CheckError, ControlError, ContractError, DataFileError, AddressError, HandlersError, TypesError];

const parsed = readCommandLine({
  args: process.argv.slice(2),
  environment: process.env,
  isTerminal: process.stdout.isTTY === true,
  version,
});
// The reader of the output may go away, which must not stop the server.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
if (parsed.kind === 'check') await check(parsed.options).catch(failCheck);
else {
  await runCommand(parsed).catch((error) => {
    if (!isUserError(error)) throw error;
    fail(error.message, EXIT_FAILED);
  });
}

async function runCommand(command: Exclude<ParsedCommand, { kind: 'check' }>): Promise<void> {
  switch (command.kind) {
    case 'print':
      return print(command.text);
    case 'refuse':
      return fail(command.reason, EXIT_USAGE);
    case 'repair':
      return print(`${await repair(command.options)}\n`);
    case 'control':
      if (!(await runControlCommand(command.options, print))) process.exitCode = EXIT_FAILED;
      return;
    case 'types':
      return writeTypes(command.options, { folder: process.cwd(), print });
    case 'serve':
      return serve(command.options);
  }
}

function print(text: string): void {
  process.stdout.write(text);
}

function printError(text: string): void {
  process.stderr.write(text);
}

async function check(command: CheckCommand): Promise<void> {
  // Loaded on demand, so that other commands start faster.
  const { writeReports, runCheck } = await import('../check/command.ts');
  const { selectSandboxes } = await import('../check/check-sandbox.ts');
  const { createStopSignal } = await import('../check/stop-signal.ts');
  const { shopModel: model } = await import('../shop/model/shop.ts');
  const interrupt = new AbortController();
  // A second signal ends the process at once.
  for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => interrupt.abort());
  const signal = createStopSignal(command.maxTime, interrupt.signal);
  const parts = { model, contract: getContractPath({}), seed: randomInt(MAX_SEED), print, signal };
  const onProgress = command.report === undefined && process.stderr.isTTY ? showProgress : undefined;
  const report = await runCheck(await selectSandboxes(command, { ...parts, printProgress: printError }), {
    ...parts,
    start: () => createStorefront({ contract: command.contract }),
    onProgress,
  });
  if (onProgress) printError(CLEAR_LINE);
  process.exitCode = writeReports(report, command, print);
}

function showProgress(done: number, total: number, part: string): void {
  printError(`${CLEAR_LINE}${done} of ${total} parts checked: ${part}`);
}

function failCheck(error: unknown): void {
  const isUsage = error instanceof CheckError && error.isMisuse;
  const message = isUserError(error)
    ? error.message
    : `The check failed because of a bug in storefront: ${(error as Error).stack}`;
  fail(message, isUsage ? EXIT_USAGE : EXIT_NO_VERDICT);
}

async function serve(options: Options): Promise<void> {
  const logTo = createDroppingWriter(options.log === 'off' ? process.stderr : process.stdout);
  const log = createLogger(options.log ?? 'off', logTo);
  const starting = createStorefront({ ...options, logTo });
  handleUnhandledErrors(process, {
    starting,
    logError: (err, message) => log.error({ err }, message),
    fail: abort,
  });
  stopOnSignal(starting);
  const storefront = await starting;
  if (options.log === 'off') print(`${formatStartMessage(storefront)}\n`);
}

/** Returns a writer that drops lines instead of waiting: a slow reader or a full disk behind the stream must not stop the server. */
function createDroppingWriter(stream: NodeJS.WriteStream): NonNullable<Options['logTo']> {
  return {
    hasColors: supportsColors(stream.isTTY, process.env),
    write(line) {
      if (stream.writableLength < MAX_UNREAD_BYTES) stream.write(line);
    },
  };
}

function isUserError(error: unknown): error is Error {
  return USER_ERRORS.some((type) => error instanceof type);
}

/** Stops the server on the first signal, or when the parent process closes its IPC channel. A server that is starting is stopped once it runs. */
function stopOnSignal(starting: Promise<Storefront>): void {
  let isStopping = false;
  const stop = async () => {
    if (isStopping) return;
    isStopping = true;
    const timeout = `The server did not stop within ${STOP_MS / 1_000} s; the process ends anyway`;
    setTimeout(abort, STOP_MS, timeout).unref();
    const storefront = await starting.catch(() => undefined);
    await storefront?.close();
    // The process ends by itself once the log is written; anything else must not keep it alive.
    setTimeout(() => process.exit(), LINGER_MS).unref();
  };
  for (const signal of STOP_SIGNALS) process.on(signal, stop);
  // A parent with an IPC channel expects the server to end with it, even if the parent is killed.
  if (process.connected === false) stop();
  process.on('disconnect', stop);
  process.channel?.unref();
}

/** Reports a failure and ends the process at once. */
function abort(message: string): never {
  fail(message, EXIT_FAILED);
  process.exit();
}

function fail(message: string, exitCode: number): void {
  printError(`storefront: ${message}\n`);
  process.exitCode = exitCode;
}
