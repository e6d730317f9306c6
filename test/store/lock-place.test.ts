import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { acquire } from '../../src/store/lock.ts';
import { tempFolder } from '../support/harness/temp-folder.ts';

describe('a lock with a socket file', () => {
  const place = async () => join(await tempFolder(), 'lock');
  const owner = { path: 'db.json', address: () => 'http://127.0.0.1:3000', isCurrent: () => true };

  it('has one owner at a time and leaves no file', async () => {
    const at = await place();
    const release = await acquire(at, owner);
    await expect(acquire(at, owner)).rejects.toThrow(`process ${process.pid} at http://127.0.0.1:3000`);
    await release();
    await (await acquire(at, owner))();
    await expect(stat(at)).rejects.toThrow('ENOENT');
  });

  it('says that its owner is starting or stopping if the owner has no URL', async () => {
    const at = await place();
    const release = await acquire(at, { ...owner, address: () => undefined });
    onTestFinished(release);
    await expect(acquire(at, owner)).rejects.toThrow(
      `db.json is in use by process ${process.pid}, which is starting or stopping. Stop that process`,
    );
  });

  it('is acquired after its owner is killed by one of several processes', async () => {
    const at = await place();
    await killedAt(at);
    expect((await stat(at)).isSocket()).toBe(true);
    const tried = await Promise.allSettled(Array.from({ length: 8 }, () => acquire(at, owner)));
    const had = tried.filter((attempt) => attempt.status === 'fulfilled');
    for (const { value: release } of had) onTestFinished(release);
    expect(had).toHaveLength(1);
  });

  it('is released while a client is still connected', async () => {
    const at = await place();
    const release = await acquire(at, owner);
    const client = connect({ path: at, allowHalfOpen: true });
    onTestFinished(() => void client.destroy());
    await once(client, 'connect');
    await release();
    await (await acquire(at, owner))();
  });

  it('is acquired from an owner that closes the connection while it releases the lock', async () => {
    const at = await place();
    const server = createServer((socket) => {
      server.close();
      socket.destroy();
    });
    await once(server.listen(at), 'listening');
    await (await acquire(at, owner))();
  });

  it('is not acquired from an owner with an unknown response', async () => {
    const at = await place();
    const server = createServer((socket) => socket.end('HTTP/1.1 400 "url":"file:///etc"\x1b[31m'));
    onTestFinished(() => void server.close());
    await once(server.listen(at), 'listening');
    await expect(acquire(at, owner)).rejects.toThrow(/^db\.json is in use by a process that does not respond\. /);
  });
});

/** Starts a process that listens at a path, and kills it. */
async function killedAt(place: string): Promise<void> {
  const program = `require('node:net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`;
  const child = spawn(process.execPath, ['-e', program, place], { stdio: 'ignore' });
  await once(child, 'close');
}
