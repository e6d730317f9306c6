import { loadContract } from './src/contract/contract.ts';
try { await loadContract({ path: '/tmp/w/docs/package/api/digitalocean.com.json', strict: false }); } catch (e) { console.log((e as Error).stack!.split('\n').slice(0, 6).join('\n')); }
