import { randomInt } from 'node:crypto';
import { type CheckCommand, MAX_SEED } from '../check/options.ts';
import { getContractPath } from '../server/choose-application.ts';
import { explain, formatStartMessage } from '../server/explain.ts';
import { createLogger, supportsColors } from '../server/logger.ts';
import type { Options } from '../server/options.ts';
import { migrateDatabase, repair } from '../server/repair.ts';
import { createStorefront, type Storefront } from '../server/storefront.ts';
import { version } from '../server/version.ts';
import { UserError } from '../util/issue.ts';
import { escapeControlsInLines } from '../util/text.ts';
import { allowNewSpaceGrowth } from './new-space.ts';
import { type ParsedCommand, readCommandLine } from './options.ts';
import { runControlCommand } from './run-control-command.ts';

/** The exit code of a command that failed. */
const EXIT_FAILED = 1;

/** The exit code for an invalid command line. */
const EXIT_USAGE = 2;

/** The exit code of a check that could not run. A check that finds violations has the exit code 1. */
const EXIT_INCOMPLETE = 3;

/**
 * The signals that stop the server.
 * A supervisor sends SIGTERM, Ctrl-C sends SIGINT, and a terminal that closes sends SIGHUP.
 */
const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * The maximum time between the stop of the server and the end of the process, in ms.
 * The process uses this time to write the rest of the log.
 */
const LOG_FLUSH_MS = 1_000;

/**
 * The maximum duration of a stop, in ms.
 * Without a limit, a disk that does not respond would block the stop forever.
 */
const STOP_MS = 9_500;

/** The maximum size of the buffered output, in bytes. Further log lines are dropped. */
const MAX_BUFFERED_BYTES = 1_000_000;

/** The time in which the server compiles the schemas of operations after its start, in ms. */
const WARM_UP_MS = 2_000;

/** The control sequence that moves the cursor to the start of the line and clears the line (ECMA-48). */
const CLEAR_LINE = '\r\u001b[K';

// If the program that reads the output ends, a write fails. This error must not stop the server.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
const commandLine = { args: process.argv.slice(2), environment: process.env, version };
runCommand(readCommandLine({ ...commandLine, isTerminal: process.stdout.isTTY === true })).catch((error) => {
  if (!(error instanceof UserError)) throw error;
  fail(error.message, EXIT_FAILED);
});

async function runCommand(command: ParsedCommand): Promise<void> {
  // The other commands end soon, and need less CPU time with a larger space.
  if (command.kind !== 'serve') allowNewSpaceGrowth();
  switch (command.kind) {
    case 'print':
      return print(command.text);
    case 'refuse':
      return fail(command.reason, EXIT_USAGE);
    case 'repair':
      return print(`${await repair(command.options)}\n`);
    case 'migrate':
      return print(`${await migrateDatabase(command.options)}\n`);
    case 'check':
      return check(command.options).catch(failCheck);
    case 'control':
      if (!(await runControlCommand(command.options, printSafely))) process.exitCode = EXIT_FAILED;
      return;
    case 'explain':
      return printSafely(await explain(command.options));
    case 'serve':
      return serve(command.options);
  }
}

function print(text: string): void {
  process.stdout.write(text);
}

/** Prints a text that clients or documents can contain. It must not control the terminal. */
function printSafely(text: string): void {
  print(escapeControlsInLines(text));
}

function printError(text: string): void {
  process.stderr.write(text);
}

async function check(command: CheckCommand): Promise<void> {
  // Dynamic imports let the other commands start faster.
  const { writeReports, runCheck } = await import('../check/command.ts');
  const { selectSandboxes } = await import('../check/check-sandbox.ts');
  const { createStopSignal } = await import('../check/exchange.ts');
  const { shopModel: model } = await import('../shop/model/shop.ts');
  const interrupt = new AbortController();
  // Handles only the first signal. A second signal ends the process at once.
  for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => interrupt.abort());
  const signal = createStopSignal(command.maxTime, interrupt.signal);
  const parts = { model, contract: getContractPath({}), seed: randomInt(MAX_SEED), print, signal };
  const onProgress = command.report === undefined && process.stderr.isTTY ? showProgress : undefined;
  const report = await runCheck(await selectSandboxes(command, { ...parts, printProgress: printError }), {
    ...parts,
    start: () => createStorefront({ contract: command.contract, allowRefs: command.allowRefs }),
    onProgress,
  });
  if (onProgress) printError(CLEAR_LINE);
  process.exitCode = writeReports(report, command, print);
}

function showProgress(done: number, total: number, part: string): void {
  printError(`${CLEAR_LINE}${done} of ${total} parts checked: ${part}`);
}

function failCheck(error: unknown): void {
  const isUsage = error instanceof UserError && error.reason === 'usage';
  const message =
    error instanceof UserError
      ? error.message
      : `The check failed because of a bug in storefront: ${(error as Error).stack}`;
  fail(message, isUsage ? EXIT_USAGE : EXIT_INCOMPLETE);
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
  setTimeout(allowNewSpaceGrowth, WARM_UP_MS).unref();
  if (options.log === 'off') print(`${formatStartMessage(storefront)}\n`);
}

/**
 * Creates a writer for the log.
 * The writer drops lines if the reader of the stream is too slow or the disk is full, because waiting for the log would
 * delay requests.
 */
function createDroppingWriter(stream: NodeJS.WriteStream): NonNullable<Options['logTo']> {
  return {
    hasColors: supportsColors(stream.isTTY, process.env),
    write(line) {
      if (stream.writableLength < MAX_BUFFERED_BYTES) stream.write(line);
    },
  };
}

/**
 * Stops the server when a signal arrives or the parent process disconnects the IPC channel.
 * If the server is still starting, first waits until it has started.
 */
function stopOnSignal(starting: Promise<Storefront>): void {
  let isStopping = false;
  const stop = async () => {
    if (isStopping) return;
    isStopping = true;
    const timeout = `The server did not stop within ${STOP_MS / 1_000} s. The process ends anyway.`;
    setTimeout(abort, STOP_MS, timeout).unref();
    const storefront = await starting.catch(() => undefined);
    await storefront?.close();
    // Node exits by itself after the log is written. The timer ends the process if something else keeps it alive.
    setTimeout(() => process.exit(), LOG_FLUSH_MS).unref();
  };
  for (const signal of STOP_SIGNALS) process.on(signal, stop);
  // The IPC channel also closes if the parent process is killed.
  if (process.connected === false) stop();
  process.on('disconnect', stop);
  process.channel?.unref();
}

/** Prints a message to standard error and ends the process immediately. */
function abort(message: string): never {
  fail(message, EXIT_FAILED);
  process.exit();
}

function fail(message: string, exitCode: number): void {
  printError(`storefront: ${escapeControlsInLines(message)}\n`);
  process.exitCode = exitCode;
}

/** The dependencies of `handleUnhandledErrors`. */
interface UnhandledErrorParts {
  /** A promise that resolves to the server when it is started. */
  readonly starting: Promise<Storefront>;
  /** Writes an error with its stack to the log. */
  readonly logError: (error: unknown, message: string) => void;
  /** Prints a message and ends the process with exit code 1. */
  readonly fail: (message: string) => void;
}

/**
 * Handles unhandled promise rejections and uncaught exceptions, such as the errors of custom handlers.
 * Until the server has started, each of these errors ends the process.
 *
 * Decision: a running server logs an unhandled rejection and continues.
 * After an uncaught exception, the server stops gracefully, because the state of the process is unknown.
 */
export function handleUnhandledErrors(
  program: Pick<NodeJS.Process, 'on'>,
  { starting, logError, fail }: UnhandledErrorParts,
): void {
  let storefront: Storefront | undefined;
  starting.then(
    (running) => {
      storefront = running;
    },
    () => {},
  );
  program.on('unhandledRejection', (reason) => {
    if (storefront) logError(toError(reason), 'Unhandled promise rejection. The server continues.');
    else fail(`The start failed: unhandled promise rejection: ${toError(reason).stack}`);
  });
  program.on('uncaughtException', (error, origin) => {
    if (origin === 'unhandledRejection') return;
    if (!storefront) return fail(`The start failed: uncaught exception: ${toError(error).stack}`);
    logError(toError(error), 'Uncaught exception. The server stops.');
    const end = () => fail('Stopped after an uncaught exception');
    storefront.close().then(end, end);
    storefront = undefined;
  });
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
