import { closeSync, statSync } from 'node:fs';
import { type Disk, machineDisk } from '../../../src/store/disk.ts';

/** The name of a file system call. */
export type StepName = keyof Disk;

/** A file system call during an action. */
export interface Step {
  readonly number: number;
  readonly name: StepName;
  /** The name of the previous call; undefined for the first call. */
  readonly last: StepName | undefined;
}

/**
 * What happens at a file system call. With `code`, the call throws an error with this code and has no effect. There are two exceptions: `close` always
 * closes the file, and with the code `HALF`, a write call writes half of the bytes and does not throw. With `dies`, the process dies before or after the
 * call: this call and all later calls never return.
 */
export type DiskFault = { readonly code: string } | { readonly dies: 'before' | 'after' };

/**
 * Returns the fault for a file system call, or undefined if the call must succeed. It can also have a side effect at this moment, for example edit the file.
 */
export type Plan = (step: Step) => DiskFault | undefined;

/** The disk of this machine, with injected faults. */
export interface FaultyDisk extends Disk {
  /** Starts to count the file system calls, and injects the faults of the plan. */
  begin(plan?: Plan): void;
  /** Stops the injection, even if the simulated process has died. Returns the names of all calls since `begin`. */
  end(): readonly StepName[];
  /** The open file descriptors. */
  readonly openDescriptors: ReadonlySet<number>;
  /** The calls that used a descriptor after a failed fsync of this descriptor, except `close`. */
  readonly misuse: readonly StepName[];
}

/** The error codes that a file system call can fail with. Each code stands for a case that a program may handle differently. */
const CODES: Readonly<Record<StepName, readonly string[]>> = {
  create: ['ENOSPC', 'EROFS'],
  openToAppend: ['EMFILE'],
  openToWrite: ['EROFS'],
  open: ['EMFILE'],
  write: ['EIO', 'HALF', 'ENOSPC'],
  setMode: ['EROFS'],
  setOwner: ['EPERM'],
  statsOfOpen: ['EIO'],
  sync: ['EIO'],
  close: ['EIO'],
  truncate: ['EIO'],
  link: ['EIO', 'EROFS', 'EPERM'],
  rename: ['EIO', 'ENOSPC', 'EROFS'],
  remove: ['EROFS'],
  makeFolder: ['ENOSPC'],
  stats: ['EIO'],
  linkStats: ['EIO'],
  readLink: ['EIO'],
  makeLink: ['EIO'],
  read: ['EIO'],
  readAt: ['EIO'],
  list: ['EIO'],
};

/** A plan of faults, and its name for failure reports. */
export interface NamedPlan {
  readonly label: string;
  readonly plan: Plan;
}

/**
 * Returns plans in which exactly one call fails, for each call and each of its error codes. A partial write is an exception: in one plan the next write
 * succeeds, and in another plan it fails.
 */
export function singleFaults(steps: readonly StepName[]): readonly NamedPlan[] {
  return steps.flatMap((name, index) =>
    CODES[name].flatMap((code) => {
      const fault = faultAt(index + 1, name, code);
      return code === 'HALF' ? [fault, both(fault, faultAt(index + 2, 'write', 'ENOSPC'))] : [fault];
    }),
  );
}

/** How many calls after the first fault are tried as the place of a second fault. It is more than the cleanup after a failed commit needs. */
const STEPS_AFTER_FAULT = 7;

/** Returns plans in which two calls fail: one call, and then one of the next seven calls. */
export function twoFaults(steps: readonly StepName[]): readonly NamedPlan[] {
  return steps.flatMap((name, index) =>
    Array.from({ length: STEPS_AFTER_FAULT }, (_, after) => {
      const at = index + 2 + after;
      const second: Plan = ({ number, name }) => (number === at ? { code: CODES[name][0] ?? 'EIO' } : undefined);
      return both(faultAt(index + 1, name, CODES[name][0] ?? 'EIO'), { label: `then ${at}`, plan: second });
    }),
  );
}

/** Returns a plan in which the first call with this name fails. */
export function createFailurePlan(failing: StepName): Plan {
  let hasFailed = false;
  return ({ name }) => {
    if (hasFailed || name !== failing) return undefined;
    hasFailed = true;
    return { code: 'EIO' };
  };
}

/** Returns plans in which a call and all later calls fail, for each call. */
export function lastingFaults(steps: readonly StepName[]): readonly NamedPlan[] {
  return steps.map((first, index) => ({
    label: `from ${index + 1} ${first} on all fail`,
    plan: ({ number, name }) => (number > index ? { code: CODES[name][0] ?? 'EIO' } : undefined),
  }));
}

/** Returns plans in which the process dies before or after a call, for each call. */
export function crashPlans(steps: readonly StepName[]): readonly NamedPlan[] {
  return steps.flatMap((name, index) =>
    (['before', 'after'] as const).map((dies) => ({
      label: `dies ${dies} ${index + 1} ${name}`,
      plan: ({ number }) => (number === index + 1 ? { dies } : undefined),
    })),
  );
}

function faultAt(at: number, name: StepName, code: string): NamedPlan {
  return {
    label: `${at} ${name} ${code}`,
    plan: (step) => (step.number === at && step.name === name ? { code } : undefined),
  };
}

function both(one: NamedPlan, other: NamedPlan): NamedPlan {
  return { label: `${one.label}, ${other.label}`, plan: (step) => one.plan(step) ?? other.plan(step) };
}

/** Creates a disk that works without faults until `begin` is called with a plan. `links`: whether the file system supports hard links. */
export function createFaultyDisk({ links = true }: { readonly links?: boolean } = {}): FaultyDisk {
  const openDescriptors = new Set<number>();
  const failedSyncs = new Set<number>();
  const misuse: StepName[] = [];
  let steps: StepName[] = [];
  let plan: Plan = () => undefined;
  let isDead = false;

  function step(name: StepName, args: readonly unknown[]): unknown {
    const last = steps.at(-1);
    steps.push(name);
    if (isDead) throw fault('EDEAD', name);
    const incident = plan({ number: steps.length, name, last });
    isDead = incident !== undefined && 'dies' in incident;
    if (incident && 'code' in incident) return failed(name, args, incident.code);
    if (incident?.dies === 'before') throw fault('EDEAD', name);
    const result = done(name, args);
    if (incident?.dies !== 'after') return result;
    if (result instanceof Promise) return result.then(() => Promise.reject(fault('EDEAD', name)));
    throw fault('EDEAD', name);
  }

  function failed(name: StepName, args: readonly unknown[], code: string): unknown {
    const [first, bytes, from] = args;
    if (code === 'HALF') return done(name, [first, half(bytes as Uint8Array, from as number), from]);
    // On Linux, close(2) closes the descriptor even if it returns an error.
    if (name === 'close') done(name, args);
    if (name === 'sync') failedSyncs.add(first as number);
    throw fault(code, name);
  }

  function done(name: StepName, args: readonly unknown[]): unknown {
    const [first] = args as [never];
    if (name === 'link' && !links && statSync(first, { throwIfNoEntry: false })) throw fault('EPERM', name);
    if (name !== 'close' && failedSyncs.has(first)) misuse.push(name);
    const result = (machineDisk[name] as (...args: readonly unknown[]) => unknown)(...args);
    if (OPENING.includes(name)) openDescriptors.add(result as number);
    if (name === 'close') for (const descriptors of [openDescriptors, failedSyncs]) descriptors.delete(first);
    return result;
  }

  const steppers = Object.keys(machineDisk).map((name) => {
    const stepper = (...args: readonly unknown[]) => step(name as StepName, args);
    return [name, name === 'sync' ? async (...args: readonly unknown[]) => stepper(...args) : stepper];
  });
  return {
    ...(Object.fromEntries(steppers) as Disk),
    openDescriptors,
    misuse,
    begin(next = () => undefined) {
      steps = [];
      plan = next;
    },
    end() {
      plan = () => undefined;
      // The operating system closes the descriptors of a dead process. The process can't use the disk any more.
      if (isDead) for (const descriptor of openDescriptors) closeSync(descriptor);
      return steps;
    },
  };
}

/** The calls that return a new file descriptor. */
const OPENING: readonly StepName[] = ['create', 'open', 'openToAppend', 'openToWrite'];

function half(bytes: Uint8Array, from: number): Uint8Array {
  return bytes.subarray(0, from + Math.ceil((bytes.length - from) / 2));
}

function fault(code: string, name: StepName): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${name} was made to fail`), { code });
}
