import assert from 'node:assert/strict';
import { traceBody, traceRequest, traceResponse, withoutSecrets } from '../../../../src/adapters/http/trace.ts';

function linesAt(verbosity: number, work: (trace: { verbosity: number; write(text: string): void }) => void): readonly string[] {
  const lines: string[] = [];
  work({ verbosity, write: (text) => lines.push(text) });
  return lines;
}

describe('trace', () => {
  it('masks credentials and cookies but keeps the scheme', () => {
    const [line = ''] = linesAt(7, (trace) => traceRequest(trace, 'GET', 'https://x/api', { Authorization: 'Basic c2VjcmV0', 'Proxy-Authorization': 'secret', Cookie: 'a=secret', Accept: ['a', 'b'] }, undefined));
    assert.equal(line, '"Request" verb="GET" url="https://x/api" headers=<\n\tAuthorization: Basic <masked>\n\tProxy-Authorization: <masked>\n\tCookie: <masked>\n\tAccept: a\n\tAccept: b\n >');
  });

  it('masks headers by names that speak of secrets, and none of those that somebody typed', () => {
    const [line = ''] = linesAt(8, (trace) => traceResponse(trace, 'GET', 'https://x', '200 OK', 1, { 'x-auth-token': 'hush', 'x-api-key': 'hush', 'set-cookie2': 'hush', 'audit-id': 'shown' }));
    assert.doesNotMatch(line, /hush/);
    assert.match(line, /audit-id: shown/);
    assert.match(linesAt(7, (trace) => traceRequest(trace, 'GET', 'https://x', { 'Impersonate-Extra-session': 'shown' }, undefined))[0] ?? '', /shown/);
  });

  it('knows which headers of an answer with a secret tell none', () => {
    assert.deepEqual(withoutSecrets({ 'x-whatever': 'hush', date: 'today', 'www-authenticate': 'Basic', etag: 'hush', 'x-ratelimit-limit': '5' }), { 'x-whatever': '<masked>', date: 'today', 'www-authenticate': 'Basic', etag: '<masked>', 'x-ratelimit-limit': '5' });
  });

  it('shows headers of answers from 8 on only', () => {
    const at = (verbosity: number): readonly string[] => linesAt(verbosity, (trace) => traceResponse(trace, 'GET', 'https://x/api', '200 OK', 11.6, { date: 'today' }));
    assert.deepEqual(at(5), []);
    assert.deepEqual(at(7), ['"Response" verb="GET" url="https://x/api" status="200 OK" milliseconds=12']);
    assert.deepEqual(at(8), ['"Response" verb="GET" url="https://x/api" status="200 OK" milliseconds=12 headers=<\n\tdate: today\n >']);
  });

  it('shows more of a body at 9, all of it at 10, and none below 8', () => {
    const body = Buffer.from('é'.repeat(20_000));
    const shown = (verbosity: number): number => (linesAt(verbosity, (trace) => traceBody(trace, body))[0] ?? '').split('é').length - 1;
    assert.deepEqual([7, 8, 9, 10].map(shown), [0, 1024, 10_240, 20_000]);
  });

  it('tells only the size of protobuf, which may do anything to a terminal', () => {
    const body = Buffer.from('k8s\0\x1b[2J');
    assert.deepEqual([7, 8, 10].map((verbosity) => linesAt(verbosity, (trace) => traceBody(trace, body))), [[], ['"Response Body" body=[protobuf, 8 bytes]'], ['"Response Body" body=[protobuf, 8 bytes]']]);
  });
});
