import assert from 'node:assert/strict';
import { HOST_PROCESS_BASE_IMAGE } from '../../../../src/domain/hostprocess/base-image.ts';
import { readReference } from '../../../../src/domain/image/reference.ts';

describe('the base image', () => {
  // https://github.com/microsoft/windows-host-process-containers-base-image/issues/14: what it does when it is built upon differs by tag.
  it('R114: is pinned by tag and digest, and says where that is known from', () => {
    const read = readReference(HOST_PROCESS_BASE_IMAGE.reference);
    assert.equal(read.kind, 'reference');
    assert.match(HOST_PROCESS_BASE_IMAGE.reference, /^mcr\.microsoft\.com\/.*:v1\.0\.0@sha256:[0-9a-f]{64}$/);
    assert.match(HOST_PROCESS_BASE_IMAGE.source, /^https:\/\//);
    assert.match(HOST_PROCESS_BASE_IMAGE.asOf, /^\d{4}-\d{2}-\d{2}$/);
  });
});
