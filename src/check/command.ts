import { appendFileSync, writeFileSync } from 'node:fs';
import { type Contract, loadContract } from '../contract/contract.ts';
import { checkServer } from './check.ts';
import { CheckFault } from './fault.ts';
import type { CheckCommand } from './options.ts';
import { asJunit } from './report/junit.ts';
import { asMarkdown } from './report/markdown.ts';
import { type Report, reportOf } from './report/report.ts';
import { asText } from './report/text.ts';
import { askedRoutes, isWriting, judgedRoutes, type Selection } from './selection.ts';
import { isShop } from './shop/shop.ts';

/** A server that runs until it is closed. */
export interface Running {
  readonly url: string;
  close(): Promise<void>;
}

/** What a check takes from the program around it. */
export interface CheckSurroundings {
  /** The contract, where the command names none. */
  readonly contract: string;
  /** Starts a shop of our own, in data of its own. */
  readonly start: () => Promise<Running>;
  readonly print: (text: string) => void;
  /** Told now and then how far a long check has come. */
  readonly tell: (text: string) => void;
  /** A seed, where the command names none. */
  readonly seed: number;
}

/** Judges the server that a command names, or a shop of our own where it names none. Throws a `CheckFault` where that can't be done. */
export async function judgeServer(
  command: CheckCommand,
  { start, print, tell, seed, ...own }: CheckSurroundings,
): Promise<Report> {
  const { only, exclude, headers, runs, wait } = command;
  for (const file of [command.report, command.summary])
    if (file !== undefined) written(file, () => appendFileSync(file, ''));
  const contract = await loadContract({ path: command.contract ?? own.contract, strict: false });
  const selection = { contract, only, exclude, mayWrite: command.url === undefined || command.allowWrites };
  if (command.url !== undefined && !command.isFresh) announce(selection, command.url, print);
  const running = command.url === undefined ? await startOwn(contract, start) : undefined;
  try {
    const verdict = await checkServer({
      ...selection,
      url: running?.url ?? command.url ?? '',
      headers,
      runs,
      seed: command.seed ?? seed,
      isFresh: running !== undefined || command.isFresh === true,
      waitSeconds: wait,
      onProgress: nowAndThen((operationId) => tell(`judging ${operationId} …\n`)),
    });
    return await reportOf(verdict, contract, (operationId) => againText(command, operationId, verdict.seed));
  } finally {
    await running?.close();
  }
}

/** Prints a report and writes it where the command says; whether nothing broke the contract. */
export function deliver(
  report: Report,
  { report: junit, summary }: CheckCommand,
  print: (text: string) => void,
): boolean {
  print(`${asText(report)}\n`);
  if (junit !== undefined) written(junit, () => writeFileSync(junit, asJunit(report)));
  if (summary !== undefined) written(summary, () => appendFileSync(summary, asMarkdown(report)));
  return report.failures.length === 0;
}

/** The command that judges an operation again, with the values of headers left out. */
function againText(command: CheckCommand, operationId: string, seed: number): string {
  const { url, contract, exclude, headers, runs, isFresh } = command;
  return [
    'storefront check',
    ...(url === undefined ? [] : [url, ...(isFresh ? [] : ['--allow-writes'])]),
    ...(contract === undefined ? [] : ['--contract', contract]),
    ...Object.keys(headers)
      .filter((name) => !isFresh || name !== 'x-sandbox')
      .map((name) => `-H '${name}: …'`),
    `--only ${operationId}`,
    ...(exclude ? [`--exclude ${exclude.join(',')}`] : []),
    `--seed ${seed} --runs ${runs}`,
  ].join(' ');
}

/** How long nothing is told after something was, in ms. */
const QUIET_MS = 3_000;

/** Tells what it is told, unless it has told something just before. */
function nowAndThen(tell: (said: string) => void): (said: string) => void {
  let lastMs = performance.now();
  return (said) => {
    if (performance.now() - lastMs < QUIET_MS) return;
    lastMs = performance.now();
    tell(said);
  };
}

function written(path: string, write: () => void): void {
  try {
    write();
  } catch (cause) {
    throw new CheckFault(`the report can't be written to ${path}: ${(cause as Error).message}`, { cause });
  }
}

async function startOwn(contract: Contract, start: CheckSurroundings['start']): Promise<Running> {
  if (!isShop(contract))
    throw new CheckFault(
      `${contract.path} is not the contract of the shop: name the server to judge, storefront check URL --contract FILE`,
    );
  return start();
}

/** Says what a check will change on somebody's server, and goes no further where that wasn't allowed. */
function announce(selection: Selection, url: string, print: (text: string) => void): void {
  const { mayWrite, contract } = selection;
  const isHarmless = !judgedRoutes(selection).some(isWriting);
  if (!mayWrite && isHarmless) return;
  const writing = askedRoutes({ ...selection, mayWrite: true }).filter(isWriting);
  if (writing.length === 0) return;
  const resets = isShop(contract) && writing.some(({ operationId }) => operationId === 'resetData');
  const told = writing.map(({ method, path }) => `${method} ${path}`).join(', ');
  const what = `this changes data on ${url}: ${told} are sent many times${resets ? '; its data is reset again and again' : ''}`;
  if (!mayWrite) throw new CheckFault(`${what}. If that may be, say --allow-writes`);
  print(`${what}\n`);
}
