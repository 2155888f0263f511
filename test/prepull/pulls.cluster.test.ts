/** prepull against the real API server, scheduler and controllers: what kubelets report is played. */
import assert from 'node:assert/strict';
import { prepullSummary } from '../../src/app/prepull/prepull-report.ts';
import { LivePods, nothingLeft, open, PLAYED } from '../cluster/played-runs.ts';
import { useCluster } from '../cluster/use-cluster.ts';
import { rawNode } from '../support/fake-cluster.ts';
import { optionsFor, PLAYED_CLUSTER, prepull } from './played-cluster.ts';

describe('prepull in a real control plane', function () {
  this.timeout(300_000);
  const cluster = useCluster(PLAYED_CLUSTER);

  describe('one node for each thing that can happen', () => {
    const NODE = 'fates-1';
    before(async () => {
      await cluster().createNamespace('fates');
      await cluster().loadNodes(['fates-1', 'fates-2', 'fates-3', 'fates-4'].map((name) => rawNode(name)), { room: true, labels: PLAYED });
    });
    after(async () => {
      for (const name of ['fates-1', 'fates-2', 'fates-3', 'fates-4']) await cluster().api.delete(`/api/v1/nodes/${name}`);
    });

    const fates: readonly { readonly image: string; readonly result: string; readonly reason: string; readonly says: RegExp; readonly retries?: number }[] = [
      { image: 'r.example/ok:1', result: 'pulled', reason: 'Pulled', says: /^pulled$/ },
      { image: 'r.example/present:1', result: 'present', reason: 'AlreadyPresent', says: /on the node/ },
      { image: 'r.example/noshell:1', result: 'pulled', reason: 'Pulled', says: /^pulled$/ },
      { image: 'r.example/hostbase:1', result: 'pulled', reason: 'Pulled', says: /^pulled$/ },
      { image: 'r.example/flaky:1', result: 'pulled', reason: 'Pulled', says: /^pulled$/ },
      { image: 'limited.example/limited:1', result: 'pulled', reason: 'Pulled', says: /^pulled$/ },
      { image: 'r.example/unauth:1', result: 'failed', reason: 'Unauthorized', says: /refuses the node.*401/ },
      { image: 'r.example/notfound:1', result: 'failed', reason: 'NotFound', says: /no such image/ },
      { image: 'r.example/nomatch:1', result: 'failed', reason: 'NoMatchForPlatform', says: /no variant for the node/ },
      { image: 'r.example/diskfull:1', result: 'failed', reason: 'DiskFull', says: /disk of the node is full/ },
      { image: 'r.example/backoff:1', result: 'failed', reason: 'NotFound', says: /no such image.*not found/ },
      { image: 'r.example/pressure:1', result: 'failed', reason: 'DiskFull', says: /DiskPressure/ },
    ];

    it('says of each what came of it, and leaves nothing', async () => {
      const { report, steps, error } = await prepull(cluster().kubeconfig, optionsFor({ run: 'fates', namespace: 'fates', named: fates.map(({ image }) => image), nodes: [NODE, 'fates-2', 'fates-3', 'fates-4'], retries: 1, timeoutSeconds: 60 }));
      assert.equal(error, null);
      for (const { image, result, reason, says } of fates) {
        const items = report?.items.filter((one) => one.image === image) ?? [];
        assert.equal(items.length, 4, image);
        for (const { outcome } of items) {
          assert.deepEqual([outcome?.result, outcome?.reason], [result, reason], `${image}: ${outcome?.message}`);
          assert.match(outcome?.message ?? '', says, image);
        }
      }
      const ok = report?.items.find(({ image }) => image === 'r.example/ok:1')?.outcome;
      assert.deepEqual([ok?.seconds, ok?.sizeBytes], [63.5, 1_900_000_000]);
      assert.deepEqual([report?.phase, report?.run], ['failed', 'fates']);
      const paused = steps.filter((step) => step.type === 'paused');
      assert.deepEqual([...new Set(paused.map((step) => step.message.split(':')[0]))], ['limited.example']);
      assert.equal(steps.at(-1)?.type, 'cleaned-up');
      await nothingLeft(cluster(), 'fates', 20);
    });

    it('R150 R151: makes nothing but Jobs, whose pods end, and leaves no object of any kind', async () => {
      await cluster().createNamespace('ends');
      const everything = async (): Promise<readonly string[]> => (await cluster().kubectl(['get', 'all,secrets,serviceaccounts', '-n', 'ends', '-o', 'name'])).stdout.split('\n').filter((name) => name !== '').toSorted();
      const before = await everything();
      const mark = await cluster().auditMark();
      const { error, report } = await prepull(cluster().kubeconfig, optionsFor({ run: 'ends', namespace: 'ends', named: ['r.example/ok:1-800ms', 'r.example/noshell:1'], nodes: [NODE, 'fates-2'] }));
      assert.deepEqual([error, report?.phase], [null, 'succeeded']);
      const made = (await cluster().auditEvents(mark)).filter(({ verb, stage, requestURI, userAgent, objectRef }) => verb === 'create' && stage === 'ResponseComplete' && !requestURI.includes('dryRun') && userAgent?.includes('kubectl-win') === true && objectRef?.resource !== 'selfsubjectaccessreviews');
      assert.deepEqual([...new Set(made.map(({ objectRef }) => objectRef?.resource))], ['jobs']);
      await nothingLeft(cluster(), 'ends', 20);
      assert.deepEqual(await everything(), before);
      // why they are no DaemonSets: the API server takes none whose pods end
      const daemonSet = { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'ends' }, spec: { selector: { matchLabels: { app: 'x' } }, template: { metadata: { labels: { app: 'x' } }, spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'r.example/ok:1' }] } } } };
      const refused = await cluster().kubectl(['create', '-n', 'ends', '-f', '-'], { input: JSON.stringify(daemonSet) });
      assert.notEqual(refused.code, 0);
      assert.match(refused.stderr, /restartPolicy: Unsupported value: "Never": supported values: "Always"/);
    });

    it('ends a pull that hangs at --timeout and says what was heard last', async () => {
      const { report } = await prepull(cluster().kubeconfig, optionsFor({ run: 'hangs', namespace: 'fates', named: ['r.example/hang:1'], nodes: [NODE], timeoutSeconds: 5 }));
      assert.equal(report?.items[0]?.outcome?.reason, 'Timeout');
      assert.match(report?.items[0]?.outcome?.message ?? '', /^no image within 5s \(--timeout\)/);
      await nothingLeft(cluster(), 'fates', 20);
    });
  });

  describe('500 Windows nodes and 3 images, 20 at a time', () => {
    before(async function () {
      this.timeout(120_000);
      await cluster().createNamespace('many');
      await cluster().loadNodes(Array.from({ length: 500 }, (_, index) => rawNode(index % 100 === 7 ? `many-bad-${index}` : `many-${index}`)), { room: true, labels: { ...PLAYED, suite: 'many' } });
    });
    after(async function () {
      this.timeout(120_000);
      await cluster().kubectl(['delete', 'nodes', '-l', 'suite=many', '--wait=false']);
    });

    it('never has more than 20 pods that pull, reports all, and leaves nothing', async function () {
      this.timeout(240_000);
      const watching = await open(cluster().kubeconfig);
      const live = await LivePods.watch(watching, 'many', 'kubectl-win/run=many');
      const began = Date.now();
      const used = process.cpuUsage();
      const mark = await cluster().auditMark();
      const { report, error } = await prepull(cluster().kubeconfig, optionsFor({ run: 'many', namespace: 'many', named: ['r.example/ok-a:1-200ms', 'r.example/ok-b:1-50ms', 'r.example/present:1'], nodeSelector: 'suite=many', parallel: 20, timeoutSeconds: 300 }));
      const seconds = (Date.now() - began) / 1000;
      assert.equal(error, null);
      await nothingLeft(cluster(), 'many', 30);
      await live.stop();
      await watching.close();
      const summary = prepullSummary(report?.items ?? []);
      assert.deepEqual([summary.nodes, summary.images, summary.pulled, summary.present, summary.failed, summary.pending], [500, 3, 990, 495, 15, 0]);
      assert.deepEqual([...new Set(report?.items.filter(({ result }) => result === 'failed').map(({ node, outcome }) => `${node.replace(/\d+/, 'N')} ${outcome?.reason}`))], ['many-bad-N NoMatchForPlatform']);
      assert.equal(live.seen, 1500);
      assert.ok(live.most <= 20 && live.most >= 10, `${live.most} at once`);
      const requests = (await cluster().auditEvents(mark)).filter(({ userAgent, stage }) => userAgent?.includes('kubectl-win') === true && stage === 'ResponseComplete').length;
      const cpu = process.cpuUsage(used);
      process.stdout.write(`      500 nodes × 3 images: ${seconds.toFixed(0)} s, at most ${live.most} at once, ${requests} requests, ${((cpu.user + cpu.system) / 1e6).toFixed(1)} s of CPU\n`);
    });
  });
});
