// Writes the view that dredd.yml refers to. Dredd loads this file before it reads the view, but does not await promises. So a child process writes the view.
const { spawnSync } = require('node:child_process');
const { join } = require('node:path');

const { status } = spawnSync(process.execPath, ['--import', 'tsx', join(__dirname, 'write-view.ts')], {
  cwd: join(__dirname, '../..'),
  stdio: 'inherit',
});
if (status !== 0) throw new Error('Cannot write the dredd version of openapi.yaml');
