import { arrayAt, isRecord, numberAt } from '../../../kubernetes/object.ts';
import type { FieldPath } from '../../../kubernetes/field-path.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { samplePod, withVolumes } from '../../samples.ts';
import { volumesOf } from './shared-volumes.ts';

/** 0644, what the API server writes where nothing is set. */
const DEFAULT_MODE = 0o644;

interface Mode {
  readonly path: FieldPath;
  readonly value: number;
}

/** Linux mode bits on the files of a configMap, secret, projected or downwardAPI volume. */
export const fileModeIgnored = defineWorkloadRule({
  id: 'file-mode-ignored',
  facts: ['VOL-006', 'C40'],
  severity: 'warning',
  effect: 'ignored',
  os: 'windows',
  summary: 'File modes on a volume, which protect nothing on Windows',
  rationale: 'Windows has no mode bits: who may read a file is decided by its access control list, which defaultMode and items[].mode do not touch. A secret with mode 0400 is as readable as one with 0644.',
  remediation: 'Remove defaultMode and mode; run the process as the user that is to read the files.',
  reference: 'https://kubernetes.io/docs/concepts/storage/windows-storage/',
  asOf: '2026-11-30',
  messages: { ignored: 'volume {volume} sets file mode {mode}, which protects nothing on Windows' },
  samples: {
    bad: [{ path: 'spec.volumes[0].configMap.defaultMode', yaml: samplePod(withVolumes({ settings: 'configMap:\n  name: settings\n  defaultMode: 256' })) }],
    good: [{ yaml: samplePod(withVolumes({ settings: 'configMap:\n  name: settings\n  defaultMode: 420' })) }],
  },
  * check({ workload }) {
    for (const { name, path, fields } of volumesOf(workload)) {
      const modes = modesOf(fields, path).filter(({ value }) => value !== DEFAULT_MODE);
      const [first] = modes;
      if (first === undefined) continue;
      yield {
        messageId: 'ignored', data: { volume: name, mode: `0${first.value.toString(8)}` }, path: first.path,
        fix: { title: `remove the file modes of volume ${name}`, edits: modes.map((mode) => ({ op: 'remove', path: mode.path })), isSafe: true },
      };
    }
  },
});

function modesOf(volume: Readonly<Record<string, unknown>>, path: FieldPath): readonly Mode[] {
  const sourceModes = (source: unknown, at: FieldPath): readonly Mode[] => {
    if (!isRecord(source)) return [];
    return [
      ...modeAt(source, 'defaultMode', at),
      ...arrayAt(source, 'items').flatMap((item, index) => modeAt(item, 'mode', [...at, 'items', index])),
    ];
  };
  return [
    ...(['configMap', 'secret', 'downwardAPI', 'projected'] as const).flatMap((kind) => sourceModes(volume[kind], [...path, kind])),
    ...arrayAt(volume, 'projected', 'sources').flatMap((source, index) => (
      (['configMap', 'secret', 'downwardAPI'] as const).flatMap((kind) => sourceModes(isRecord(source) ? source[kind] : null, [...path, 'projected', 'sources', index, kind]))
    )),
  ];
}

function modeAt(holder: unknown, field: string, at: FieldPath): readonly Mode[] {
  const value = numberAt(holder, field);
  return value === undefined ? [] : [{ path: [...at, field], value }];
}
