import { defineConfig } from 'vite';
import { createPageConfig } from './tools/page-build.ts';
import { sanitizeRapiDoc } from './tools/sanitize-rapidoc.ts';

// The API reference (src/reference).
const config = createPageConfig('reference', '/_docs/');
export default defineConfig({ ...config, plugins: [sanitizeRapiDoc(), config.plugins] });
