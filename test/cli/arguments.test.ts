import { describe, expect, it } from 'vitest';
import { type ParsedCommand, readCommandLine } from '../../src/cli/options.ts';
import { projectFile } from '../support/fixtures/default-data.ts';

function read(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  isTerminal = false,
): ParsedCommand {
  return readCommandLine({ args, environment, isTerminal, version: '1.2.3' });
}

/** Returns the server options that a command line is parsed to. */
function options(...input: Parameters<typeof read>): object {
  const command = read(...input);
  if (command.kind !== 'serve') throw new Error(`${input[0].join(' ')} starts no server: ${JSON.stringify(command)}`);
  return command.options;
}

describe('readCommandLine', () => {
  it('uses port 3000, db.json and a JSON log by default', () => {
    expect(options([])).toEqual({
      port: 3000,
      data: 'db.json',
      durability: 'disk',
      verify: 'log',
      sandboxes: 'any',
      control: true,
      log: 'json',
    });
  });

  it('uses a pretty log on a terminal unless --log has another format', () => {
    expect(options([], {}, true)).toMatchObject({ log: 'pretty' });
    expect(options(['--log', 'json'], {}, true)).toMatchObject({ log: 'json' });
  });

  it('parses every option of the server', () => {
    const folder = projectFile('images');
    const args = `--port 0 --host ::1 --data a.json --durability memory --default-data b.json --synonyms s.json --static ${folder} --strict --contract c.yaml --mock a,b --handlers h.mjs --verify strict --sandboxes declared --snapshots ${folder} --no-control --control-token abc --auth a,b=read+write --allow-host shop,.web.test --allow-host=* --allow-origin https://*.a.test,null --allow-origin http://[::1]:80/ --log off --max-streams 9`;
    expect(options(args.split(' '))).toEqual({
      port: 0,
      host: '::1',
      data: 'a.json',
      durability: 'memory',
      defaultData: 'b.json',
      synonyms: 's.json',
      static: folder,
      strict: true,
      contract: 'c.yaml',
      mock: ['a', 'b'],
      handlers: 'h.mjs',
      verify: 'strict',
      sandboxes: 'declared',
      snapshots: folder,
      control: false,
      controlToken: 'abc',
      auth: ['a', 'b=read+write'],
      allowHost: ['shop', '.web.test', '*'],
      allowOrigin: ['https://*.a.test', 'null', 'http://[::1]:80/'],
      log: 'off',
      maxStreams: 9,
    });
  });

  it('uses a file without an option as the contract', () => {
    expect(options(['--port', '0', 'a/openapi.yaml'])).toMatchObject({ port: 0, contract: 'a/openapi.yaml' });
    const refused = [['a.json', 'b.json'], ['a.yml', '--contract', 'b.yml'], ['openapi']];
    for (const args of refused) expect(read(args)).toMatchObject({ kind: 'refuse' });
  });

  it.each([
    [{}, [], 'http://localhost:3000'],
    [{ PORT: '4000' }, [], 'http://localhost:4000'],
    [{ PORT: '4000', STOREFRONT_URL: 'http://a.test/' }, [], 'http://a.test'],
    [{ STOREFRONT_URL: 'http://a.test' }, ['--url', 'http://localhost:3000'], 'http://localhost:3000'],
  ])(
    'sends the requests of commands to the server of the environment %j and the options %j',
    (environment, args, url) => {
      for (const command of ['reset', 'faults'])
        expect(read([command, ...args], environment)).toMatchObject({ kind: 'control', options: { url } });
    },
  );

  it('refuses an invalid address in the environment', () => {
    const reason = expect.stringContaining('The environment variable STOREFRONT_URL is "a"');
    expect(read(['reset'], { STOREFRONT_URL: 'a' })).toMatchObject({ kind: 'refuse', reason });
  });

  it('parses the modes of --auth', () => {
    expect(options(['--auth', 'off'])).toMatchObject({ auth: 'off' });
    expect(options(['--auth', 'form'])).toMatchObject({ auth: 'form' });
    expect(options(['--auth', 'Bearer'])).toMatchObject({ auth: ['Bearer'] });
    expect(read(['--auth', 'a,,b'])).toMatchObject({ kind: 'refuse', reason: expect.stringContaining('tokens') });
    for (const text of ['a=@', 'a,b=read+@'])
      expect(read(['--auth', text])).toMatchObject({ kind: 'refuse', reason: expect.stringContaining('TOKEN=@ann') });
    expect(options(['--auth', 'a=b=@x@'])).toMatchObject({ auth: ['a=b=@x@'] });
  });

  it('reads PORT from the environment unless --port is passed', () => {
    expect(options([], { PORT: '8080' })).toMatchObject({ port: 8080 });
    expect(options([], { PORT: '' })).toMatchObject({ port: 3000 });
    expect(options(['--port', '9090'], { PORT: '8080' })).toMatchObject({ port: 9090 });
    expect(options(['--port=9090'], { PORT: '8080' })).toMatchObject({ port: 9090 });
  });

  it('reads HOST from the environment unless --host is passed', () => {
    expect(options([], { HOST: '0.0.0.0' })).toMatchObject({ host: '0.0.0.0' });
    expect(options(['--host', '::1'], { HOST: '0.0.0.0' })).toMatchObject({ host: '::1' });
    expect(options([], { HOST: '' })).not.toHaveProperty('host');
  });

  it('ignores an invalid PORT if --port or --help is passed', () => {
    expect(read(['--help'], { PORT: 'none' }).kind).toBe('print');
    expect(options(['--port', '9090'], { PORT: 'none' })).toMatchObject({ port: 9090 });
  });
});

describe('--help', () => {
  it.each(['--help', '-h'])('%s lists every option', (flag) => {
    const command = read([flag]);
    expect(command.kind).toBe('print');
    const text = command.kind === 'print' ? command.text : '';
    for (const option of [
      'port',
      'host',
      'data',
      'durability',
      'default-data',
      'static',
      'strict',
      'log',
      'version',
      'help',
    ])
      expect(text).toMatch(new RegExp(`^  (-\\w, )?--${option}\\b`, 'm'));
  });
});

describe('--version', () => {
  it.each(['--version', '-V'])('%s prints the version of the package', (flag) => {
    expect(read([flag])).toEqual({ kind: 'print', text: '1.2.3\n' });
  });
});

describe('an invalid command line', () => {
  it.each([
    [['--port', 'http'], 'http'],
    [['--port', '-1'], '-1'],
    [['--port', '65536'], '65536'],
    [['--port', '80.5'], '80.5'],
    [['--port', '1e3'], '1e3'],
    [['--port', '0x50'], '0x50'],
    [['--port', ''], '--port'],
    [['--port'], '--port'],
    [['--prot', '3000'], '--port'],
    [['--nonsense'], '--nonsense'],
    [['extra'], 'Unknown command "extra"'],
    [['check', 'http://localhost:1', 'extra'], 'argument'],
    [['--log', 'loud'], 'pretty, json, off'],
    [['--static', '/no/such/folder'], 'existing folder'],
    [['--static', projectFile('package.json')], 'existing folder'],
    [['--data', ''], '--data'],
    [['--data', ' '], '--data'],
    [['--default-data', ''], '--default-data'],
    [['--host', ''], '--host'],
    [['--allow-host', 'http://shop.test'], 'without a port'],
    [['--allow-host', 'shop,'], 'without a port'],
    [['--allow-origin', 'shop.test'], 'https://shop.example'],
    [['--allow-origin', 'https://shop.test/path'], 'https://shop.example'],
    [['--allow-origin', 'https://a.*.test'], 'Use * only before a domain, as in https://*.shop.example'],
    [['--allow-origin', 'https://*'], 'Use * only before a domain'],
    [['--allow-origin', ''], 'https://shop.example'],
  ])('is refused with a reason of one line: %j', (args, part) => {
    const command = read(args);
    expect(command).toEqual({ kind: 'refuse', reason: expect.stringContaining(part) });
    expect(command).not.toEqual({ kind: 'refuse', reason: expect.stringContaining('\n') });
  });

  it('is refused with the name and value of PORT if that is invalid', () => {
    expect(read([], { PORT: 'none' })).toEqual({
      kind: 'refuse',
      reason: expect.stringMatching(/\bPORT\b.*none|none.*\bPORT\b/),
    });
  });
});

describe('--allow-refs', () => {
  const read = (args: readonly string[], environment = {}) =>
    readCommandLine({ args, environment, isTerminal: false, version: '1' });

  it.each<readonly [args: readonly string[], environment: object, expected: readonly string[]]>([
    [['--allow-refs', 'a, b', '--allow-refs', 'c'], {}, ['a', 'b', 'c']],
    [[], { STOREFRONT_ALLOW_REFS: 'a,b' }, ['a', 'b']],
    [['--allow-refs', 'c'], { STOREFRONT_ALLOW_REFS: 'a,b' }, ['c']],
    [['explain', 'x.yaml', '--allow-refs', 'a'], {}, ['a']],
    [['--allow-refs', 'a', 'explain', 'x.yaml'], {}, ['a']],
    [['explain', 'x.yaml'], { STOREFRONT_ALLOW_REFS: 'a' }, ['a']],
    [['repair', '--contract', 'x.yaml', '--allow-refs', 'a'], {}, ['a']],
    [['check', 'http://localhost:1', '--contract', 'x.yaml', '--allow-refs', 'a'], {}, ['a']],
    [['check', 'http://localhost:1', '--contract', 'x.yaml'], { STOREFRONT_ALLOW_REFS: 'a' }, ['a']],
  ])('is read from %j and the environment %j', (args, environment, expected) => {
    expect(read(args, environment)).toMatchObject({ options: { allowRefs: expected } });
  });

  it('refuses an empty path, also in the environment', () => {
    expect(read(['--allow-refs', 'a,,b'])).toMatchObject({ kind: 'refuse' });
    expect(read([], { STOREFRONT_ALLOW_REFS: 'a,,b' })).toMatchObject({
      kind: 'refuse',
      reason: expect.stringContaining('STOREFRONT_ALLOW_REFS'),
    });
  });
});

describe('a hosting platform', () => {
  it.each<[environment: Record<string, string>, hosts: readonly string[]]>([
    [{ RENDER_EXTERNAL_HOSTNAME: 'shop.onrender.com' }, ['shop.onrender.com']],
    [{ RAILWAY_PUBLIC_DOMAIN: 'shop.up.railway.app' }, ['shop.up.railway.app']],
    [{ FLY_APP_NAME: 'my-shop' }, ['my-shop.fly.dev']],
    [{ STOREFRONT_ALLOW_HOST: 'a.test,b.test', FLY_APP_NAME: 'c' }, ['a.test', 'b.test', 'c.fly.dev']],
  ])('states its host name: %j', (environment, allowHost) => {
    expect(read([], environment)).toMatchObject({ kind: 'serve', options: { allowHost } });
  });

  it('can state the origins of a front end at another address', () => {
    const readOrigins = (value: string) => read([], { STOREFRONT_ALLOW_ORIGIN: value });
    expect(readOrigins('https://a.test,https://*.b.test')).toMatchObject({
      options: { allowOrigin: ['https://a.test', 'https://*.b.test'] },
    });
    expect(readOrigins('a.test')).toMatchObject({
      kind: 'refuse',
      reason: expect.stringContaining('STOREFRONT_ALLOW_ORIGIN'),
    });
  });

  it('has no effect on a machine without one', () => {
    const command = read([], {});
    expect('options' in command && 'allowHost' in command.options).toBe(false);
  });
});

it('The folder of a front end can be in the environment', () => {
  expect(read([], { STATIC: 'docs' })).toMatchObject({ options: { static: 'docs' } });
  expect(read([], { STATIC: 'none' })).toMatchObject({ kind: 'refuse', reason: expect.stringContaining('STATIC') });
});
