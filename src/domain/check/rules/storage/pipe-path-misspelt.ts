import { stringAt } from '../../../kubernetes/object.ts';
import { isNamedPipe, misspeltPipe, windowsPathOf } from '../../../windows/paths.ts';
import type { FieldEdit } from '../../finding.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { samplePod, withVolumes } from '../../samples.ts';
import { allVolumeMountsOf, volumesOf, type Volume, type VolumeMount } from './shared-volumes.ts';

const mounting = (path: string, mountPath: string): string => samplePod(withVolumes({ agent: ['hostPath:', `  path: ${path}`] }, ['agent', `mountPath: ${mountPath}`]));

/** The path of a named pipe in a spelling that containerd does not know. */
export const pipePathMisspelt = defineWorkloadRule({
  id: 'pipe-path-misspelt',
  facts: ['VOL-010', 'VOL-016', 'C41'],
  severity: 'warning',
  effect: 'may-fail',
  os: 'windows',
  summary: 'The path of a named pipe is spelled as containerd does not know it',
  rationale: 'A named pipe is for containerd what starts with the text \\\\.\\pipe\\, and nothing else. The kubelet makes a folder of C: of //./pipe/x, which containerd creates where it is missing, so the container starts and finds no pipe; doubled backslashes, which YAML halves in double quotes only, and capitals make it a file that is not there.',
  remediation: 'Write \\\\.\\pipe\\NAME, without quotes or in single ones, in hostPath.path and in mountPath.',
  reference: 'https://github.com/containerd/containerd/blob/main/internal/cri/opts/spec_windows_opts.go',
  asOf: '2026-11-30',
  messages: {
    folder: 'hostPath {path} of volume {volume} is no named pipe: with forward slashes it is the folder {resolved} of the node; the pipe is {pipe}',
    host: 'hostPath {path} of volume {volume} is no named pipe for containerd, which knows one by \\\\.\\pipe\\ at its start alone; the pipe is {pipe}',
    mount: 'mountPath {path} of volume {volume} names no pipe as it is spelled; the pipe is {pipe}',
  },
  samples: {
    bad: [
      { yaml: mounting('//./pipe/agent', '//./pipe/agent'), path: 'spec.volumes[0].hostPath.path' },
      { yaml: mounting('\\\\\\\\.\\\\pipe\\\\agent', '\\\\.\\pipe\\agent'), path: 'spec.volumes[0].hostPath.path' },
      { yaml: mounting('\\\\.\\pipe\\agent', '//./pipe/agent'), path: 'spec.containers[0].volumeMounts[0].mountPath' },
    ],
    good: [
      { yaml: mounting('\\\\.\\pipe\\agent', '\\\\.\\pipe\\agent') },
      { yaml: mounting('"\\\\\\\\.\\\\pipe\\\\agent"', "'\\\\.\\pipe\\agent'") },
    ],
  },
  * check({ workload }) {
    if (workload.osName === 'linux') return; // it contradicts itself; its paths are meant for Linux
    const mounts = allVolumeMountsOf(workload);
    const told = new Set<string>();
    for (const volume of volumesOf(workload)) {
      const path = stringAt(volume.fields, 'hostPath', 'path') ?? '';
      const pipe = misspeltPipe(path);
      if (pipe === null) continue;
      told.add(volume.name);
      const ofVolume = mounts.filter(({ name }) => name === volume.name);
      yield {
        messageId: path.startsWith('//') ? 'folder' : 'host', data: { path, volume: volume.name, pipe, resolved: windowsPathOf(path) }, path: [...volume.path, 'hostPath', 'path'],
        ...(workload.isHostProcess
          ? { remediation: `Remove the volume and its mounts, and open the pipe by its path, ${pipe}: HostProcess containers see the pipes of the node.` }
          : { fix: { title: `use the named pipe ${pipe}`, edits: [...hostEdits(volume, pipe), ...ofVolume.flatMap(mountEdits)], isSafe: false } }),
      };
    }
    for (const mount of mounts) {
      const pipe = mount.mountPath === null ? null : misspeltPipe(mount.mountPath);
      if (pipe === null || mount.mountPath === null || told.has(mount.name)) continue;
      const isOfPipe = volumesOf(workload).some(({ name, fields }) => name === mount.name && isNamedPipe(stringAt(fields, 'hostPath', 'path') ?? ''));
      yield {
        messageId: 'mount', data: { path: mount.mountPath, volume: mount.name, pipe }, path: [...mount.path, 'mountPath'], container: mount.container.name,
        ...(isOfPipe && !workload.isHostProcess ? { fix: { title: `write ${pipe}`, edits: mountEdits(mount), isSafe: false } } : {}),
      };
    }
  },
});

function hostEdits(volume: Volume, pipe: string): readonly FieldEdit[] {
  return [
    { op: 'set', path: [...volume.path, 'hostPath', 'path'], value: pipe },
    // of whatever type a folder was to be, a pipe is none of it
    ...((stringAt(volume.fields, 'hostPath', 'type') ?? '') === '' ? [] : [{ op: 'remove', path: [...volume.path, 'hostPath', 'type'] } as const]),
  ];
}

/** A mount at another place than a pipe's is the owner's to change. */
function mountEdits({ path, mountPath }: VolumeMount): readonly FieldEdit[] {
  const pipe = mountPath === null ? null : misspeltPipe(mountPath);
  return pipe === null ? [] : [{ op: 'set', path: [...path, 'mountPath'], value: pipe }];
}
