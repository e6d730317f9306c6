import { execFile, execFileSync } from 'node:child_process';
import { copyFile, mkdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { tempFolder } from './temp-folder.ts';

const exec = promisify(execFile);

/** The reason why disks cannot be mounted here, or undefined if they can. */
export const mountsUnavailable: string | undefined = reasonAgainstMounts();

function reasonAgainstMounts(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'NOT RUN: mounting disks needs Linux and root';
  try {
    execFileSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt'], { stdio: 'pipe' });
    return undefined;
  } catch (error) {
    return `NOT RUN: this machine mounts no disks (${(error as Error).message.trim().replaceAll('\n', ' ')})`;
  }
}

/** A disk for one test, mounted at a folder. */
export interface MountedDisk {
  readonly folder: string;
  /** Mounts the disk again with other options. */
  remount(options: string): Promise<void>;
}

/** Creates a disk in memory of this size in kB. */
export async function mountSmallDisk(kilobytes: number): Promise<MountedDisk> {
  return mounted(['-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'storefront-test']);
}

/** Mounts the file at `path` over itself until the test ends, like a single file in a container. */
export async function bindMount(path: string): Promise<void> {
  await exec('mount', ['--bind', path, path]);
  onTestFinished(async () => void (await exec('umount', ['--lazy', path])));
}

/** Creates a disk whose power can be cut: ext4 in a file, over a loop device. */
export interface LoopDisk extends MountedDisk {
  /** Mounts a copy of the disk as it is now, without data that is not yet written to it, and returns its folder. */
  powerCut(): Promise<string>;
}

const IMAGE_BYTES = 16 * 1024 * 1024;

export async function mountLoopDisk(): Promise<LoopDisk> {
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
  // Lazily, because a failed test may have left files open.
  onTestFinished(async () => void (await exec('umount', ['--lazy', folder])));
  return {
    folder,
    async remount(options) {
      await exec('mount', ['-o', `remount,${options}`, folder]);
    },
  };
}
