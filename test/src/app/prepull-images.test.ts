import assert from 'node:assert/strict';
import type { PrepullReport } from '../../../src/app/prepull/prepull-report.ts';
import { prepullImages, type PrepullOptions, type PrepullStep } from '../../../src/app/prepull-images.ts';
import { UsageError } from '../../../src/errors.ts';
import { optionsFor } from '../../prepull/played-cluster.ts';
import { error, ScriptedCluster } from '../../prepull/scripted-cluster.ts';
import { rawNode } from '../../support/fake-cluster.ts';

interface Ran {
  readonly report: PrepullReport | null;
  readonly steps: readonly PrepullStep[];
  readonly error: unknown;
}

function cluster(nodes = ['n0', 'n1', 'n2']): ScriptedCluster {
  const made = new ScriptedCluster();
  made.objects['nodes'] = nodes.map((name) => rawNode(name));
  return made;
}

async function run(made: ScriptedCluster, options: Partial<PrepullOptions> = {}, onStep: (step: PrepullStep) => void = () => undefined, isRecording = false): Promise<Ran> {
  const steps: PrepullStep[] = [];
  const reports: PrepullReport[] = [];
  let failure: unknown = null;
  try {
    for await (const step of prepullImages(optionsFor({ run: 'r1', namespace: 'web', named: ['a:1'], asOf: made.clock.now(), ...options }), { reader: made.reader, writer: isRecording ? null : made.writer, manifests: null, clock: made.clock }, (report) => reports.push(report))) {
      steps.push(step);
      onStep(step);
    }
  } catch (thrown) {
    failure = thrown;
  }
  assert.ok(reports.length <= 1, 'one report');
  return { report: reports[0] ?? null, steps, error: failure };
}

const results = ({ report }: Ran): readonly string[] => (report?.items ?? []).map(({ node, result }) => `${node} ${result}`);

describe('prepullImages', () => {
  it('plans, looks beforehand, runs and reports', async () => {
    const ran = await run(cluster());
    assert.deepEqual([ran.error, ran.report?.phase, ran.report?.run, ran.report?.namespace], [null, 'succeeded', 'r1', 'web']);
    assert.deepEqual(results(ran), ['n0 pulled', 'n1 pulled', 'n2 pulled']);
    assert.deepEqual([ran.steps[0]?.type, ran.steps.at(-1)?.type], ['planned', 'cleaned-up']);
  });

  it('fails where one fails, where one is refused, and where no node is meant', async () => {
    const failing = cluster();
    failing.play = (pull) => (pull.node === 'n1' ? pull.failing(1, '401 Unauthorized') : pull.pulled(1));
    assert.equal((await run(failing)).report?.phase, 'failed');
    const down = cluster(['n0']);
    down.objects['nodes'] = [rawNode('n0'), rawNode('n1', { ready: false })];
    const ran = await run(down);
    assert.deepEqual([ran.report?.phase, results(ran)], ['failed', ['n0 pulled', 'n1 refused']]);
    assert.equal((await run(cluster([]))).report?.phase, 'failed');
  });

  it('has nothing to do where all is there', async () => {
    const made = cluster(['n0']);
    made.objects['nodes'] = [rawNode('n0', { images: [{ names: ['docker.io/library/a:1'], sizeBytes: 1 }] })];
    const ran = await run(made);
    assert.deepEqual([ran.report?.phase, ran.report?.run, results(ran)], ['succeeded', null, ['n0 skipped']]);
    assert.equal(made.calls.some(({ verb }) => verb === 'create' || verb === 'dry-run'), false);
  });

  it('a dry run creates nothing: client plans alone, server asks', async () => {
    for (const dryRun of ['client', 'server'] as const) {
      const made = cluster();
      const ran = await run(made, { dryRun });
      assert.deepEqual([ran.report?.phase, ran.report?.run, made.jobs.size], ['planned', null, 0]);
      assert.equal(made.calls.some(({ verb }) => verb === 'dry-run'), dryRun === 'server');
    }
  });

  it('of a recording plans, and pulls nothing', async () => {
    assert.equal((await run(cluster(), { dryRun: 'client' }, undefined, true)).report?.phase, 'planned');
    assert.ok((await run(cluster(), {}, undefined, true)).error instanceof UsageError);
  });

  it('creates nothing where the look beforehand refuses', async () => {
    const made = cluster();
    made.missingRights.push('create jobs');
    const ran = await run(made);
    assert.match(String(ran.error), /not allowed in the namespace web: create jobs/);
    assert.deepEqual([ran.report, made.jobs.size], [null, 0]);
  });

  it('says what rights are missing, though earlier runs cannot be read', async () => {
    const made = cluster();
    made.missingRights.push('list jobs');
    made.onCall = ({ verb, resource }) => (verb === 'list' && resource === 'jobs' ? error('Forbidden', 'no', 403) : null);
    assert.match(String((await run(made)).error), /list jobs/);
  });

  it('narrows the window to what a quota leaves', async () => {
    const made = cluster();
    made.objects['resourcequotas'] = [{ apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q', namespace: 'web' }, status: { hard: { pods: '1' }, used: { pods: '0' } } }];
    const ran = await run(made, { parallel: 0 });
    assert.equal(made.most, 1);
    // room for all that will be there at once is nothing to speak of
    const few = cluster(['n0']);
    few.objects['resourcequotas'] = made.objects['resourcequotas'];
    assert.ok(!(await run(few, { parallel: 0 })).steps.some(({ type }) => type === 'note'));
    assert.ok(ran.steps.some((step) => step.type === 'note' && /the quota of web leaves room for 1 pod: so many/.test(step.message)));
  });

  it('interrupted reports so, and the next run finishes the rest and repeats nothing', async () => {
    const made = cluster(['n0', 'n1', 'n2', 'n3', 'n4', 'n5']);
    const stop = new AbortController();
    const first = await run(made, { parallel: 2, signal: stop.signal }, (step) => { if (step.type === 'started' && step.item.node === 'n3') stop.abort(new Error('Ctrl-C')); });
    assert.match(String(first.error), /Ctrl-C/);
    assert.equal(first.report?.phase, 'interrupted');
    const done = results(first).filter((text) => text.endsWith('pulled')).map((text) => text.split(' ')[0]);
    assert.ok(done.length >= 2 && done.length < 6, done.join());
    const second = await run(made, { run: 'r2', parallel: 2 });
    assert.equal(second.report?.phase, 'succeeded');
    assert.deepEqual(results(second).filter((text) => text.endsWith('skipped')).map((text) => text.split(' ')[0]), done);
    assert.equal(second.steps.filter(({ type }) => type === 'started').length, 6 - done.length);
  });

  it('tries what has failed before once more', async () => {
    const made = cluster(['n0', 'n1', 'n2']);
    const stop = new AbortController();
    made.play = (pull) => (pull.node === 'n0' ? pull.failing(1, '401 Unauthorized') : pull.pulled(1));
    await run(made, { parallel: 1, signal: stop.signal }, (step) => { if (step.type === 'started' && step.item.node === 'n2') stop.abort(new Error('Ctrl-C')); });
    made.play = (pull) => pull.pulled(1);
    const second = await run(made, { run: 'r2' });
    assert.deepEqual(results(second), ['n0 pulled', 'n1 skipped', 'n2 pulled']);
  });

  it('refuses a name that is no label', async () => {
    for (const name of ['', 'A', 'a_b', 'a'.repeat(21)]) assert.ok((await run(cluster(), { run: name })).error instanceof UsageError, name);
  });
});
