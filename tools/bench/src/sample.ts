import { CONNECTIONS, load } from './load.ts';
import { cpuSeconds } from './proc.ts';
import { reset, type ShopRequest } from './requests.ts';
import { sendRequest } from './send-request.ts';
import type { Server } from './server.ts';

/** The measured times of a server for a number of equal requests. */
export interface Sample {
  readonly amount: number;
  /** The user and system CPU time of the server process, in seconds. */
  readonly cpuSeconds: number;
  /** The time from the first request to the last response, in seconds. */
  readonly wallSeconds: number;
}

/** The time that is left for the remaining rounds, in seconds, and the number of these rounds. */
export interface Budget {
  readonly wallSeconds: number;
  readonly rounds: number;
}

/** The maximum CPU time of a sample, in seconds. The clock for CPU time has an error of 2 % of this time, so a longer sample would hardly be more exact. */
const ENOUGH_CPU_SECONDS = 1;
const LEAST_AMOUNT = 500;

/**
 * Restores the default data, and then measures the CPU time of a server for `amount` requests. The CPU time includes opening and closing the connections,
 * but not the reset.
 */
export async function takeSample(server: Server, request: ShopRequest, amount: number): Promise<Sample> {
  await sendRequest(server.port, reset);
  return takeSampleOfState(server, request, amount);
}

/** Measures the CPU time of a server for `amount` requests, with the current data of the server. */
export async function takeSampleOfState(server: Server, request: ShopRequest, amount: number): Promise<Sample> {
  const before = cpuSeconds(server.pid);
  const wallSeconds = await load(server, request, amount);
  return { amount, cpuSeconds: cpuSeconds(server.pid) - before, wallSeconds };
}

/** Returns the CPU time per request of a sample, in µs. */
export function cpuMicros(sample: Sample): number {
  return (sample.cpuSeconds / sample.amount) * 1e6;
}

/** Returns the number of responses per second in a sample. */
export function perSecond(sample: Sample): number {
  return sample.amount / sample.wallSeconds;
}

/** Returns the last sample. Throws a `RangeError` if the list is empty. */
export function latest(samples: readonly Sample[]): Sample {
  const sample = samples.at(-1);
  if (sample === undefined) throw new RangeError('there is no sample yet');
  return sample;
}

/**
 * Returns the CPU time that each sample of the next round should take, in seconds: as much as the budget allows. It is the same for all servers, so that the
 * error of the CPU clock is the same for a fast and a slow server. `last`: the samples of the previous round.
 */
export function cpuGoal(last: readonly Sample[], budget: Budget): number {
  const wallPerCpu = last.reduce((sum, sample) => sum + sample.wallSeconds / atLeastOneTick(sample.cpuSeconds), 0);
  return Math.min(ENOUGH_CPU_SECONDS, budget.wallSeconds / budget.rounds / wallPerCpu);
}

/**
 * Estimates how many requests take the CPU time `goalSeconds`. `last`: the previous sample of the same server and request. Returns a multiple of the number
 * of connections.
 */
export function amountFor(goalSeconds: number, last: Sample): number {
  const amount = (goalSeconds / atLeastOneTick(last.cpuSeconds)) * last.amount;
  return Math.ceil(Math.max(LEAST_AMOUNT, amount) / CONNECTIONS) * CONNECTIONS;
}

function atLeastOneTick(seconds: number): number {
  return Math.max(seconds, 0.01);
}
