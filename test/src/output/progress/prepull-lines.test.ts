import assert from 'node:assert/strict';
import type { PrepullEvent, PrepullOutcome } from '../../../../src/domain/prepull/prepull-event.ts';
import { prepullLine } from '../../../../src/output/progress/prepull-lines.ts';
import { planItem } from '../../../support/plan-item.ts';

const item = planItem({ node: 'win-3', image: 'registry.example/web:1', message: 'the node does not list it' });
const finished = (outcome: Partial<PrepullOutcome>): PrepullEvent => ({ type: 'finished', item, outcome: { result: 'pulled', reason: 'Pulled', message: 'pulled', seconds: 192, sizeBytes: 2_040_109_466, digest: null, ...outcome } });

describe('prepullLine', () => {
  for (const [event, line] of [
    [{ type: 'began', run: 'a1b2c3', namespace: 'shop', items: 1 }, 'run a1b2c3 in namespace shop: 1 pull'],
    [{ type: 'started', item, attempt: 1 }, null],
    [{ type: 'scheduled', item }, 'win-3  registry.example/web:1  pulling'],
    [{ type: 'slow', item, seconds: 600, message: null }, 'win-3  registry.example/web:1  still pulling after 10m'],
    [{ type: 'slow', item, seconds: 300, message: 'no addresses' }, 'win-3  registry.example/web:1  still pulling after 5m; the last that was said of it: no addresses'],
    [{ type: 'retry', item, attempt: 2, seconds: 20, message: 'the registry did not answer' }, 'win-3  registry.example/web:1  attempt 2 failed, the next in 20s: the registry did not answer'],
    [{ type: 'paused', seconds: 300, message: 'toomanyrequests' }, 'nothing is begun for 5m: toomanyrequests'],
    [finished({}), 'win-3  registry.example/web:1  pulled in 3m12s (1.9Gi)'],
    [finished({ seconds: null, sizeBytes: null }), 'win-3  registry.example/web:1  pulled'],
    [finished({ result: 'present', seconds: null }), 'win-3  registry.example/web:1  already there'],
    [finished({ result: 'failed', reason: 'Unauthorized', message: 'the registry refuses\u001B[2J the node' }), 'win-3  registry.example/web:1  failed: Unauthorized: the registry refuses^[[2J the node'],
    [{ type: 'joined', node: 'win-9', items: [item, { ...item, action: 'refuse' }] }, 'win-9  joined: 1 pull'],
    [{ type: 'note', message: 'a\nb' }, 'note: a\\nb'],
    [{ type: 'cleaned-up' }, null],
  ] as readonly (readonly [PrepullEvent, string | null])[]) {
    it(`of ${event.type}: ${line ?? 'nothing'}`, () => assert.equal(prepullLine(event), line));
  }
});
