import assert from 'node:assert/strict';
import { ReportedSizes } from '../../../../src/app/images/reported-sizes.ts';
import { rawNode } from '../../../support/fake-cluster.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;

describe('ReportedSizes', () => {
  const sizes = new ReportedSizes();
  sizes.addNodes([
    rawNode('w1', { images: [{ names: [`docker.io/library/web@${DIGEST}`, 'docker.io/library/web:1'], sizeBytes: 10 }, { names: ['none:1'] }, { names: ['<none>@<none>'], sizeBytes: 4 }] }),
    rawNode('w2', { images: [{ names: ['docker.io/library/web:1'], sizeBytes: 30 }] }),
    rawNode('l', { os: 'linux', images: [{ names: ['docker.io/library/web:1', 'docker.io/library/redis:8'], sizeBytes: 500 }] }),
  ]);

  for (const [image, os, expected] of [
    ['web:1', 'windows', 30], ['docker.io/library/web:1', 'any', 30], [`web:other@${DIGEST}`, 'windows', 10], ['redis:8', 'windows', null], ['redis:8', 'any', 500], ['none:1', 'any', null], ['Web:1', 'any', null],
  ] as const) it(`${image} on ${os} nodes: ${expected}`, () => assert.equal(sizes.sizeOf(image, os), expected));
});
