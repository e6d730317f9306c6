import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { projectFile } from '../fixtures/default-data.ts';
import { type RunningCommand, runCommand, startCommand } from '../harness/commands.ts';
import { folderWith } from '../harness/folder-with.ts';
import { type Page, readCommands } from './pages.ts';

/** A command of a page whose output is not as shown. */
export interface Difference {
  readonly command: string;
  readonly shown: string;
  readonly actual: string;
}

/** The address of the server in the pages. */
const SHOWN_HOST = 'localhost:3000';

/** The time limit for the reload of a file that a command changed, in ms. */
const RELOAD_MS = 60_000;

/** `npx storefront` without a command starts a server. */
const SERVER_START = /^npx storefront(?= --|$)(?!.*--(?:help|version))/;

/**
 * Runs the commands of the `console` blocks of a page from top to bottom in a new folder that has the files of the blocks with a title. A command that
 * starts a server stops the one before it, and the commands after it use the new one; those before the first start use a server without options. The output
 * of a start is its log until the server is ready, and need not be shown. Returns the commands whose output is not as shown.
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

/** Whether an output is as shown, apart from white space. In what is shown `...` stands for any text. */
export function isAsShown(actual: string, shown: string): boolean {
  const parts = shown.replaceAll(/\s+/g, '').split('...');
  const pattern = parts.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*');
  return new RegExp(`^${pattern}$`, 's').test(actual.replaceAll(/\s+/g, ''));
}

async function createRunner() {
  const folder = await folderWith({});
  const programs = await folderWith({});
  let url: URL | undefined;
  let server: RunningCommand | undefined;

  async function startServer(args: string): Promise<string> {
    server?.kill('SIGTERM');
    await server?.ended;
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
      await writeFile(join(folder, name), text);
    },
    /** Runs a command. A request that reads is repeated until its output is as expected: the server needs a moment to reload a file. */
    async run(command: string, isExpected: (output: string) => boolean): Promise<string> {
      if (SERVER_START.test(command)) return startServer(command.replace(SERVER_START, ''));
      if (url === undefined) await startServer('');
      const line = command.replaceAll(SHOWN_HOST, `localhost:${url?.port}`).replace(/^curl /, 'curl -sS ');
      const latest = performance.now() + (isRead(command) ? RELOAD_MS : 0);
      for (;;) {
        const { output } = await runCommand('sh', ['-c', line], { cwd: folder, programs });
        const actual = output.replaceAll(`localhost:${url?.port}`, SHOWN_HOST);
        if (isExpected(actual) || performance.now() > latest) return actual;
      }
    },
  };
}

/** Freezes the clock of the sandbox `default` and seeds its ids, so that the pages can show them. Without a control API both stay as they are. */
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

/** Whether a command is a request that changes nothing. */
function isRead(command: string): boolean {
  return command.startsWith('curl ') && !/ (-X|-d|--data|--request)/.test(command);
}

/** Splits the arguments of a command line; quotes keep spaces together. */
function splitArguments(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map((match) => match[1] ?? match[2] ?? match[3] ?? '');
}

/** Writes an `npx` that runs the built program. The commands of the control API get the address of the server. */
async function writeShim(programs: string, url: URL): Promise<void> {
  const script = `#!/bin/sh
[ "$1" = storefront ] || { echo "unexpected: npx $*" >&2; exit 127; }
shift
case "$1" in
  check | explain | types | repair | -*) ;;
  *) case " $* " in *" --help "* | *" --url "*) ;; *) set -- "$@" --url ${url.origin} ;; esac ;;
esac
exec '${process.execPath}' '${projectFile('dist/main.js')}' "$@"
`;
  await writeFile(join(programs, 'npx'), script);
  await chmod(join(programs, 'npx'), 0o755);
}
