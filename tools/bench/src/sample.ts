import { CONNECTIONS, load } from './load.ts';
import { cpuSeconds } from './proc.ts';
import { reset, type ShopRequest } from './requests.ts';
import { sendRequest } from './send-request.ts';
import type { Server } from './server.ts';

/** The time that a server needed for a number of equal requests. */
export interface Sample {
  readonly amount: number;
  /** CPU time of the server's process, user and system. */
  readonly cpuSeconds: number;
  /** The time from the first request to the last response. */
  readonly wallSeconds: number;
}

/** The time for the remaining rounds, in seconds, and their number. */
export interface Budget {
  readonly wallSeconds: number;
  readonly rounds: number;
}

/** The maximum CPU time of a sample. The error of the CPU clock is 2 % of it, so that a longer sample would hardly be more exact. */
const ENOUGH_CPU_SECONDS = 1;
const LEAST_AMOUNT = 500;

/**
 * Measures the server's CPU time for `amount` requests on the default data. It includes opening and closing the connections, but not the reset before
 * the requests.
 */
export async function takeSample(server: Server, request: ShopRequest, amount: number): Promise<Sample> {
  await sendRequest(server.port, reset);
  return takeSampleOfState(server, request, amount);
}

/** Measures the server's CPU time for `amount` requests on its current data. */
export async function takeSampleOfState(server: Server, request: ShopRequest, amount: number): Promise<Sample> {
  const before = cpuSeconds(server.pid);
  const wallSeconds = await load(server, request, amount);
  return { amount, cpuSeconds: cpuSeconds(server.pid) - before, wallSeconds };
}

/** Returns the CPU time per request, in µs. */
export function cpuMicros(sample: Sample): number {
  return (sample.cpuSeconds / sample.amount) * 1e6;
}

/** Returns the number of responses per second. */
export function perSecond(sample: Sample): number {
  return sample.amount / sample.wallSeconds;
}

/** Returns the last of a cell's samples. The list must not be empty. */
export function latest(samples: readonly Sample[]): Sample {
  const sample = samples.at(-1);
  if (sample === undefined) throw new RangeError('there is no sample yet');
  return sample;
}

/**
 * Returns the CPU time of each sample of the next round, in seconds: as much as the budget allows. It is the same for all servers, so that the CPU
 * clock is equally exact for a fast and a slow server. `last`: the samples of the previous round.
 */
export function cpuGoal(last: readonly Sample[], budget: Budget): number {
  const wallPerCpu = last.reduce((sum, sample) => sum + sample.wallSeconds / atLeastOneTick(sample.cpuSeconds), 0);
  return Math.min(ENOUGH_CPU_SECONDS, budget.wallSeconds / budget.rounds / wallPerCpu);
}

/** Estimates from the last sample how many requests take the CPU time `goalSeconds`. Returns a multiple of the number of connections. */
export function amountFor(goalSeconds: number, last: Sample): number {
  const amount = (goalSeconds / atLeastOneTick(last.cpuSeconds)) * last.amount;
  return Math.ceil(Math.max(LEAST_AMOUNT, amount) / CONNECTIONS) * CONNECTIONS;
}

function atLeastOneTick(seconds: number): number {
  return Math.max(seconds, 0.01);
}
