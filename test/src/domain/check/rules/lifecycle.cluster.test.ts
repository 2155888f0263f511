/** What the rule on stop signals says, as the API server does with and without its feature gate. */
import assert from 'node:assert/strict';
import { valueAt } from '../../../../../src/domain/kubernetes/object.ts';
import { useCluster } from '../../../../cluster/use-cluster.ts';
import { judgeCase, windowsPod } from '../../../../support/rule-case.ts';

const NAMESPACE = 'lifecycle-rules';
const SIGNALS = ['SIGTERM', 'SIGKILL', 'SIGINT', 'SIGUSR1', 'TERM', 'sigterm', ''];

describe('the rules on the lifecycle of containers against the API server', function () {
  this.timeout(120_000);
  const usual = useCluster();
  const gated = useCluster({ apiServerArgs: ['--feature-gates=ContainerStopSignals=true'] });

  before(async () => {
    await usual().createNamespace(NAMESPACE);
    await gated().createNamespace(NAMESPACE);
  });

  it('drops stop signals without the gate, whatever they are', async () => {
    for (const signal of SIGNALS) {
      const answer = await usual().api.send('POST', `/api/v1/namespaces/${NAMESPACE}/pods?dryRun=All`, windowsPod({}, { lifecycle: { stopSignal: signal } }));
      assert.equal(answer.status, 201, answer.text);
      assert.doesNotMatch(answer.text, /"stopSignal"/);
    }
  });

  for (const os of [{ name: 'windows' }, null]) {
    it(`refuses with the gate what the rule finds, in the same words, and nothing else: os ${JSON.stringify(os)}`, async () => {
      for (const signal of SIGNALS) {
        const object = windowsPod({ os }, { lifecycle: { stopSignal: signal } });
        const answer = await gated().api.send('POST', `/api/v1/namespaces/${NAMESPACE}/pods?dryRun=All`, object);
        const { findings } = await judgeCase({ rule: 'stop-signal-of-linux', object });
        assert.equal(answer.status, findings.length > 0 ? 422 : 201, `${signal}: ${answer.text}`);
        if (answer.status !== 422) continue;
        const said = String(valueAt(JSON.parse(answer.text), 'message'));
        assert.ok(os === null || said.includes(findings[0]?.message.replace(/^.*?: /, '').replace(/;.*/, '') ?? '?'), said);
      }
    });
  }
});
