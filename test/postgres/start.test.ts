import { readdirSync } from 'node:fs';
import { cp, mkdir, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { createStorefront } from '../../src/index.ts';
import { startProgram } from '../support/harness/start-program.ts';
import { tempFolder } from '../support/harness/temp-folder.ts';
import { PASSWORD } from '../support/postgres/cluster.ts';
import { createDatabaseOptions, runSql, startServers } from '../support/postgres/servers.ts';

/** Returns the URL of the database of all tests with other parts. */
function changeUrl(changes: Partial<URL>): string {
  return Object.assign(new URL(inject('databaseUrl')), changes).href;
}

describe('servers with an empty database', () => {
  it('can start at once, ten of them', async () => {
    const servers = await startServers(10);
    await servers[9]?.ask('POST', '/api/orders');
    for (const { ask } of servers) expect((await ask('GET', '/api/orders')).body).toHaveLength(3);
  });

  it('have separate states with separate schemas', async () => {
    const [one] = await startServers(2);
    const [other] = await startServers(2);
    await one.ask('POST', '/api/orders');
    expect((await other.ask('GET', '/api/orders')).body).toHaveLength(2);
  });
});

describe('a server with a database', () => {
  it.each<readonly [problem: string, database: () => string, message: RegExp]>([
    [
      'a URL of another program',
      () => 'mysql://localhost/shop',
      /^--database is not a URL of PostgreSQL: use postgres:/,
    ],
    ['an incomplete URL', () => `postgres://user:${PASSWORD}@:x/shop`, /^--database is not a URL of PostgreSQL/],
    ['a wrong password', () => changeUrl({ password: 'other' }), /password authentication failed for user "postgres"/],
    ['a missing database', () => changeUrl({ pathname: '/none' }), /database "none" does not exist/],
    [
      'a port without a server',
      () => changeUrl({ port: '9' }),
      /connect ECONNREFUSED 127.0.0.1:9.*Check that the database runs/,
    ],
    ['an unknown host', () => changeUrl({ hostname: 'none.invalid' }), /none\.invalid/],
  ])('does not start with %s, and says why', async (_, database, message) => {
    const error = await createStorefront({ database: database() }).catch((reason: Error) => reason);
    expect(error).toBeInstanceOf(Error);
    expect((error as Error).message).toMatch(message);
    expect((error as Error).message).not.toContain(PASSWORD);
  });

  it('does not start with an invalid name of a schema', async () => {
    const starting = createStorefront({ database: inject('databaseUrl'), databaseSchema: 'a"b' });
    await expect(starting).rejects.toThrow('--database-schema "a\\"b" is invalid');
  });

  it('does not start with the tables of a newer version', async () => {
    const options = createDatabaseOptions();
    await startServers(2, options);
    await runSql(inject('databaseUrl'), `INSERT INTO ${options.databaseSchema}.versions VALUES (99)`);
    await expect(createStorefront(options)).rejects.toThrow('have version 99, which a newer storefront has created');
  });

  it('does not start with tables of another program, and leaves them as they are', async () => {
    const { database, databaseSchema } = createDatabaseOptions();
    await runSql(database, `CREATE SCHEMA ${databaseSchema}; CREATE TABLE ${databaseSchema}.lists (name text)`);
    await expect(createStorefront({ database, databaseSchema })).rejects.toThrow(
      'has only some of the tables that storefront needs: lists. Restore the missing tables, delete these tables, or use another schema',
    );
    expect(await runSql(database, `SELECT name FROM ${databaseSchema}.lists`)).toEqual([]);
  });

  it('starts with the data of tables whose versions were deleted', async () => {
    const options = createDatabaseOptions();
    const [one] = await startServers(2, options);
    await one.ask('POST', '/api/orders');
    await runSql(options.database, `TRUNCATE ${options.databaseSchema}.versions`);
    const [late] = await startServers(2, options);
    expect((await late.ask('GET', '/api/orders')).body).toHaveLength(3);
  });

  it('does not start as a user who may not create the tables, and says what to do', async () => {
    const user = `user_${createDatabaseOptions().databaseSchema}`;
    await runSql(inject('databaseUrl'), `CREATE ROLE ${user} LOGIN PASSWORD 'other'`);
    const database = changeUrl({ username: user, password: 'other' });
    await expect(createStorefront({ ...createDatabaseOptions(), database })).rejects.toThrow(
      /the user may not create them \(permission denied .*run storefront migrate with a user who may\./,
    );
  });

  it('can use tables that exist, as a user who may create none', async () => {
    const options = createDatabaseOptions();
    const { databaseSchema: schema } = options;
    await startServers(2, options);
    await runSql(
      inject('databaseUrl'),
      `CREATE ROLE user_${schema} LOGIN PASSWORD 'other'; GRANT USAGE ON SCHEMA ${schema} TO user_${schema};
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO user_${schema}`,
    );
    const database = changeUrl({ username: `user_${schema}`, password: 'other' });
    const [server] = await startServers(2, { ...options, database });
    expect((await server.ask('POST', '/api/orders')).status).toBe(201);
  });

  it.each([
    ['SELECT', 'servers'],
    ['SELECT, INSERT', 'servers'],
  ])('does not start as a user who has only the rights %s, and says which are missing', async (rights, table) => {
    const options = createDatabaseOptions();
    const { databaseSchema: schema } = options;
    await startServers(2, options);
    await runSql(
      inject('databaseUrl'),
      `CREATE ROLE user_${schema} LOGIN PASSWORD 'other'; GRANT USAGE ON SCHEMA ${schema} TO user_${schema};
      GRANT ${rights} ON ALL TABLES IN SCHEMA ${schema} TO user_${schema}`,
    );
    const args = ['--port', '0', '--database-schema', schema];
    const { ended, stderr } = await startProgram({ onTestFinished }, args, {
      environment: { DATABASE_URL: changeUrl({ username: `user_${schema}`, password: 'other' }) },
    });
    expect((await ended).code).toBe(1);
    expect(stderr()).toContain(`can't be used: permission denied for table ${table}. Give the user the rights`);
    expect(stderr()).not.toContain('unhandled');
  });

  it('can be closed twice', async () => {
    const server = await createStorefront(createDatabaseOptions());
    await server.close();
    await server.close();
  });
});

describe('the program with a database', () => {
  it('exits with a message without the password if the database does not exist', async () => {
    const { ended, stdout, stderr } = await startProgram({ onTestFinished }, ['--port', '0'], {
      environment: { DATABASE_URL: changeUrl({ pathname: '/none' }) },
    });
    expect((await ended).code).toBe(1);
    expect(stderr() + stdout()).toContain('database "none" does not exist');
    expect(stderr() + stdout()).not.toContain(PASSWORD);
  });

  it('exits if its port is in use', async () => {
    const { database, databaseSchema } = createDatabaseOptions();
    const [{ port }] = await startServers(2);
    const args = ['--port', String(port), '--database', database, '--database-schema', databaseSchema];
    const { ended, stdout, stderr } = await startProgram({ onTestFinished }, args);
    expect((await ended).code).toBe(1);
    expect(stdout() + stderr()).toContain('in use');
  });

  it('says how to install the package pg if it is missing', async () => {
    const folder = await tempFolder();
    for (const name of ['node_modules', 'src']) await mkdir(join(folder, name));
    const packages = readdirSync('node_modules').filter((name) => name !== 'pg');
    const links = ['package.json', 'openapi.yaml', 'db.json.default', 'src/control'];
    for (const name of [...links, ...packages.map((one) => join('node_modules', one))])
      await symlink(resolve(name), join(folder, name));
    await cp('dist', join(folder, 'dist'), { recursive: true });
    const args = ['--database', inject('databaseUrl')];
    const { ended, stdout, stderr } = await startProgram({ onTestFinished }, args, {
      program: join(folder, 'dist/main.js'),
    });
    expect((await ended).code).toBe(1);
    expect(stdout() + stderr()).toContain('needs the package pg, which is not installed: run npm install pg.');
    expect(stdout() + stderr()).not.toContain(PASSWORD);
  });
});
