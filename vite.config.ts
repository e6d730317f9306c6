import { defineConfig } from 'vite';
import { createPageConfig } from './tools/page-build.ts';

/** The paths that `npx vite` passes on to a server at port 3000. */
const SERVER_PATHS = ['/_control', '/_docs', '/openapi', '/images', '/problems', '/api'];

// The console (src/console).
export default defineConfig({
  ...createPageConfig('console', '/_console/'),
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  server: { proxy: Object.fromEntries(SERVER_PATHS.map((path) => [path, 'http://localhost:3000'])) },
});
