import { readFileSync, readdirSync, writeFileSync, mkdirSync } from 'node:fs';
import { loadAll } from 'js-yaml';
import { Readable } from 'node:stream';
import { openManifests } from '/work/main/src/adapters/manifests/open-manifests.ts';
import { readManifestText } from '/work/main/src/adapters/manifests/read-manifest-text.ts';
const dir = '/work/shared/cases/manifests';
const texts = readdirSync(dir).filter((n) => /ya?ml$/.test(n)).map((n) => readFileSync(dir + '/' + n, 'utf8'));
let all = ''; while (all.length < 10_000_000) for (const t of texts) all += t.trimEnd() + '\n---\n';
writeFileSync('/tmp/big.yaml', all);
const what = process.argv[2];
const t0 = performance.now();
if (what === 'js-yaml') { const d = loadAll(all, { json: true } as any); console.log(what, d.length, all.length, Math.round(performance.now() - t0)); }
else if (what === 'ours') { let n = 0, p = 0; for await (const m of openManifests(['/tmp/big.yaml'], { stdin: process.stdin }).read()) { n++; if ('object' in m) p += m.problems.length; else console.log(m); } console.log(what, n, p, Math.round(performance.now() - t0)); }
else if (what === 'keep') { const a: any[] = []; for await (const m of openManifests(['/tmp/big.yaml'], { stdin: process.stdin }).read()) a.push(m); (globalThis as any).gc?.(); console.log(what, a.length, Math.round(performance.now() - t0), Math.round(process.memoryUsage().heapUsed / 1e6), 'MB heap'); }
else if (what === 'noschema') { let n = 0; for await (const m of readManifestText(all, 'f', { schema: null })) n++; console.log(what, n, Math.round(performance.now() - t0)); }
else if (what === 'files') { mkdirSync('/tmp/files', { recursive: true }); for (let i = 0; i < 1000; i++) writeFileSync(`/tmp/files/f${i}.yaml`, texts[i % texts.length]!); const t1 = performance.now(); let n = 0; for await (const m of openManifests(['/tmp/files'], { stdin: process.stdin }).read()) n++; console.log(what, n, Math.round(performance.now() - t1), 'js-yaml:', (() => { const t = performance.now(); for (let i = 0; i < 1000; i++) loadAll(texts[i % texts.length]!, { json: true } as any); return Math.round(performance.now() - t); })()); }
else if (what === 'locate') { let n = 0; const t1 = performance.now(); for await (const m of openManifests(['/tmp/big.yaml'], { stdin: process.stdin }).read()) if ('object' in m) { for (let i = 0; i < 5; i++) { const p = m.locate(['spec', 'template', 'spec', 'containers', 0, 'image']); m.lineText(p.line); n++; } } console.log(what, n, Math.round(performance.now() - t1)); }
else if (what === 'list') { const items: any[] = loadAll(all, { json: true } as any).filter((x: any) => x && x.kind); const json = JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, null, 2); writeFileSync('/tmp/list.json', json); const t1 = performance.now(); let n = 0; for await (const m of openManifests(['/tmp/list.json'], { stdin: process.stdin }).read()) n++; const t2 = performance.now(); const ms: any[] = []; for await (const m of openManifests(['/tmp/list.json'], { stdin: process.stdin }).read()) ms.push(m); const t3 = performance.now(); for (const m of ms) m.locate(['spec', 'template', 'spec', 'containers', 0, 'image']); console.log(what, json.length, n, Math.round(t2 - t1), 'locate all', Math.round(performance.now() - t3), 'JSON.parse', (() => { const t = performance.now(); JSON.parse(json); return Math.round(performance.now() - t); })()); }
