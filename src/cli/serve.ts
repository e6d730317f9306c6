import { getContractPath } from '../server/choose-application.ts';
import { formatStartMessage } from '../server/explain.ts';
import { createLogger, supportsColors } from '../server/logger.ts';
import type { Options } from '../server/options.ts';
import { createStorefront, type Storefront } from '../server/storefront.ts';
import { CONSOLE_PATH } from '../util/request-target.ts';
import type { ServerDescription } from './background-state.ts';
import { allowNewSpaceGrowth } from './heap-growth.ts';
import { handleUnhandledErrors } from './unhandled-errors.ts';

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

/**
 * Runs a server until a signal stops it, and returns its description when it is ready.
 * `endsWithParent`: whether the server stops when the process that has started it ends.
 * `abort`: prints a message to standard error and ends the process immediately.
 */
export async function runServer(
  options: Options,
  {
    endsWithParent,
    print,
    abort,
  }: { endsWithParent: boolean; print(text: string): void; abort(message: string): never },
): Promise<ServerDescription> {
  const logTo = createDroppingWriter(options.log === 'off' ? process.stderr : process.stdout);
  const log = createLogger(options.log ?? 'off', logTo);
  const starting = createStorefront({ ...options, logTo });
  handleUnhandledErrors(process, {
    starting,
    logError: (err, message) => log.error({ err }, message),
    fail: abort,
  });
  stopOnSignal(starting, endsWithParent, abort);
  const storefront = await starting;
  setTimeout(allowNewSpaceGrowth, WARM_UP_MS).unref();
  if (options.log === 'off') print(`${formatStartMessage(storefront)}\n`);
  return describeServer(storefront, options);
}

/** Returns the properties of a started server for the JSON output. */
function describeServer(
  { url, dataFile, database, durability, operations, mocked }: Storefront,
  options: Options,
): ServerDescription {
  const contract = getContractPath(options);
  const { pid } = process;
  return { url, pid, contract, dataFile, database, durability, operations, mocked, console: url + CONSOLE_PATH };
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
function stopOnSignal(starting: Promise<Storefront>, endsWithParent: boolean, abort: (message: string) => never): void {
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
  if (endsWithParent && process.connected === false) stop();
  if (endsWithParent) process.on('disconnect', stop);
  process.channel?.unref();
}
