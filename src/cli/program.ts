import { randomInt } from 'node:crypto';
import { type CheckCommand, MAX_SEED } from '../check/options.ts';
import { ControlError } from '../client/client.ts';
import type { CheckConfig, Config } from '../config.ts';
import type { DiffCommand } from '../diff/options.ts';
import type { ExplainOptions } from '../server/explain.ts';
import type { Options } from '../server/options.ts';
import { version } from '../server/version.ts';
import { UserError } from '../util/issue.ts';
import { escapeControlsInLines } from '../util/text.ts';
import { runInBackground, startInBackground, takeBackgroundName } from './background.ts';
import { formatStarted, runBackgroundCommand } from './background-commands.ts';
import type { ServerDescription } from './background-state.ts';
import { loadConfig } from './config.ts';
import type { ControlCommand } from './control-command.ts';
import { allowNewSpaceGrowth, limitHeapGrowth } from './heap-growth.ts';
import { type CommandError, type CommandResult, ERROR_CODES, type ErrorCode, formatJsonOutput } from './json-output.ts';
import { findCommandName, JSON_FLAG, type ParsedCommand, readCommandLine } from './options.ts';
import { runControlCommand } from './run-control-command.ts';
import { installSkill } from './skill.ts';
import { toError } from './unhandled-errors.ts';

/** The control sequence that moves the cursor to the start of the line and clears the line (ECMA-48). */
const CLEAR_LINE = '\r\u001b[K';

// If the program that reads the output ends, a write fails. This error must not stop the server.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
/** The option that makes the program ignore configuration files. The test kit uses it. */
const NO_CONFIG = '--no-config';

/** Options and commands that need no configuration file. */
const OPTIONS_WITHOUT_CONFIG = [NO_CONFIG, '--help', '-h', '--version', '-V'];
const COMMANDS_WITHOUT_CONFIG = ['help', 'diff', 'skill', 'mcp', 'status', 'stop', 'restart', 'logs'];

const backgroundName = takeBackgroundName(process.env);
const commandLine = {
  args: process.argv.slice(2).filter((argument) => argument !== NO_CONFIG),
  environment: process.env,
  version,
};

/** A server in the background has the arguments of the command that has started it. */
const isJson = backgroundName === undefined && commandLine.args.includes(JSON_FLAG);
const writeOutput = process.stdout.write.bind(process.stdout);
// With --json, only the JSON is on standard output. Logs, texts and the output of handlers are on standard error.
if (isJson) process.stdout.write = process.stderr.write.bind(process.stderr) as typeof process.stdout.write;

/** Whether the JSON output is complete. A server has printed it before an error can stop it. */
let hasFinished = false;

run().then(finish, (error) => {
  if (error instanceof UserError) return fail(toCommandError(error));
  if (!isJson) throw error;
  crash(error);
});

function crash(error: unknown): never {
  printError(`${toError(error).stack}\n`);
  return abort(toError(error).message);
}

/** Sets the exit code of a command, and with --json prints its result. */
function finish(result: CommandResult | undefined): void {
  if (!result) return;
  if (result.error) process.exitCode ||= ERROR_CODES[result.error.code].exitCode;
  if (isJson && !hasFinished) writeOutput(formatJsonOutput(findCommandName(commandLine), result));
  hasFinished = true;
}

/** The error codes by the reason of a `UserError`. */
const REASON_CODES: Readonly<Record<string, ErrorCode>> = {
  'data-file': 'invalid_data_file',
  'truncated-file': 'invalid_data_file',
  'other-contract': 'invalid_data_file',
  contract: 'invalid_contract',
};

function toCommandError(error: UserError): CommandError {
  const { message } = error;
  if (error instanceof ControlError) {
    const { status, violations } = error;
    if (status === undefined) return { code: 'connection_failed', message };
    return { code: 'request_rejected', message, details: { status, violations } };
  }
  const isPortInUse = (error.cause as NodeJS.ErrnoException | undefined)?.code === 'EADDRINUSE';
  return { code: isPortInUse ? 'port_in_use' : (REASON_CODES[error.reason ?? ''] ?? 'command_failed'), message };
}

/** Runs the command. Resolves to undefined if the command has finished itself. */
async function run(): Promise<CommandResult | undefined> {
  const [, , command = '', ...others] = process.argv;
  const needsNone =
    COMMANDS_WITHOUT_CONFIG.includes(command) ||
    [command, ...others].some((argument) => OPTIONS_WITHOUT_CONFIG.includes(argument));
  const config = needsNone ? {} : await settle('the configuration file', loadConfig(process.cwd())).catch(refuseConfig);
  if (!config) return undefined;
  return runCommand(readCommandLine({ ...commandLine, config, isTerminal: process.stdout.isTTY === true }), config);
}

function refuseConfig(error: unknown): undefined {
  if (!(error instanceof UserError)) throw error;
  return void fail({ code: 'invalid_configuration', message: error.message });
}

/** Waits for code of the user. If the process would end before, prints an error and sets the exit code. */
async function settle<Result>(what: string, promise: Promise<Result>): Promise<Result> {
  const onExit = () => {
    process.exitCode = ERROR_CODES.check_not_run.exitCode;
    fail({ code: 'check_not_run', message: `${what} waits for something that never happens: correct it.` });
  };
  process.once('beforeExit', onExit);
  try {
    return await promise;
  } finally {
    process.off('beforeExit', onExit);
  }
}

async function runCommand(command: ParsedCommand, config: Config): Promise<CommandResult | undefined> {
  // The other commands end soon, and need less CPU time with a larger space.
  if (command.kind !== 'serve' && backgroundName === undefined) {
    allowNewSpaceGrowth();
    if (isJson) process.on('uncaughtException', crash);
  }
  switch (command.kind) {
    case 'print':
      print(command.text);
      return { data: { text: command.text.trimEnd() } };
    case 'refuse':
      return void fail({ code: 'invalid_usage', message: command.reason });
    case 'repair':
      return printMessage(await (await import('../server/repair.ts')).repair(command.options));
    case 'migrate':
      return printMessage(await (await import('../server/repair.ts')).migrateDatabase(command.options));
    case 'check':
      return check(command.options, config.check).catch(failCheck);
    case 'control':
      return control(command.options);
    case 'explain':
      return printExplanation(command.options);
    case 'diff':
      return diff(command.options);
    case 'background':
      return runBackgroundCommand(command.command, printSafely, isJson ? printData : undefined);
    case 'mcp': {
      const { serveMcp } = await import('./mcp.ts');
      return void (await serveMcp(version));
    }
    case 'skill': {
      const files = installSkill(command.options);
      print(files.map((file) => `Wrote ${file}\n`).join(''));
      return { data: { files } };
    }
    case 'start':
      return start(command);
    case 'serve':
      return { data: await serve(command.options) };
  }
}

/** Prints the text of a command. */
function print(text: string): void {
  process.stdout.write(text);
}

function printMessage(message: string): CommandResult {
  print(`${message}\n`);
  return { data: { message } };
}

/** Prints a line of JSON for a command that follows a journal or a log. */
function printData(data: object): void {
  writeOutput(formatJsonOutput(findCommandName(commandLine), { data }));
}

async function control(command: ControlCommand): Promise<CommandResult | undefined> {
  const printers = isJson ? { print() {}, printEntry: printData } : { print: printSafely };
  const result = await runControlCommand(command, printers);
  if (command.format === 'stream') return undefined;
  if (result.error?.code === 'coverage_too_low') printFailure(result.error.message);
  return result;
}

async function printExplanation(options: ExplainOptions): Promise<CommandResult> {
  const { explain } = await import('../server/explain.ts');
  const { operations, webhooks, warnings, text } = await explain(options);
  if (!isJson) printSafely(text);
  return { data: { operations, webhooks }, warnings };
}

/** Prints a text that clients or documents can contain. It must not control the terminal. */
function printSafely(text: string): void {
  print(escapeControlsInLines(text));
}

function printError(text: string): void {
  process.stderr.write(text);
}

async function check(
  options: CheckCommand,
  { before, operations, parameters, credentials, states }: CheckConfig = {},
): Promise<CommandResult> {
  const given = { ...options, operations, parameters, credentials, states };
  limitHeapGrowth();
  const { readRemoteContract, writeReports, runCheck } = await import('../check/command.ts');
  const { prepareFiles } = await import('../check/files.ts');
  const { isRecorded } = await import('../check/options.ts');
  const { toDocument } = await import('../check/report/report.ts');
  const { selectSandboxes } = await import('../check/check-sandbox.ts');
  const { callBefore } = await import('../check/before-hook.ts');
  const { verifiesPact } = await import('../check/verify-pact.ts');
  const { createAccess } = await import('../check/access.ts');
  const { createStopSignal } = await import('../check/exchange.ts');
  const { getContractPath } = await import('../server/choose-application.ts');
  const { createStorefront } = await import('../server/storefront.ts');
  const { shopModel: model } = await import('../shop/model/shop.ts');
  const interrupt = new AbortController();
  // Handles only the first signal. A second signal ends the process at once.
  for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => interrupt.abort());
  const signal = createStopSignal(given.maxTime, interrupt.signal);
  prepareFiles(given);
  const access = createAccess(given, process.env);
  const sendsRequests = !isRecorded(given) || verifiesPact(given);
  const hook =
    before && sendsRequests ? callBefore(before, given, { environment: process.env, signal, access }) : undefined;
  const prepared = hook ? await settle('check.before of the configuration', hook) : given;
  const command = await readRemoteContract(prepared, { signal, access });
  const parts = {
    model,
    contract: getContractPath({}),
    seed: randomInt(MAX_SEED),
    nowMs: Date.now(),
    print,
    signal,
    access,
    environment: process.env,
  };
  const onProgress = command.report === undefined && process.stderr.isTTY ? showProgress : undefined;
  const running = runCheck(await selectSandboxes(command, { ...parts, printProgress: printError }), {
    ...parts,
    start: () => createStorefront({ contract: command.contract, allowRefs: command.allowRefs }),
    onProgress,
  });
  const hooks = credentials ? 'check.credentials' : states && 'check.states';
  const report = await (hooks ? settle(`${hooks} of the configuration`, running) : running);
  if (onProgress) printError(CLEAR_LINE);
  const exitCode = writeReports(report, command, print);
  const data = toDocument(report);
  if (exitCode === 0) return { data };
  const code = data.verdict === 'failed' ? 'check_failed' : 'check_incomplete';
  return { data, error: { code, message: `The verdict of the check is: ${data.verdict}.` } };
}

async function diff(command: DiffCommand): Promise<CommandResult | undefined> {
  const { runDiff } = await import('../diff/command.ts');
  try {
    const { report, text, hasFailed } = await runDiff(command, { folder: process.cwd(), environment: process.env });
    if (!isJson) print(text);
    if (!hasFailed) return { data: report };
    const kinds = `${report.breaking.length} breaking and ${report.other.length} other`;
    return { data: report, error: { code: 'changes_found', message: `The contract has ${kinds} changes.` } };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return void fail({ code: 'unreadable_version', message: error.message });
  }
}

function showProgress(done: number, total: number, part: string): void {
  printError(`${CLEAR_LINE}${done} of ${total} parts checked: ${part}`);
}

async function failCheck(error: unknown): Promise<undefined> {
  const isUsage = error instanceof UserError && error.reason === 'usage';
  const message =
    error instanceof UserError
      ? error.message
      : `The check failed because of a bug in storefront: ${(error as Error).stack}`;
  if (process.env.GITHUB_ACTIONS === 'true') {
    const { toErrorAnnotation } = await import('../check/report/annotations.ts');
    printSafely(toErrorAnnotation(message));
  }
  const isBug = !(error instanceof UserError);
  const code: ErrorCode = isBug ? 'internal_error' : isUsage ? 'invalid_usage' : 'check_not_run';
  if (isBug) process.exitCode = ERROR_CODES.check_not_run.exitCode;
  fail({ code, message });
}

/** Starts a server in the background, or runs it in this process if the process was started for it. */
async function start({
  name,
  options,
}: ParsedCommand & { readonly kind: 'start' }): Promise<CommandResult | undefined> {
  const args = process.argv.slice(2);
  if (backgroundName !== undefined)
    return void (await runInBackground(backgroundName, { args, options }, () => serve(options, false)));
  const started = await startInBackground(name, { args, options });
  printSafely(formatStarted(started));
  return { data: { ...started.server, isNew: started.isNew } };
}

/** Runs a server, as `runServer` does. */
async function serve(options: Options, endsWithParent = true): Promise<ServerDescription> {
  const { runServer } = await import('./serve.ts');
  return runServer(options, { endsWithParent, print, abort });
}

/** Prints a message to standard error and ends the process immediately. */
function abort(message: string): never {
  fail({ code: 'internal_error', message });
  process.exit();
}

/** Prints the error of a command that failed, and sets the exit code. */
function fail(error: CommandError): void {
  printFailure(error.message);
  finish({ error });
}

function printFailure(message: string): void {
  printError(`storefront: ${escapeControlsInLines(message)}\n`);
}
