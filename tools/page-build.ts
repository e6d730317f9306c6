// The Vite configuration of the pages in the package: the console and the API reference.
import { gzipSync } from 'node:zlib';
import type { Rolldown, UserConfig } from 'vite';
import { emitLicenses } from './licenses.ts';

/** The minimum size of an asset that is also stored compressed, in bytes. */
const MIN_COMPRESSED_BYTES = 1024;

/** Returns the Vite configuration of a page. `name`: the folder in src/ and in dist/. `path`: the URL path of the files. */
export function createPageConfig(name: string, path: string): UserConfig {
  return {
    // The server replaces it by the nonce of the response (src/http/routes.ts).
    html: { cspNonce: 'CSP-NONCE' },
    root: `src/${name}`,
    base: path,
    plugins: [emitLicenses(), compressAssets()],
    build: {
      outDir: `../../dist/${name}`,
      emptyOutDir: true,
      target: 'es2022',
      // The content security policy of the pages allows no inline scripts.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      chunkSizeWarningLimit: 1000,
    },
  };
}

/** Creates the plugin that also stores a gzip copy of each script and style sheet. The server sends the copy to clients that accept gzip. */
function compressAssets(): Rolldown.Plugin {
  return {
    name: 'compress-assets',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        for (const part of Object.values(bundle)) {
          const content = Buffer.from(part.type === 'chunk' ? part.code : part.source);
          if (!/\.(js|css)$/.test(part.fileName) || content.length < MIN_COMPRESSED_BYTES) continue;
          this.emitFile({ type: 'asset', fileName: `${part.fileName}.gz`, source: gzipSync(content, { level: 9 }) });
        }
      },
    },
  };
}
