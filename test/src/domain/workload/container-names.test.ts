import assert from 'node:assert/strict';
import { RULES } from '../../../../src/domain/check/rules/index.ts';
import { isRecord } from '../../../../src/domain/kubernetes/object.ts';
import { containerName, containersText } from '../../../../src/domain/workload/container-names.ts';
import type { ContainerList } from '../../../../src/domain/workload/workload.ts';

import { judgeSample, objectsOf } from '../../../support/check-sample.ts';

const of = (list: ContainerList, ...names: readonly string[]): { list: ContainerList; index: number; name: string }[] => names.map((name, index) => ({ list, index, name }));

describe('the names of containers in messages', () => {
  it('say which list they are of', () => {
    assert.equal(containersText(of('containers', 'web')), 'container web');
    assert.equal(containersText([...of('initContainers', 'setup'), ...of('containers', 'web', 'proxy')]), 'init container setup and containers web and proxy');
    assert.equal(containersText(of('ephemeralContainers', 'debug')), 'ephemeral container debug');
    assert.equal(containersText(of('containers', 'a', 'b', 'c', 'd', 'e', 'f')), 'containers a, b, c and 3 more');
    assert.equal(containersText([...of('containers', 'a'), ...of('containers', 'a')]), 'container a');
    assert.equal(containersText([]), '');
  });

  it('are their places where they have none', () => {
    assert.deepEqual([...of('containers', 'a', ''), ...of('initContainers', '')].map(containerName), ['a', 'containers[1]', 'initContainers[0]']);
    assert.equal(containersText(of('containers', '', '')), 'containers[0] and containers[1]');
    assert.equal(containersText([...of('initContainers', ''), ...of('containers', 'web', '')]), 'initContainers[0], container web and containers[1]');
  });

  it('leave no gap in any message, piece of evidence or title of a fix', async () => {
    let nameless = 0;
    for (const rule of RULES) {
      for (const sample of rule.samples.bad) {
        if (!/^\s*(?:- )?containers:/m.test(sample.yaml)) continue;
        const yaml = (await objectsOf(sample.yaml)).map((object) => JSON.stringify(withoutNames(object))).join('\n---\n');
        const { findings } = await judgeSample({ ...sample, yaml });
        for (const { rule: id, message, evidence, fix, container } of findings) {
          for (const text of [message, ...evidence, fix?.title ?? '']) {
            assert.doesNotMatch(text, /containers? (?: |,|:|\)|;|$)|(?:^|\s)(?:in|of) (?:,|:|$)/, `${id}: ${text}`);
            if (/ontainers\[\d\]/.test(text)) nameless++;
          }
          assert.notEqual(container, '', id);
        }
      }
    }
    assert.ok(nameless > 100, String(nameless));
  });
});

/** Without the names of all containers. */
function withoutNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNames);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, /^(?:c|initC|ephemeralC)ontainers$/.test(key) && Array.isArray(inner)
    ? inner.map((container: unknown) => (isRecord(container) ? Object.fromEntries(Object.entries(container).filter(([field]) => field !== 'name')) : container))
    : withoutNames(inner)]));
}
