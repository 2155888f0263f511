/** What hints at the OS of a pod that no constraint keeps on one: images, commands, paths, fields, tolerations. */
import type { FieldPath } from '../kubernetes/field-path.ts';
import { arrayAt, isRecord, stringAt, valueAt } from '../kubernetes/object.ts';
import type { ImagePlatformSource } from '../image/image-platforms.ts';
import { tolerationsOf } from '../scheduling/taint-toleration.ts';
import type { OsEvidence } from './target-os.ts';
import type { Container, Workload } from './workload.ts';

export function imageHints({ containers }: Workload, images: ImagePlatformSource): readonly OsEvidence[] {
  const hints = new Map<string, OsEvidence>();
  for (const { image, path } of lasting(containers)) {
    if (image === null || hints.has(image)) continue;
    const { os, platforms, because, isGuess } = images.platformsOf(image);
    const systems = new Set(platforms.map((platform) => platform.os));
    const [first] = systems;
    // An image for several systems tells nothing, whatever its name says.
    const found = systems.size === 0 || isGuess === true ? os : systems.size === 1 && (first === 'windows' || first === 'linux') ? first : null;
    if (found !== null) hints.set(image, { os: found, source: 'image', strength: 'hint', path: [...path, 'image'], text: `image ${image}: ${because}` });
  }
  return [...hints.values()];
}

const WINDOWS_PROGRAM = /(?:\.(?:exe|ps1|cmd|bat)|^(?:powershell|cmd))$/i;
const WINDOWS_PATH = /^(?:[A-Za-z]:[\\/]|\\\\|%CONTAINER_SANDBOX_MOUNT_POINT%)/;
const LINUX_PROGRAM = /^(?:(?:ba|da|a|k|z)?sh|\/(?:usr\/|usr\/local\/|)s?bin\/.+)$/;

/** By the program that a container starts; `cmd` as an argument alone may be any word, a program with `.exe` is not. */
export function commandHints({ containers }: Workload): readonly OsEvidence[] {
  return lasting(containers).flatMap(({ fields, path }) => {
    const command = arrayAt(fields, 'command');
    const list = command.length > 0 ? 'command' : 'args';
    const program = list === 'command' ? command[0] : arrayAt(fields, 'args')[0];
    if (typeof program !== 'string') return [];
    const isWindows = WINDOWS_PATH.test(program) || (WINDOWS_PROGRAM.test(program) && (list === 'command' || !/^cmd$/i.test(program)));
    const os = isWindows ? 'windows' : list === 'command' && LINUX_PROGRAM.test(program) ? 'linux' : null;
    return os === null ? [] : [{ os, source: 'command', strength: 'hint', path: [...path, list, 0], text: `${list === 'command' ? 'command' : 'argument'} ${program}` } as const];
  });
}

/** Host folders that only Linux has. `/var/lib/...` and the like are C:\var\lib\... on Windows. */
const LINUX_HOST_PATH = /^\/(?:proc|sys|dev|lib\/modules|run|etc\/(?:ssl|passwd|machine-id|os-release|resolv\.conf)|var\/run\/docker\.sock|var\/log\/journal|usr\/lib)(?:\/|$)/;

export function volumeHints({ spec, specPath, containers }: Workload): readonly OsEvidence[] {
  const hints: OsEvidence[] = [];
  const add = (os: 'windows' | 'linux', path: FieldPath, text: string): void => { hints.push({ os, source: 'volume', strength: 'hint', path, text }); };
  for (const [index, volume] of arrayAt(spec, 'volumes').entries()) {
    const hostPath = stringAt(volume, 'hostPath', 'path');
    if (hostPath === undefined) continue;
    const path = [...specPath, 'volumes', index, 'hostPath', 'path'];
    if (WINDOWS_PATH.test(hostPath)) add('windows', path, `hostPath ${hostPath}`);
    else if (LINUX_HOST_PATH.test(hostPath)) add('linux', path, `hostPath ${hostPath}`);
  }
  for (const container of lasting(containers)) {
    for (const [index, mount] of arrayAt(container.fields, 'volumeMounts').entries()) {
      const mountPath = stringAt(mount, 'mountPath');
      if (mountPath !== undefined && WINDOWS_PATH.test(mountPath)) add('windows', [...container.path, 'volumeMounts', index, 'mountPath'], `mountPath ${mountPath}`);
    }
  }
  return hints;
}

const LINUX_POD_FIELDS: readonly (readonly string[])[] = [
  ['hostPID'], ['hostIPC'], ['shareProcessNamespace'],
  ...['runAsUser', 'runAsGroup', 'fsGroup', 'seLinuxOptions', 'seccompProfile', 'appArmorProfile', 'sysctls', 'supplementalGroups'].map((field) => ['securityContext', field]),
];
const LINUX_CONTAINER_FIELDS: readonly (readonly string[])[] = ['privileged', 'capabilities', 'runAsUser', 'runAsGroup', 'seLinuxOptions', 'seccompProfile', 'appArmorProfile', 'readOnlyRootFilesystem', 'allowPrivilegeEscalation', 'procMount'].map((field) => ['securityContext', field]);

/** The first field that only Linux heeds; one is enough of a hint, and charts set them for Windows too. */
export function linuxFieldHint({ spec, specPath, containers }: Workload): OsEvidence | null {
  const find = (holder: unknown, path: FieldPath, fields: readonly (readonly string[])[]): OsEvidence | null => {
    const found = fields.find((field) => ![undefined, null, false].includes(valueAt(holder, ...field) as never)); // any value may stand there
    return found === undefined ? null : { os: 'linux', source: 'linux-field', strength: 'hint', path: [...path, ...found], text: `${found.at(-1) ?? ''} is for Linux` };
  };
  const ofPod = find(spec, specPath, LINUX_POD_FIELDS);
  if (ofPod !== null) return ofPod;
  for (const { fields, path } of lasting(containers)) {
    const ofContainer = find(fields, path, LINUX_CONTAINER_FIELDS);
    if (ofContainer !== null) return ofContainer;
  }
  return null;
}

const OS_TAINT_KEY = /(?:^|[./])os$/i;

/** Tolerations of a taint that marks Windows nodes. They let a pod onto such nodes and keep it on none. */
export function tolerationHints({ spec, specPath }: Workload): readonly OsEvidence[] {
  const raw = arrayAt(spec, 'tolerations');
  return raw.flatMap((item, index) => {
    const [toleration] = isRecord(item) ? tolerationsOf({ tolerations: [item] }) : [];
    if (toleration === undefined || !OS_TAINT_KEY.test(toleration.key) || !/^windows/i.test(toleration.value)) return [];
    return [{ os: 'windows', source: 'toleration', strength: 'hint', path: [...specPath, 'tolerations', index], text: `toleration ${toleration.key}=${toleration.value}` } as const];
  });
}

/** Containers of the template; an ephemeral one was added by somebody who looked for a fault. */
function lasting(containers: readonly Container[]): readonly Container[] {
  return containers.filter(({ list }) => list !== 'ephemeralContainers');
}
