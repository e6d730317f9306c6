import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createStorefront } from '../../src/index.ts';
import { startProgram } from '../support/harness/start-program.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';
import { tempFolder } from '../support/harness/temp-folder.ts';

describe('the lock of a data file', () => {
  it('is free immediately after kill -9', async (test) => {
    const data = join(await tempFolder(), 'db.json');
    const program = await startProgram(test, ['--port', '0', '--data', data]);
    const url = await program.url();
    const { pid } = program.child;
    await expect(createStorefront({ data })).rejects.toThrow(`${data} is in use by process ${pid} at ${url}.`);
    program.child.kill('SIGKILL');
    await program.ended;
    await startStorefront({ data });
  });

  it('is reported if the process that holds it is stopped', async (test) => {
    const data = join(await tempFolder(), 'db.json');
    const program = await startProgram(test, ['--port', '0', '--data', data]);
    await program.url();
    program.child.kill('SIGSTOP');
    await expect(createStorefront({ data })).rejects.toThrow(`${data} is in use by a process that does not respond. `);
  });

  it('is held by one of two programs that start at once without a data file', async (test) => {
    const data = join(await tempFolder(), 'db.json');
    const args = ['--port', '0', '--data', data];
    const programs = await Promise.all([startProgram(test, args), startProgram(test, args)]);
    const loser = await Promise.race(programs.map((program) => program.ended.then(() => program)));
    const winner = programs.find((program) => program !== loser);
    expect(await loser.ended).toEqual({ code: 1, signal: null });
    expect(loser.stderr()).toMatch(new RegExp(`^storefront: \\S+ is in use by process ${winner?.child.pid}\\b.*\n$`));
    expect((await fetch(`${await winner?.url()}/api/orders`)).status).toBe(200);
  });
});
