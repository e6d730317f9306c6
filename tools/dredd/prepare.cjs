// Writes the view of openapi.yaml for dredd. dredd.yml makes dredd load this file before it reads the view. Dredd does not await promises, so a child process
// writes the view.
const { spawnSync } = require('node:child_process');
const { join } = require('node:path');

const { status } = spawnSync(process.execPath, ['--import', 'tsx', join(__dirname, 'write-view.ts')], {
  cwd: join(__dirname, '../..'),
  stdio: 'inherit',
});
if (status !== 0) throw new Error('Cannot write the version of openapi.yaml for dredd');
