import { execFile, execFileSync } from 'node:child_process';
import { copyFile, mkdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { tempFolder } from './temp-folder.ts';

const exec = promisify(execFile);

/** Why disks can't be mounted here; undefined where they can. */
export const noMounts: string | undefined = reasonAgainstMounts();

function reasonAgainstMounts(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'NOT RUN: mounting disks needs Linux and root';
  try {
    execFileSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt'], { stdio: 'pipe' });
    return undefined;
  } catch (error) {
    return `NOT RUN: this machine mounts no disks (${(error as Error).message.trim().replaceAll('\n', ' ')})`;
  }
}

/** A disk of its own for one test, mounted at a folder. */
export interface MountedDisk {
  readonly folder: string;
  /** Mounts it anew with other options. */
  remount(options: string): Promise<void>;
}

/** A disk in memory of so many kB. */
export async function smallDisk(kilobytes: number): Promise<MountedDisk> {
  return mounted(['-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'storefront-test']);
}

/** Mounts the file at `path` over itself, as a container does that is given a single file; until the test ends. */
export async function mountAlone(path: string): Promise<void> {
  await exec('mount', ['--bind', path, path]);
  onTestFinished(async () => void (await exec('umount', ['--lazy', path])));
}

/** A disk whose power can be cut: ext4 in a file, over a loop device. */
export interface LoopDisk extends MountedDisk {
  /** What a disk holds whose power is cut now: a copy of it, mounted, by its folder. What wasn't given to the disk yet isn't there. */
  powerCut(): Promise<string>;
}

const IMAGE_BYTES = 16 * 1024 * 1024;

export async function loopDisk(): Promise<LoopDisk> {
  const place = await tempFolder();
  const image = join(place, 'disk.img');
  await writeFile(image, '');
  await truncate(image, IMAGE_BYTES);
  await exec('mkfs.ext4', ['-q', '-F', image]);
  const disk = await mounted(['-o', 'loop', image]);
  let cuts = 0;
  return {
    ...disk,
    async powerCut() {
      const copy = join(place, `cut-${++cuts}.img`);
      await copyFile(image, copy);
      return (await mounted(['-o', 'loop', copy])).folder;
    },
  };
}

async function mounted(what: readonly string[]): Promise<MountedDisk> {
  const folder = join(await tempFolder(), 'disk');
  await mkdir(folder);
  await exec('mount', [...what, folder]);
  // Lazily, since what a failed test has left open would keep it.
  onTestFinished(async () => void (await exec('umount', ['--lazy', folder])));
  return {
    folder,
    async remount(options) {
      await exec('mount', ['-o', `remount,${options}`, folder]);
    },
  };
}
