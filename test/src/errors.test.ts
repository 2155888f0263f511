import assert from 'node:assert/strict';
import { ClusterError, type ClusterErrorReason } from '../../src/errors.ts';

describe('ClusterError', () => {
  const passes = (reason: ClusterErrorReason, status?: number): boolean => new ClusterError('x', { reason, ...(status === undefined ? {} : { status }) }).isPassing;

  it('passes by itself where the server is busy or away, whatever stands in its place', () => {
    assert.deepEqual([passes('TooManyRequests', 429), passes('Unreachable'), passes('InternalError', 500), passes('Timeout', 504), passes('NotKubernetes', 502)], [true, true, true, true, true]);
  });

  it('does not where it was asked for what it refuses', () => {
    assert.deepEqual([passes('Forbidden', 403), passes('Unauthorized', 401), passes('NotKubernetes', 200), passes('Unknown', 418), passes('UntrustedCertificate')], [false, false, false, false, false]);
  });
});
