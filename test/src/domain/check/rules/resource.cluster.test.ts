/** What the rules on resources quote, as the API server says it. */
import assert from 'node:assert/strict';
import { useCluster } from '../../../../cluster/use-cluster.ts';
import { judgeCase, windowsPod } from '../../../../support/rule-case.ts';

const NAMESPACE = 'resource-rules';

describe('the rules on resources against the API server', function () {
  this.timeout(120_000);
  const cluster = useCluster();

  before(async () => {
    await cluster().createNamespace(NAMESPACE);
  });

  const podResources: readonly unknown[] = [{}, { limits: {} }, { requests: null }, { limits: { memory: '1Gi' } }, { requests: { cpu: '1' } }, null];
  for (const os of ['windows', 'linux', null]) {
    for (const resources of podResources) {
      it(`refuses spec.resources ${JSON.stringify(resources)} with os.name ${String(os)} where the rule says so, in the same words`, async () => {
        const object = windowsPod({ os: os === null ? null : { name: os }, resources });
        const answer = await cluster().api.send('POST', `/api/v1/namespaces/${NAMESPACE}/pods?dryRun=All`, object);
        const { findings } = await judgeCase({ rule: 'pod-level-resources', object });
        const rejected = findings.filter(({ effect }) => effect === 'rejected');
        assert.equal(answer.status, rejected.length > 0 ? 422 : 201, answer.text);
        for (const { message } of rejected) assert.ok(answer.text.includes(message), answer.text);
      });
    }
  }

  const memories: readonly { readonly memory: string; readonly warns: boolean; readonly found: boolean }[] = [
    { memory: '800m', warns: true, found: true }, { memory: '1500m', warns: true, found: true }, { memory: '0.5', warns: true, found: true },
    { memory: '800Mi', warns: false, found: false }, { memory: '1.5Gi', warns: false, found: false }, { memory: '1073741824000m', warns: false, found: false },
    // of this one the server warns, and the rule does not: nobody meant anything else
    { memory: '0.1Gi', warns: true, found: false },
  ];
  for (const { memory, warns, found } of memories) {
    it(`${warns ? 'warns' : 'does not warn'} of ${memory} of memory${found ? ', in the words of the rule' : ''}`, async () => {
      const object = windowsPod({}, { resources: { limits: { memory } } });
      const answer = await cluster().api.send('POST', `/api/v1/namespaces/${NAMESPACE}/pods?dryRun=All`, object);
      const warning = String(answer.headers['warning'] ?? '').replaceAll('\\"', '"');
      const { findings } = await judgeCase({ rule: 'fractional-bytes', object });
      assert.equal(warning.includes('fractional byte value'), warns, warning);
      assert.equal(findings.length > 0, found);
      // the server writes the quantity in its canonical form, 500m for 0.5
      for (const { message } of findings) assert.match(warning.replace(/value ".*?"/, 'value'), new RegExp(message.replace(/^.*?: /, '').replace(/value ".*?"/, 'value')));
    });
  }
});
