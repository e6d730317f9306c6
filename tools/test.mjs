// `npm test`: runs the checks and the tests at the same time, because the tests are often idle. Exits with 1 if a check or a test fails.
import { spawn } from 'node:child_process';

/** Runs a command with the PATH of npm. Resolves to its exit code and, if `isQuiet` is true, its output. Otherwise the output is printed immediately. */
function run(command, { isQuiet }) {
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
  run('npm run --silent check:code', { isQuiet: true }),
  run('vitest run', { isQuiet: false }),
]);
process.stdout.write(`${checks.printed}\n${checks.command}: ${checks.code === 0 ? 'passed' : 'failed'}\n`);
process.exitCode = checks.code === 0 && tests.code === 0 ? 0 : 1;
