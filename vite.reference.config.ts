import { defineConfig } from 'vite';
import { createPageConfig } from './tools/page-build.ts';

// The API reference (src/reference).
export default defineConfig(createPageConfig('reference', '/_docs/'));
