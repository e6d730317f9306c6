import { defineConfig } from 'tsdown';

export default defineConfig({
  entry: ['src/main.ts', 'src/storefront.ts'],
  platform: 'node',
  target: 'node20.19',
  dts: true,
  outExtensions: () => ({ js: '.js', dts: '.d.ts' }),
});
