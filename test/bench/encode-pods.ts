/**
 * Pods as an API server writes them in protobuf, as far as the replayed ones have fields. Numbers of fields:
 * https://github.com/kubernetes/api/blob/v0.37.2/core/v1/generated.proto and apimachinery's meta/v1/generated.proto, read 2026-11-30
 */
import { arrayAt, stringAt, stringMapAt, type KubeObject } from '../../src/domain/kubernetes/object.ts';
import { envelope, field, message } from '../src/adapters/kube/api/protobuf-writer.ts';

/** A page of a PodList; `continueToken` is '' on the last. */
export function encodePodList(pods: readonly KubeObject[], continueToken: string): Buffer {
  return envelope('PodList', message(field(1, message(field(1, ''), field(2, '1'), field(3, continueToken))), ...pods.map((pod) => field(2, podOf(pod)))));
}

function podOf(pod: KubeObject): Buffer {
  return message(field(1, metadataOf(pod.metadata)), field(2, specOf(pod['spec'])), field(3, statusOf(pod['status'])));
}

function metadataOf(metadata: unknown): Buffer {
  const map = (number: number, name: string): readonly Buffer[] => Object.entries(stringMapAt(metadata, name)).map(([key, value]) => field(number, message(field(1, key), field(2, value))));
  return message(
    field(1, stringAt(metadata, 'name') ?? ''), field(3, stringAt(metadata, 'namespace') ?? ''), ...map(11, 'labels'), ...map(12, 'annotations'),
    ...arrayAt(metadata, 'ownerReferences').map((owner) => field(13, message(field(1, stringAt(owner, 'kind') ?? ''), field(3, stringAt(owner, 'name') ?? ''), field(4, stringAt(owner, 'uid') ?? ''), field(5, stringAt(owner, 'apiVersion') ?? ''), field(6, true)))),
  );
}

function specOf(spec: unknown): Buffer {
  const env = (container: unknown): readonly Buffer[] => arrayAt(container, 'env').map((one) => field(7, message(field(1, stringAt(one, 'name') ?? ''), field(2, stringAt(one, 'value') ?? ''))));
  return message(
    ...arrayAt(spec, 'containers').map((container) => field(2, message(field(1, stringAt(container, 'name') ?? ''), field(2, stringAt(container, 'image') ?? ''), ...env(container)))),
    field(10, stringAt(spec, 'nodeName') ?? ''),
  );
}

function statusOf(status: unknown): Buffer {
  return message(
    field(1, stringAt(status, 'phase') ?? ''),
    ...arrayAt(status, 'conditions').map((condition) => field(2, message(field(1, stringAt(condition, 'type') ?? ''), field(2, stringAt(condition, 'status') ?? '')))),
    ...arrayAt(status, 'containerStatuses').map((one) => field(8, message(field(1, stringAt(one, 'name') ?? ''), field(2, message(field(2, message()))), field(4, true), field(7, stringAt(one, 'imageID') ?? '')))),
  );
}
