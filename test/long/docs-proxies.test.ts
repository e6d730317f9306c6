import { readFileSync } from 'node:fs';
import { createServer } from 'vite';
import { describe, expect, it, onTestFinished } from 'vitest';
import nextConfig from '../examples/proxies/next.config.ts';
import { projectFile } from '../support/fixtures/default-data.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';
import { tempFolder } from '../support/harness/temp-folder.ts';

/** The address of the server in the configuration files. */
const SHOWN_ORIGIN = 'http://localhost:3000';

describe('proxy configurations in the documentation', () => {
  it("Angular's proxy.conf.json leads to the server with Vite, on which Angular's development server is based", async () => {
    const shop = await startStorefront();
    const text = readFileSync(projectFile('test/examples/proxies/proxy.conf.json'), 'utf8');
    const url = await startVite(JSON.parse(text.replaceAll(SHOWN_ORIGIN, shop.url)));
    expect(await (await fetch(`${url}/api/cart-items`)).json()).toHaveLength(2);
    expect((await fetch(`${url}/images/products/kettle.svg`)).headers.get('content-type')).toBe('image/svg+xml');
  });

  it('the rewrites of next.config.ts lead to the paths of the server', async () => {
    const shop = await startStorefront();
    for (const { source, destination } of await nextConfig.rewrites()) {
      expect(destination).toBe(SHOWN_ORIGIN + source);
      const path = source === '/api/:path*' ? '/api/products' : '/images/products/kettle.svg';
      expect((await shop.ask('GET', path)).status).toBe(200);
    }
  });
});

/** Starts a development server of Vite with a proxy configuration for one test. Returns its address. */
async function startVite(proxy: Record<string, { target: string }>): Promise<string> {
  const server = await createServer({
    configFile: false,
    root: await tempFolder(),
    logLevel: 'silent',
    server: { port: 0, host: '127.0.0.1', proxy },
  });
  onTestFinished(() => server.close());
  await server.listen();
  const address = server.httpServer?.address();
  if (typeof address !== 'object' || address === null) throw new Error('Vite does not listen');
  return `http://127.0.0.1:${address.port}`;
}
