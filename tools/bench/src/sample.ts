import { ask } from './ask.ts';
import { CONNECTIONS, load } from './load.ts';
import { cpuSeconds } from './proc.ts';
import { reset, type ShopRequest } from './requests.ts';
import type { Server } from './server.ts';

/** What one server spent on a number of equal requests. */
export interface Sample {
  readonly amount: number;
  /** CPU time of the server's process, user and system. */
  readonly cpuSeconds: number;
  /** From the first request to the last answer. */
  readonly wallSeconds: number;
}

/** Seconds to spend, and between how many rounds they are to be shared. */
export interface Budget {
  readonly wallSeconds: number;
  readonly rounds: number;
}

/** More CPU time than this makes no sample better: the clock's error is 2 % of it. */
const ENOUGH_CPU_SECONDS = 1;
const LEAST_AMOUNT = 500;

/**
 * The server's CPU time for `amount` requests on the default data. Making and closing the connections is part of it, for
 * every server alike; the reset before isn't.
 */
export async function takeSample(server: Server, request: ShopRequest, amount: number): Promise<Sample> {
  await ask(server.port, reset);
  const before = cpuSeconds(server.pid);
  const wallSeconds = await load(server, request, amount);
  return { amount, cpuSeconds: cpuSeconds(server.pid) - before, wallSeconds };
}

/** CPU time per request, in µs. */
export function cpuMicros(sample: Sample): number {
  return (sample.cpuSeconds / sample.amount) * 1e6;
}

/** Requests answered per second. */
export function perSecond(sample: Sample): number {
  return sample.amount / sample.wallSeconds;
}

/** The last of a cell's samples; there is one. */
export function latest(samples: readonly Sample[]): Sample {
  const sample = samples.at(-1);
  if (sample === undefined) throw new RangeError('there is no sample yet');
  return sample;
}

/**
 * How much CPU time, in s, each sample of the next round may take: the same for all, so that the clock is equally exact
 * for a cheap server and a dear one, and as much as the budget allows. `last` are the samples of the round before.
 */
export function cpuGoal(last: readonly Sample[], budget: Budget): number {
  const wallPerCpu = last.reduce((sum, sample) => sum + sample.wallSeconds / atLeastOneTick(sample.cpuSeconds), 0);
  return Math.min(ENOUGH_CPU_SECONDS, budget.wallSeconds / budget.rounds / wallPerCpu);
}

/** How many requests take this much CPU time, going by the last sample: as many for each connection. */
export function amountFor(goalSeconds: number, last: Sample): number {
  const amount = (goalSeconds / atLeastOneTick(last.cpuSeconds)) * last.amount;
  return Math.ceil(Math.max(LEAST_AMOUNT, amount) / CONNECTIONS) * CONNECTIONS;
}

function atLeastOneTick(seconds: number): number {
  return Math.max(seconds, 0.01);
}
