import { readdirSync, readFileSync } from 'node:fs';
import { BenchError } from './measurement.ts';

/** The number of ticks per second in /proc (USER_HZ). It is 100 on every architecture that Node runs on. */
const TICKS_PER_SECOND = 100;

/** The maximum error of a difference between two CPU times, in seconds: one tick of user time and one tick of system time. */
export const CPU_ERROR_SECONDS = 2 / TICKS_PER_SECOND;

const BYTES_PER_KB = 1024;
const BYTES_PER_MB = 1_000_000;

/** Returns the user and system CPU time of a process since its start, in seconds, for all threads. Reads the fields 14 and 15 of /proc/PID/stat. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // Field 2 is the name of the program in parentheses. It can contain spaces, so the fields are counted from the last parenthesis.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[14 - 3]) + Number(fields[15 - 3])) / TICKS_PER_SECOND;
}

/**
 * Returns the CPU time of the running threads of a process since their start, in µs. It is exact, unlike `cpuSeconds`, but the time of threads that have ended
 * is missing. Reads the first field of /proc/PID/task/TID/schedstat.
 */
export function threadMicros(pid: number): number {
  const folder = `/proc/${pid}/task`;
  const times = readdirSync(folder).map(
    (thread) => readFileSync(`${folder}/${thread}/schedstat`, 'utf8').split(' ')[0],
  );
  return times.reduce((sum, time) => sum + Number(time) / 1_000, 0);
}

/**
 * Returns the resident memory of a process in MB of 1,000,000 bytes. Reads VmRSS, which Linux reports in kB of 1,024 bytes. Throws a `BenchError` if the
 * process has ended.
 */
export function residentMB(pid: number): number {
  const found = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  if (found === null) throw new BenchError(`/proc/${pid}/status has no VmRSS: the process has ended`);
  return (Number(found[1]) * BYTES_PER_KB) / BYTES_PER_MB;
}
