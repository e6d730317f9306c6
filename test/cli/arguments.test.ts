import { describe, expect, it } from 'vitest';
import { type Request, readCommandLine } from '../../src/cli/options.ts';
import { projectFile } from '../support/fixtures/default-data.ts';

function read(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  isTerminal = false,
): Request {
  return readCommandLine({ args, environment, isTerminal, version: '1.2.3' });
}

/** The options that a command line gives. */
function options(...given: Parameters<typeof read>): object {
  const request = read(...given);
  if (request.kind !== 'run') throw new Error(`${given[0].join(' ')} is not run: ${JSON.stringify(request)}`);
  return request.options;
}

describe('a command line', () => {
  it('without anything means port 3000, db.json here, and lines of JSON', () => {
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

  it('means lines for people on a terminal', () => {
    expect(options([], {}, true)).toMatchObject({ log: 'pretty' });
    expect(options(['--log', 'json'], {}, true)).toMatchObject({ log: 'json' });
  });

  it('has every option', () => {
    const folder = projectFile('images');
    const args = `--port 0 --host ::1 --data a.json --durability os --default-data b.json --static ${folder} --strict --contract c.yaml --mock a,b --handlers h.mjs --verify strict --sandboxes declared --snapshots ${folder} --no-control --control-token abc --allow-host shop,.web.test --allow-host=* --allow-origin https://a.test,null --allow-origin http://[::1]:80/ --log off`;
    expect(options(args.split(' '))).toEqual({
      port: 0,
      host: '::1',
      data: 'a.json',
      durability: 'os',
      defaultData: 'b.json',
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
      allowHost: ['shop', '.web.test', '*'],
      allowOrigin: ['https://a.test', 'null', 'http://[::1]:80/'],
      log: 'off',
    });
  });

  it('takes PORT of the environment, and --port before that', () => {
    expect(options([], { PORT: '8080' })).toMatchObject({ port: 8080 });
    expect(options([], { PORT: '' })).toMatchObject({ port: 3000 });
    expect(options(['--port', '9090'], { PORT: '8080' })).toMatchObject({ port: 9090 });
    expect(options(['--port=9090'], { PORT: '8080' })).toMatchObject({ port: 9090 });
  });

  it('is not spoilt by a PORT that --port or --help make needless', () => {
    expect(read(['--help'], { PORT: 'none' }).kind).toBe('print');
    expect(options(['--port', '9090'], { PORT: 'none' })).toMatchObject({ port: 9090 });
  });
});

describe('--help', () => {
  it.each(['--help', '-h'])('names every option: %s', (flag) => {
    const request = read([flag]);
    expect(request.kind).toBe('print');
    const text = request.kind === 'print' ? request.text : '';
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
  it.each(['--version', '-V'])('is printed: %s', (flag) => {
    expect(read([flag])).toEqual({ kind: 'print', text: '1.2.3\n' });
  });
});

describe('a command line that makes no sense', () => {
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
    [['extra'], 'unknown command "extra"'],
    [['check', 'http://localhost:1', 'extra'], 'argument'],
    [['--log', 'loud'], 'pretty, json, off'],
    [['--static', '/no/such/folder'], 'no such folder'],
    [['--static', projectFile('package.json')], 'no such folder'],
    [['--data', ''], '--data'],
    [['--data', ' '], '--data'],
    [['--default-data', ''], '--default-data'],
    [['--host', ''], '--host'],
    [['--allow-host', 'http://shop.test'], 'without a port'],
    [['--allow-host', 'shop,'], 'without a port'],
    [['--allow-origin', 'shop.test'], 'https://shop.example'],
    [['--allow-origin', 'https://shop.test/path'], 'https://shop.example'],
    [['--allow-origin', 'https://*.a.test'], 'in full'],
    [['--allow-origin', ''], 'https://shop.example'],
  ])('is refused with one line that says what is wrong: %j', (args, said) => {
    const request = read(args);
    expect(request).toEqual({ kind: 'refuse', reason: expect.stringContaining(said) });
    expect(request).not.toEqual({ kind: 'refuse', reason: expect.stringContaining('\n') });
  });

  it('is refused with the name of PORT where that is what is wrong', () => {
    expect(read([], { PORT: 'none' })).toEqual({
      kind: 'refuse',
      reason: expect.stringMatching(/\bPORT\b.*none|none.*\bPORT\b/),
    });
  });
});
