import { containerName } from '../../../workload/container-names.ts';
import { windowsPathKey } from '../../../windows/paths.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { samplePod, withVolumes } from '../../samples.ts';
import { allVolumeMountsOf, type VolumeMount } from './shared-volumes.ts';

/** Mount paths that are different texts and one place on Windows. */
export const mountPathsCollide = defineWorkloadRule({
  id: 'mount-paths-collide',
  facts: ['VOL-015'],
  severity: 'warning',
  effect: 'may-fail',
  os: 'windows',
  summary: 'Mount paths that differ only in case or slashes are one path on Windows',
  rationale: 'The API server compares mount paths letter by letter and takes C:\\Data and c:/data for two. For Windows they are one folder: in one container the later mount hides the other or the start fails, and in several containers of a pod they only look like different places.',
  remediation: 'Write the path one way, and give each volume a folder of its own.',
  reference: 'https://learn.microsoft.com/en-us/windows/win32/fileio/naming-a-file',
  asOf: '2026-11-30',
  messages: {
    hidden: 'container {container} mounts volumes {first} at {firstPath} and {second} at {secondPath}, which are one path on Windows',
    spelling: 'containers {containers} mount volume {volume} at {firstPath} and {secondPath}, which are one path on Windows',
  },
  samples: {
    bad: [{
      path: 'spec.containers[0].volumeMounts[1].mountPath',
      yaml: samplePod(withVolumes({ data: 'emptyDir: {}', cache: 'emptyDir: {}' }, ['data', 'mountPath: C:\\Data'], ['cache', 'mountPath: c:/data'])),
    }],
    good: [{ yaml: samplePod(withVolumes({ data: 'emptyDir: {}', cache: 'emptyDir: {}' }, ['data', 'mountPath: C:\\Data'], ['cache', 'mountPath: C:\\Cache'])) }],
  },
  * check({ workload }) {
    const first = new Map<string, VolumeMount & { readonly mountPath: string }>();
    for (const mount of allVolumeMountsOf(workload)) {
      const { mountPath } = mount;
      if (mountPath === null || mountPath === '') continue;
      const key = windowsPathKey(mountPath);
      const inContainer = `${mount.container.list} ${mount.container.index} ${key}`;
      // `/csi` beside `C:\\csi` is common and no slip, so between containers a drive has to be in both or in neither
      const ofVolume = `${mount.name} ${/^[a-z]:/i.test(mountPath)} ${key}`;
      const own = first.get(inContainer);
      const other = first.get(ofVolume);
      const path = [...mount.path, 'mountPath'];
      // equal texts in one container are refused by the API server whatever the OS
      if (own !== undefined && own.mountPath !== mountPath) {
        yield { messageId: 'hidden', data: { container: containerName(mount.container), first: own.name, firstPath: own.mountPath, second: mount.name, secondPath: mountPath }, container: mount.container.name, path };
      } else if (own === undefined && other !== undefined && other.mountPath !== mountPath) {
        yield {
          messageId: 'spelling', data: { containers: `${containerName(other.container)} and ${containerName(mount.container)}`, volume: mount.name, firstPath: other.mountPath, secondPath: mountPath },
          container: mount.container.name, path, severity: 'info', effect: 'advice',
          fix: { title: `write ${mountPath} as ${other.mountPath}`, edits: [{ op: 'set', path, value: other.mountPath }], isSafe: true },
        };
      }
      if (own === undefined) first.set(inContainer, { ...mount, mountPath });
      if (other === undefined) first.set(ofVolume, { ...mount, mountPath });
    }
  },
});
