import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { acquireSocketLock, type DataFileLockedError } from '../../src/store/lock.ts';
import { tempFolder } from '../support/harness/temp-folder.ts';

describe('a lock with a socket file', () => {
  const place = async () => join(await tempFolder(), 'lock');
  const owner = { address: () => 'http://127.0.0.1:3000', isCurrent: () => true };

  it('has one owner at a time and leaves no file', async () => {
    const at = await place();
    const release = await acquireSocketLock(at, owner);
    await expect(acquireSocketLock(at, owner)).rejects.toThrow(`process ${process.pid} at http://127.0.0.1:3000`);
    await release();
    await (await acquireSocketLock(at, owner))();
    await expect(stat(at)).rejects.toThrow('ENOENT');
  });

  it('says that its owner is starting or stopping if the owner has no URL', async () => {
    const at = await place();
    const release = await acquireSocketLock(at, { ...owner, address: () => undefined });
    onTestFinished(release);
    const refused: DataFileLockedError = await acquireSocketLock(at, owner).then(
      () => expect.fail('locked twice'),
      (reason) => reason,
    );
    expect(refused).toMatchObject({
      name: 'DataFileLockedError',
      owner: `process ${process.pid}, which is starting or stopping`,
    });
  });

  it('is acquired after its owner is killed by one of several processes', async () => {
    const at = await place();
    await killedAt(at);
    expect((await stat(at)).isSocket()).toBe(true);
    const tried = await Promise.allSettled(Array.from({ length: 8 }, () => acquireSocketLock(at, owner)));
    const had = tried.filter((attempt) => attempt.status === 'fulfilled');
    for (const { value: release } of had) onTestFinished(release);
    expect(had).toHaveLength(1);
  });

  it('is released while a client is still connected', async () => {
    const at = await place();
    const release = await acquireSocketLock(at, owner);
    const client = connect({ path: at, allowHalfOpen: true });
    onTestFinished(() => void client.destroy());
    await once(client, 'connect');
    await release();
    await (await acquireSocketLock(at, owner))();
  });

  it('is not acquired from an owner with an unknown response', async () => {
    const at = await place();
    const server = createServer((socket) => socket.end('HTTP/1.1 400 "url":"file:///etc"\x1b[31m'));
    onTestFinished(() => void server.close());
    await once(server.listen(at), 'listening');
    await expect(acquireSocketLock(at, owner)).rejects.toThrow(/^locked by a process that does not respond$/);
  });
});

/** Has a process listen at a place and be killed. */
async function killedAt(place: string): Promise<void> {
  const program = `require('node:net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`;
  const child = spawn(process.execPath, ['-e', program, place], { stdio: 'ignore' });
  await once(child, 'close');
}
