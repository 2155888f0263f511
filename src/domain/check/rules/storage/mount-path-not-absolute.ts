import { hasDoubledBackslash, isAbsoluteWindowsPath, misspeltPipe, windowsPathOf } from '../../../windows/paths.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { samplePod, withVolumes } from '../../samples.ts';
import { allVolumeMountsOf } from './shared-volumes.ts';

/** A relative mount path, or one with doubled backslashes. */
export const mountPathNotAbsolute = defineWorkloadRule({
  id: 'mount-path-not-absolute',
  facts: ['VOL-016', 'C41'],
  severity: 'info',
  effect: 'advice',
  os: 'windows',
  summary: 'The mount path is relative or has doubled backslashes',
  rationale: 'The kubelet puts C: in front of a relative mount path, whatever the container\'s working directory is. Doubled backslashes come from YAML: only in double quotes is \\\\ one backslash, plain and single-quoted text keeps both. Windows takes them for one, but texts that are to match it do not.',
  remediation: 'Write the absolute path with single backslashes, without quotes or in single ones.',
  reference: 'https://yaml.org/spec/1.2.2/#73-flow-scalar-styles',
  asOf: '2026-11-30',
  messages: {
    relative: 'mountPath {mountPath} of volume {volume} is relative: it is taken from C:, as {resolved}',
    doubled: 'mountPath {mountPath} of volume {volume} has doubled backslashes: it is {resolved}',
  },
  samples: {
    bad: [
      { path: 'spec.containers[0].volumeMounts[0].mountPath', yaml: samplePod(withVolumes({ data: 'emptyDir: {}' }, ['data', 'mountPath: .\\\\etc\\\\shop'])) },
      { path: 'spec.containers[0].volumeMounts[0].mountPath', yaml: samplePod(withVolumes({ data: 'emptyDir: {}' }, ['data', 'mountPath: C:\\\\scripts'])) },
    ],
    good: [{
      yaml: samplePod(withVolumes(
        { data: 'emptyDir: {}', docker: 'hostPath:\n  path: \\\\.\\pipe\\docker_engine' },
        ['data', 'mountPath: "C:\\\\scripts"'],
        ['docker', 'mountPath: \\\\.\\pipe\\docker_engine'],
      )),
    }],
  },
  * check({ workload }) {
    for (const mount of allVolumeMountsOf(workload)) {
      const { mountPath } = mount;
      if (mountPath === null || mountPath === '') continue;
      const isRelative = !isAbsoluteWindowsPath(mountPath);
      // pipe-path-misspelt tells of pipes
      if ((!isRelative && !hasDoubledBackslash(mountPath)) || misspeltPipe(mountPath) !== null) continue;
      const path = [...mount.path, 'mountPath'];
      const resolved = windowsPathOf(mountPath);
      yield {
        messageId: isRelative ? 'relative' : 'doubled', data: { mountPath, volume: mount.name, resolved }, path, container: mount.container.name,
        fix: { title: `write ${resolved}`, edits: [{ op: 'set', path, value: resolved }], isSafe: false },
      };
    }
  },
});
