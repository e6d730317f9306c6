import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** An installation of PostgreSQL on this machine. */
export interface Installation {
  /** The folder that contains the programs of PostgreSQL, such as `initdb`. */
  readonly programs: string;
  /** The user that runs the programs. Empty for the user of this process. */
  readonly user: { readonly uid?: number; readonly gid?: number };
}

/** The folder in which Debian installs all versions of PostgreSQL. */
const DEBIAN_FOLDER = '/usr/lib/postgresql';

/** Returns the newest installed version of PostgreSQL. Throws an error that says what to install if PostgreSQL is not installed. */
export function findInstallation(): Installation {
  const versions = existsSync(DEBIAN_FOLDER) ? readdirSync(DEBIAN_FOLDER) : [];
  const newest = versions
    .sort((one, other) => Number(other) - Number(one))
    .map((one) => join(DEBIAN_FOLDER, one, 'bin'));
  const inPath = (process.env.PATH ?? '').split(':');
  const programs = [...newest, ...inPath].find((folder) => existsSync(join(folder, 'initdb')));
  if (programs === undefined)
    throw new Error('These tests need PostgreSQL, which is not installed: run apt-get install postgresql.');
  return { programs, user: findUser() };
}

/** Returns the user `postgres` if this process runs as root, because PostgreSQL does not run as root. Otherwise returns an empty object. */
function findUser(): Installation['user'] {
  if (process.getuid?.() !== 0) return {};
  const getId = (option: string) => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }));
  return { uid: getId('-u'), gid: getId('-g') };
}
