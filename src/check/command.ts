import { appendFileSync, writeFileSync } from 'node:fs';
import { type Contract, loadContract } from '../contract/contract.ts';
import { checkServer, writingRoutes } from './check.ts';
import { CheckFault } from './fault.ts';
import type { CheckCommand } from './options.ts';
import { asJunit } from './report/junit.ts';
import { asMarkdown } from './report/markdown.ts';
import { type Report, reportOf } from './report/report.ts';
import { asText } from './report/text.ts';
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
  /** A seed, where the command names none. */
  readonly seed: number;
}

/** Judges the server that a command names, or a shop of our own where it names none. Throws a `CheckFault` where that can't be done. */
export async function judgeServer(
  command: CheckCommand,
  { start, print, seed, ...own }: CheckSurroundings,
): Promise<Report> {
  const contract = await loadContract({ path: command.contract ?? own.contract, strict: false });
  const running = command.url === undefined ? await startOwn(contract, start) : undefined;
  const url = running?.url ?? command.url ?? '';
  try {
    if (!running) announce(command, contract, url, print);
    const { only, exclude, headers, runs, wait } = command;
    const verdict = await checkServer({
      contract,
      url,
      headers,
      only,
      exclude,
      runs,
      seed: command.seed ?? seed,
      isFresh: running !== undefined,
      mayWrite: running !== undefined || command.allowWrites,
      waitSeconds: wait,
    });
    return await reportOf(verdict, contract);
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
function announce(command: CheckCommand, contract: Contract, url: string, print: (text: string) => void): void {
  const writing = writingRoutes({ ...command, contract }).map(({ method, path }) => `${method} ${path}`);
  if (writing.length === 0) return;
  const resets = isShop(contract) ? '; its data is reset again and again' : '';
  const what = `this changes data on ${url}: ${writing.join(', ')} are sent many times${resets}`;
  if (!command.allowWrites) throw new CheckFault(`${what}. If that may be, say --allow-writes`);
  print(`${what}\n`);
}
