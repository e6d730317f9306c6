// Runs the server of app.mjs in a child process.
import { fork } from 'node:child_process';

const child = fork(new URL('app.mjs', import.meta.url));
process.on('SIGTERM', () => {
  child.kill();
  process.exit();
});
