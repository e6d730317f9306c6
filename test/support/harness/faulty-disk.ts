import { closeSync, statSync } from 'node:fs';
import { type Disk, machineDisk } from '../../../src/store/disk.ts';

/** What a disk is asked to do. */
export type StepName = keyof Disk;

/** A step of what is under way: the steps are counted from 1. */
export interface Step {
  readonly number: number;
  readonly name: StepName;
  /** The step before it. */
  readonly last: StepName | undefined;
}

/**
 * What befalls a step. It fails with a code and has no effect, but that a file which can't be closed is closed; `HALF` has it write half of the
 * bytes, without an error. Or the program dies before or after it: then neither the step nor any later one comes back.
 */
export type Incident = { readonly code: string } | { readonly dies: 'before' | 'after' };

/** Says what befalls a step, if anything does; may do something else meanwhile. */
export type Plan = (step: Step) => Incident | undefined;

/** This machine's disk, but for what befalls it. */
export interface FaultyDisk extends Disk {
  /** Counts the steps from here on, and has befall them what the plan says. */
  begin(plan?: Plan): void;
  /** Ends the plan, and the program where it has died; gives back the steps that there were. */
  end(): readonly StepName[];
  /** The descriptors that are open. */
  readonly openDescriptors: ReadonlySet<number>;
  /** What was done with a descriptor after a sync of it failed, but for closing it. */
  readonly misuse: readonly StepName[];
}

/** What each step may fail with: each code stands for what a program may do otherwise about it. */
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
  list: ['EIO'],
};

/** A plan, and what it is, to tell one failing case from another. */
export interface NamedPlan {
  readonly label: string;
  readonly plan: Plan;
}

/** Plans in which each step fails by itself, with every code; a write that comes to half is followed by none that fails, and by one that does. */
export function singleFaults(steps: readonly StepName[]): readonly NamedPlan[] {
  return steps.flatMap((name, index) =>
    CODES[name].flatMap((code) => {
      const fault = faultAt(index + 1, name, code);
      return code === 'HALF' ? [fault, both(fault, faultAt(index + 2, 'write', 'ENOSPC'))] : [fault];
    }),
  );
}

/** How many steps a fault is followed by in which a second one is tried: more than a commit takes to clean up. */
const STEPS_AFTER_FAULT = 7;

/** Plans in which a step fails, and then one of those that come after that, whatever they turn out to be. */
export function twoFaults(steps: readonly StepName[]): readonly NamedPlan[] {
  return steps.flatMap((name, index) =>
    Array.from({ length: STEPS_AFTER_FAULT }, (_, after) => {
      const at = index + 2 + after;
      const second: Plan = ({ number, name }) => (number === at ? { code: CODES[name][0] ?? 'EIO' } : undefined);
      return both(faultAt(index + 1, name, CODES[name][0] ?? 'EIO'), { label: `then ${at}`, plan: second });
    }),
  );
}

/** A plan in which the first step of this name fails. */
export function failureOf(failing: StepName): Plan {
  let hasFailed = false;
  return ({ name }) => {
    if (hasFailed || name !== failing) return undefined;
    hasFailed = true;
    return { code: 'EIO' };
  };
}

/** Plans in which a step and all after it fail, until the plan ends. */
export function lastingFaults(steps: readonly StepName[]): readonly NamedPlan[] {
  return steps.map((first, index) => ({
    label: `from ${index + 1} ${first} on all fail`,
    plan: ({ number, name }) => (number > index ? { code: CODES[name][0] ?? 'EIO' } : undefined),
  }));
}

/** Plans in which the program dies before, and after, each step. */
export function deaths(steps: readonly StepName[]): readonly NamedPlan[] {
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

/** A disk to which nothing befalls until a plan begins. `links`: whether its file system has hard links. */
export function faultyDisk({ links = true }: { readonly links?: boolean } = {}): FaultyDisk {
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
    // Linux: a descriptor is gone, whatever close(2) says.
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
      // The kernel closes what a program leaves open; the disk stays dead to it.
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
