import assert from 'node:assert/strict';
import type { PrepullRun } from './bench-prepull.ts';
import { execLines, execSection, imagesLines, prepullLines, prepullSection, renderReport } from './report.ts';

const cost = (seconds: number): { readonly wallSeconds: number; readonly cpuSeconds: number; readonly peakBytes: number; readonly stdoutBytes: number } => ({ wallSeconds: seconds, cpuSeconds: seconds / 10, peakBytes: 50 * 2 ** 20, stdoutBytes: 0 });
const run = (parts: Partial<PrepullRun>): PrepullRun => ({ ...cost(4), imageSeconds: 3, requests: 8, requestsByKind: [], writes: 700, pulled: 100, mostAtOnce: 100, serverCpuSeconds: 2, ...parts });

const prepull = {
  pullSeconds: 2,
  clusters: [{
    nodes: 100, daemonSet: [run({}), run({ imageSeconds: 4 }), run({ imageSeconds: 5, mostAtOnce: 90 })],
    ours: [{ parallel: 20, runs: [run({ imageSeconds: 12, requests: 320, mostAtOnce: 20 }), run({ imageSeconds: 12, requests: 400, mostAtOnce: 19 }), run({ imageSeconds: 10, requests: 320, mostAtOnce: 20 })] }],
  }],
};

describe('the report of the benchmarks', () => {
  it('gives figures of prepull per node, and ratios pair by pair', () => {
    const [byHand = '', ours = ''] = prepullLines(prepull);
    assert.equal(byHand, '| 100 | DaemonSet | 4.0 s (at least 2.0 s) | 100 | 4.0 s | 0.4 s | 50 MiB | 0.08 | 7.00 | 2.0 s |');
    assert.equal(ours, '| 100 | `prepull --parallel 20` | 12.0 s (at least 10.0 s) [3.00 (2.00-4.00)] | 20 | 4.0 s [1.00 (1.00-1.00)] | 0.4 s [1.00 (1.00-1.00)] | 50 MiB [1.00 (1.00-1.00)] | 3.20 [40.00 (40.00-50.00)] | 7.00 [1.00 (1.00-1.00)] | 2.0 s [1.00 (1.00-1.00)] |');
  });

  it('has as many cells in each row as its header', () => {
    const rows = prepullSection(prepull).split('\n').filter((line) => line.startsWith('|'));
    assert.equal(rows.length, 4);
    assert.deepEqual([...new Set(rows.map((row) => row.split('|').length))], [12]);
  });

  it('gives figures of exec per node, and ratios pair by pair', () => {
    const exec = { parallel: 20, clusters: [{ nodes: 200, byHand: [{ ...cost(100), requests: 1600 }], ours: [{ ...cost(25), requests: 800 }] }] };
    assert.deepEqual(execLines(exec), ['| 200 | kubectl by hand | 100.00 s | 10.00 s | 50 MiB | 8.00 |', '| 200 | `hostprocess exec` | 25.00 s [0.25 (0.25-0.25)] | 2.50 s [0.25 (0.25-0.25)] | 50 MiB [1.00 (1.00-1.00)] | 4.00 [0.50 (0.50-0.50)] |']);
    assert.deepEqual([...new Set(execSection(exec).split('\n').filter((line) => line.startsWith('|')).map((row) => row.split('|').length))], [8]);
  });

  it('compares images with the loop', () => {
    assert.deepEqual(imagesLines({ count: 500, runs: [{ registry: 'near', sequence: [cost(2)], cold: [cost(1)], warm: [cost(0.5)] }] }), [
      '500 images, registry near: a loop that asks for one after the other, as `skopeo inspect` does, takes 2000 ms, 200 ms CPU, 50 MiB; `images -f` with an empty cache 0.50 × (1000 ms, 100 ms CPU, 50 MiB), with a warm one 0.25 × (500 ms, 50 ms CPU, 50 MiB).',
    ]);
  });

  it('leaves out sections of what was not measured', () => {
    const rest = { kubectlVersion: 'v1.37.2', rounds: 3, comparisons: [], check: null, images: null, steps: [], tableSeconds: 0.05, loads: [1, 2] as const };
    const headings = (page: string): readonly string[] => page.split('\n').filter((line) => line.startsWith('## '));
    assert.deepEqual(headings(renderReport({ ...rest, prepull: null, exec: null })), ['## Where the time goes']);
    assert.deepEqual(headings(renderReport({ ...rest, prepull, exec: { parallel: 20, clusters: [] } })), ['## prepull', '## hostprocess exec', '## Where the time goes']);
  });
});
