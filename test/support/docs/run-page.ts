import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { projectFile } from '../fixtures/default-data.ts';
import { type RunningCommand, runCommand, startCommand } from '../harness/commands.ts';
import { folderWith } from '../harness/folder-with.ts';
import { findFreePort } from '../harness/free-port.ts';
import { type Page, readCommands } from './pages.ts';

/** A command of a documentation page whose actual output differs from the output on the page. */
export interface Difference {
  readonly command: string;
  readonly shown: string;
  readonly actual: string;
}

/** The host and port of the server in the documentation pages. */
const SHOWN_HOST = 'localhost:3000';

/** The port of the program that receives webhooks in the documentation pages. */
const SHOWN_RECEIVER = /\b8080\b/g;

/** The maximum time to wait until the server has reloaded a changed file, in ms. */
const RELOAD_MS = 60_000;

/** The same host and port, as the server itself names it. */
const SHOWN_ADDRESS = '127.0.0.1:3000';

/** Matches a command that starts a server in the background. */
const BACKGROUND_START = /^npx storefront start --background\b/;

/** Matches a command that stops the server in the background. Later commands use a new server. */
const BACKGROUND_STOP = /^npx storefront stop\b/;

/** Matches a command that starts a server: `npx storefront` without a subcommand, or with a document. */
const SERVER_START = /^npx storefront(?= --|$| \S+\.(?:yaml|json)\b)(?!.*--(?:help|version))/;

/**
 * Runs the commands in the `console` blocks of a page, from top to bottom, in a new folder. The folder contains the files that blocks with a title show. A
 * command that starts a server first stops the previous server, and all later commands use the new server. Commands before the first start use a server
 * without options. A command that ends with `&` runs until the test ends, and so does a server in the background. The output of a start is the log until the server listens; a page can leave this output out. Returns the commands whose output differs
 * from the output on the page.
 */
export async function runPage(page: Page): Promise<Difference[]> {
  const runner = await createRunner();
  const differences: Difference[] = [];
  for (const block of page.blocks) {
    if (block.title !== undefined) await runner.writeFile(block.title, block.text);
    if (block.language !== 'console') continue;
    for (const { command, output: shown } of readCommands(block)) {
      const actual = await runner.run(command, (output) => isAsShown(output, shown));
      const isHidden = shown === '' && SERVER_START.test(command);
      if (!isHidden && !isAsShown(actual, shown)) differences.push({ command, shown, actual });
    }
  }
  return differences;
}

/** Returns whether an output equals the output on the page, except for white space. `...` on the page matches any text. */
export function isAsShown(actual: string, shown: string): boolean {
  const parts = shown.replaceAll(/\s+/g, '').split('...');
  const pattern = parts.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*');
  return new RegExp(`^${pattern}$`, 's').test(actual.replaceAll(/\s+/g, ''));
}

async function createRunner() {
  const folder = await folderWith({});
  const programs = await folderWith({});
  const receiver = String(await findFreePort());
  let url: URL | undefined;
  let server: RunningCommand | undefined;

  async function stopServer(): Promise<void> {
    server?.kill('SIGTERM');
    await server?.ended;
  }

  /** Chooses the port of a server in the background, and stops the server when the test ends. */
  async function prepareBackground(): Promise<void> {
    await stopServer();
    url = new URL(`http://localhost:${await findFreePort()}`);
    await writeShim(programs, url);
    onTestFinished(async () => {
      await runCommand('npx', ['storefront', 'stop'], { cwd: folder, programs });
    });
  }

  async function startServer(args: string): Promise<string> {
    await stopServer();
    const all = [...splitArguments(args), '--port', '0', '--log', 'pretty'];
    server = startCommand(process.execPath, [projectFile('dist/main.js'), ...all], { cwd: folder });
    const start = await server.said(/listening at (http:\/\/[^\s",]+)[^\n]*\n/);
    url = new URL(start[1] ?? '');
    await writeShim(programs, url);
    await makeRepeatable(url);
    return start.input;
  }

  return {
    async writeFile(name: string, text: string) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text.replaceAll(SHOWN_RECEIVER, receiver));
    },
    /**
     * Runs a command and returns its output. If the command changes nothing, repeats the command until the output is as expected, because the server needs
     * some time to reload a changed file, or to send a webhook.
     */
    async run(shown: string, isExpected: (output: string) => boolean): Promise<string> {
      const command = shown.replaceAll(SHOWN_RECEIVER, receiver);
      if (command.endsWith(' &')) {
        startCommand('sh', ['-c', command.replace(/ &$/, '')], { cwd: folder });
        return '';
      }
      const isBackground = BACKGROUND_START.test(command);
      if (isBackground) await prepareBackground();
      if (SERVER_START.test(command)) return startServer(command.replace(SERVER_START, ''));
      if (url === undefined) await startServer('');
      const withPort = isBackground ? `${command} --port ${url?.port}` : command;
      const line = withPort.replaceAll(SHOWN_HOST, `localhost:${url?.port}`).replace(/^curl /, 'curl -sS ');
      const latest = performance.now() + (isRead(command) ? RELOAD_MS : 0);
      for (;;) {
        const { output } = await runCommand('sh', ['-c', line], { cwd: folder, programs });
        const actual = output
          .replaceAll(`localhost:${url?.port}`, SHOWN_HOST)
          .replaceAll(`127.0.0.1:${url?.port}`, SHOWN_ADDRESS);
        if (!isExpected(actual) && performance.now() < latest) continue;
        if (BACKGROUND_STOP.test(command)) url = undefined;
        return actual;
      }
    },
  };
}

/**
 * Freezes the clock of the sandbox `default` and sets the seed of its id generator, so that the output is the same in each run. Has no effect if the control
 * API is disabled.
 */
async function makeRepeatable(url: URL): Promise<void> {
  const put = (path: string, body: unknown) =>
    fetch(new URL(`/_control/sandboxes/default/${path}`, url), {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  await put('clock', { now: '2025-06-01T12:00:00Z', frozen: true });
  await put('ids', { seed: 1 });
}

/** Returns whether a command is a request or a command that changes nothing. */
function isRead(command: string): boolean {
  if (/^(cat|npx storefront webhook deliveries) /.test(command)) return true;
  return command.startsWith('curl ') && !/ (-X|-d|--data|--request)/.test(command);
}

/** Splits a command line into its arguments. An argument in quotes can contain spaces. */
function splitArguments(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map((match) => match[1] ?? match[2] ?? match[3] ?? '');
}

/** Writes a program `npx` that runs the built storefront. For commands that use the control API, it adds the option `--url` with the address of the server. */
async function writeShim(programs: string, url: URL): Promise<void> {
  const script = `#!/bin/sh
[ "$1" = storefront ] || { echo "unexpected: npx $*" >&2; exit 127; }
shift
case "$1" in
  check | diff | explain | types | repair | migrate | start | status | logs | restart | stop | skill | -*) ;;
  *) case " $* " in *" --help "* | *" --url "*) ;; *) set -- "$@" --url ${url.origin} ;; esac ;;
esac
exec '${process.execPath}' '${projectFile('dist/main.js')}' "$@"
`;
  await writeFile(join(programs, 'npx'), script);
  await chmod(join(programs, 'npx'), 0o755);
}
