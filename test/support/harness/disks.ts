import { execFile, execFileSync } from 'node:child_process';
import { copyFile, mkdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { tempFolder } from './temp-folder.ts';

const exec = promisify(execFile);

/** The reason why tests can't mount disks on this machine. Undefined if tests can mount disks. */
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

/** A disk that is mounted at a folder for one test. */
export interface MountedDisk {
  readonly folder: string;
  /** Changes the mount options of the disk, for example to `ro`. */
  remount(options: string): Promise<void>;
}

/** Mounts a disk in memory (tmpfs) for one test. `kilobytes`: the size of the disk. */
export async function mountSmallDisk(kilobytes: number): Promise<MountedDisk> {
  return mounted(['-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'storefront-test']);
}

/** Mounts a file over itself until the test ends, as a container does with a single mounted file. */
export async function bindMount(path: string): Promise<void> {
  await exec('mount', ['--bind', path, path]);
  onTestFinished(async () => void (await exec('umount', ['--lazy', path])));
}

/** An ext4 disk in a file, mounted with a loop device. A test can simulate a power cut. */
export interface LoopDisk extends MountedDisk {
  /** Simulates a power cut: mounts a copy of the disk without the data that has not been written to the disk yet. Returns the folder of the copy. */
  powerCut(): Promise<string>;
}

const IMAGE_BYTES = 16 * 1024 * 1024;

/** Creates an ext4 disk of 16 MiB in a file, and mounts it for one test. */
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
  // `--lazy`, because a failed test may have left files open.
  onTestFinished(async () => void (await exec('umount', ['--lazy', folder])));
  return {
    folder,
    async remount(options) {
      await exec('mount', ['-o', `remount,${options}`, folder]);
    },
  };
}
