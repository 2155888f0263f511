import assert from 'node:assert/strict';
import { nodeLogQuery, readNodeLog, wholeLogQuery, type NodeLogAnswer } from '../../../../src/domain/hostprocess/node-logs.ts';

describe('logs of a node by its kubelet', () => {
  it('are asked for by service, time and number of lines', () => {
    const since = new Date('2026-11-30T11:00:00Z');
    assert.deepEqual(nodeLogQuery('kubelet', { since, lines: 100 }), { query: ['kubelet'], sinceTime: ['2026-11-30T11:00:00.000Z'], tailLines: ['100'] });
    assert.deepEqual(nodeLogQuery('kubelet', { since, lines: 0 }), { query: ['kubelet'], sinceTime: ['2026-11-30T11:00:00.000Z'] });
    assert.deepEqual(wholeLogQuery('kubelet'), { query: ['kubelet'] });
  });

  // texts of kubelet_server_journal.go and of Go's file server
  const answers: readonly [string, string, NodeLogAnswer][] = [
    ['lines of events', '\r\nTimeCreated  Message\r\n-----------  -------\r\n11/30 09:00  started\r\n\r\n', { kind: 'lines', lines: ['TimeCreated  Message', '-----------  -------', '11/30 09:00  started'] }],
    ['a line that speaks of logs', 'log not found for kubelet, retrying\nok\n', { kind: 'lines', lines: ['log not found for kubelet, retrying', 'ok'] }],
    ['nothing', '', { kind: 'lines', lines: [] }],
    ['a service that logs to a file', '\noptions present and query resolved to log files for [kubelet]\ntry without specifying options\n', { kind: 'file' }],
    ['no log', '\nlog not found for kubelet\n', { kind: 'missing', message: 'the node has no log of kubelet' }],
    ['no logger', 'error: journal output not available\n', { kind: 'missing', message: 'error: journal output not available' }],
    ['the listing of the folder', '<!doctype html>\n<meta name="viewport" content="width=device-width">\n<pre>\n<a href="pods/">pods/</a>\n</pre>\n', { kind: 'off' }],
    ['the listing of the folder by an older Go', '<pre>\n<a href="pods/">pods/</a>\n</pre>\n', { kind: 'off' }],
  ];
  for (const [name, text, expected] of answers) it(`are read: ${name}`, () => assert.deepEqual(readNodeLog(text, 'kubelet'), expected));
});
