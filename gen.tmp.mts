import { loadContract } from './src/contract/contract.ts';
import { at } from './src/contract/document.ts';
import { createGenerator } from './src/mock/generate.ts';
import { randomFrom } from './src/mock/random.ts';
const dir = '/tmp/w/docs/package/api/';
for (const n of process.argv.slice(2)) {
  try {
  const t0 = performance.now();
  const c = await loadContract({ path: n.startsWith('/') ? n : `${dir}${n}.json`, strict: false });
  const load = performance.now() - t0;
  const gen = createGenerator(c.plain);
  let ok = 0, bad = 0, thrown = 0; const t = performance.now(); const why: Record<string, number> = {}; let slow = 0, big = 0, genMs = 0;
  for (const r of c.routes) for (const resp of r.responses) for (const [type, m] of Object.entries(resp.media)) {
    if (!m.schema || !/json/.test(type)) continue;
    for (let seed = 0; seed <= 3; seed++) {
      const t1 = performance.now();
      try { const v = gen(at(c.plain, m.schema), { random: randomFrom(seed), usesExamples: seed === 0, isBare: seed === 3, query: {} }); const ms = performance.now() - t1; genMs += ms; slow = Math.max(slow, ms); big = Math.max(big, JSON.stringify(v).length);
        if (c.holds(m.schema, v)) ok++; else { bad++; const k = r.operationId + ' ' + resp.name + ' ' + seed; why[k] = (why[k] ?? 0) + 1; } } catch (e) { thrown++; const k = (e as Error).message.slice(0, 80); why[k] = (why[k] ?? 0) + 1; }
    }
  }
  console.log(n, c.routes.length, `load ${load.toFixed(0)}`, JSON.stringify({ ok, bad, thrown }), `gen ${genMs.toFixed(0)} slowest ${slow.toFixed(0)} biggest ${big} all`, (performance.now() - t).toFixed(0), JSON.stringify(Object.entries(why).slice(0, 6)));
  } catch (e) { console.log(n, 'FAILED', (e as Error).message.slice(0, 300)); }
}
