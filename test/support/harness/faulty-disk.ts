import { closeSync, statSync } from 'node:fs';
import { type Disk, machineDisk } from '../../../src/store/disk.ts';

/** The system calls of a disk. */
export type StepName = keyof Disk;

/** One system call of an action; steps are counted from 1. */
export interface Step {
  readonly number: number;
  readonly name: StepName;
  /** The step before it. */
  readonly last: StepName | undefined;
}

/**
 * The fault at a step. The step fails with a code and has no effect, except that `close` always closes the file; with `HALF` it writes half of the
 * bytes without an error. Or the process dies before or after the step: then neither this step nor a later one returns.
 */
export type DiskFault = { readonly code: string } | { readonly dies: 'before' | 'after' };

/** Returns the fault at a step, if any; may also do something else meanwhile. */
export type Plan = (step: Step) => DiskFault | undefined;

/** The disk of this machine with injected faults. */
export interface FaultyDisk extends Disk {
  /** Starts to count steps and to inject the faults of the plan. */
  begin(plan?: Plan): void;
  /** Ends the plan, also if the process has died, and returns the steps since its start. */
  end(): readonly StepName[];
  /** The open file descriptors. */
  readonly openDescriptors: ReadonlySet<number>;
  /** The system calls on a descriptor after its sync failed, except for close. */
  readonly misuse: readonly StepName[];
}

/** The codes with which each step can fail: each stands for a case that a program may handle differently. */
const CODES: Readonly<Record<StepName, readonly string[]>> = {
  create: ['ENOSPC', 'EROFS'],
  open: ['EMFILE'],
  write: ['EIO', 'HALF', 'ENOSPC'],
  setMode: ['EROFS'],
  setOwner: ['EPERM'],
  statsOfOpen: ['EIO'],
  sync: ['EIO'],
  close: ['EIO'],
  link: ['EIO', 'EROFS', 'EPERM'],
  rename: ['EIO', 'ENOSPC', 'EROFS'],
  remove: ['EROFS'],
  makeFolder: ['ENOSPC'],
  stats: ['EIO'],
  linkStats: ['EIO'],
  readLink: ['EIO'],
  makeLink: ['EIO'],
  read: ['EIO'],
  readPart: ['EIO'],
  list: ['EIO'],
};

/** A plan with a name for the failure report. */
export interface NamedPlan {
  readonly label: string;
  readonly plan: Plan;
}

/** Plans in which one step fails, with each code; a partial write is followed by a write that succeeds or by one that fails. */
export function singleFaults(steps: readonly StepName[]): readonly NamedPlan[] {
  return steps.flatMap((name, index) =>
    CODES[name].flatMap((code) => {
      const fault = faultAt(index + 1, name, code);
      return code === 'HALF' ? [fault, both(fault, faultAt(index + 2, 'write', 'ENOSPC'))] : [fault];
    }),
  );
}

/** The number of steps after a fault in which a second one is tried: more than the cleanup of a commit needs. */
const STEPS_AFTER_FAULT = 7;

/** Plans in which one step fails, and then one of the steps after it. */
export function twoFaults(steps: readonly StepName[]): readonly NamedPlan[] {
  return steps.flatMap((name, index) =>
    Array.from({ length: STEPS_AFTER_FAULT }, (_, after) => {
      const at = index + 2 + after;
      const second: Plan = ({ number, name }) => (number === at ? { code: CODES[name][0] ?? 'EIO' } : undefined);
      return both(faultAt(index + 1, name, CODES[name][0] ?? 'EIO'), { label: `then ${at}`, plan: second });
    }),
  );
}

/** Returns a plan in which the first step with this name fails. */
export function createFailurePlan(failing: StepName): Plan {
  let hasFailed = false;
  return ({ name }) => {
    if (hasFailed || name !== failing) return undefined;
    hasFailed = true;
    return { code: 'EIO' };
  };
}

/** Plans in which a step and all steps after it fail, until the plan ends. */
export function lastingFaults(steps: readonly StepName[]): readonly NamedPlan[] {
  return steps.map((first, index) => ({
    label: `from ${index + 1} ${first} on all fail`,
    plan: ({ number, name }) => (number > index ? { code: CODES[name][0] ?? 'EIO' } : undefined),
  }));
}

/** Plans in which the process dies before and after each step. */
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

/** Creates a disk without faults until a plan starts. `links`: whether the file system has hard links. */
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
    // On Linux, close(2) releases the descriptor even if it fails.
    if (name === 'close') done(name, args);
    if (name === 'sync') failedSyncs.add(first as number);
    throw fault(code, name);
  }

  function done(name: StepName, args: readonly unknown[]): unknown {
    const [first] = args as [never];
    if (name === 'link' && !links && statSync(first, { throwIfNoEntry: false })) throw fault('EPERM', name);
    if (name !== 'close' && failedSyncs.has(first)) misuse.push(name);
    const result = (machineDisk[name] as (...args: readonly unknown[]) => unknown)(...args);
    if (name === 'create' || name === 'open') openDescriptors.add(result as number);
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
      // The kernel closes the descriptors of a dead process; the disk stays unavailable to it.
      if (isDead) for (const descriptor of openDescriptors) closeSync(descriptor);
      return steps;
    },
  };
}

function half(bytes: Uint8Array, from: number): Uint8Array {
  return bytes.subarray(0, from + Math.ceil((bytes.length - from) / 2));
}

function fault(code: string, name: StepName): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${name} was made to fail`), { code });
}
