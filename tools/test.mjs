// What `npm test` does: the checks and the tests, side by side, since the tests wait a good part of their time. Ends with 1 where either finds fault.
import { spawn } from 'node:child_process';

/** How a command of npm's path ended. What it prints is shown at once, or once it has ended. */
function ended(command, { isQuiet }) {
  return new Promise((done) => {
    const child = spawn(command, { shell: true, stdio: isQuiet ? ['ignore', 'pipe', 'pipe'] : 'inherit' });
    let printed = '';
    for (const stream of isQuiet ? [child.stdout, child.stderr] : []) {
      stream.on('data', (data) => {
        printed += data;
      });
    }
    child.on('close', (code) => done({ command, printed, code }));
  });
}

const [checks, tests] = await Promise.all([
  ended('npm run --silent check:code', { isQuiet: true }),
  ended('vitest run', { isQuiet: false }),
]);
process.stdout.write(`${checks.printed}\n${checks.command}: ${checks.code === 0 ? 'passed' : 'failed'}\n`);
process.exitCode = checks.code === 0 && tests.code === 0 ? 0 : 1;
