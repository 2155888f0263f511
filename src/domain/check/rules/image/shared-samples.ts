/** Pods of an image and the nodes that it meets, for the samples of rules on images. */
import { memoryOf, PINNED, sampleList, sampleNode, samplePod, sampleWorkload, type SamplePod } from '../../samples.ts';

interface ImageSample {
  readonly image: string;
  /** Lines of nodeSelector below kubernetes.io/os; '' for none. */
  readonly pin?: string;
  readonly os?: 'windows' | 'linux';
  readonly hostProcess?: boolean;
  /** A second container's image. */
  readonly second?: string;
  readonly kind?: 'Pod' | 'DaemonSet';
}

/** YAML of a pod; `pin` defaults to the build of Windows Server 2022. */
export function imageSample({ image, pin, os = 'windows', hostProcess = false, second, kind = 'Pod' }: ImageSample): string {
  const pod: SamplePod = {
    name: 'app', osName: os, image: JSON.stringify(image), // quoted: an image may be no YAML, as a placeholder is not
    nodeSelector: pin === undefined && os === 'windows' ? PINNED : [`kubernetes.io/os: ${os}`, pin ?? ''],
    ...(hostProcess ? { spec: 'hostNetwork: true', podSecurity: ['windowsOptions:', '  hostProcess: true', '  runAsUserName: NT AUTHORITY\\Local service'] } : {}),
    ...(second === undefined ? {} : { containers: ['- name: second', `  image: ${JSON.stringify(second)}`, '  resources:', ...memoryOf('1Gi').map((line) => `    ${line}`)] }),
  };
  return kind === 'Pod' ? samplePod(pod) : sampleWorkload(kind, pod);
}

interface BuildSample {
  readonly build: number;
  readonly revision?: number;
  /** Of containerd. */
  readonly runtime?: string;
  readonly name?: string;
}

/** YAML of a Linux node and Windows nodes. */
export function nodesSample(...nodes: readonly BuildSample[]): string {
  return sampleList(sampleNode({ os: 'linux' }), ...nodes.map(({ build, revision = 5386, runtime = '2.3.4', name = `win-${build}` }) => sampleNode({ name, build: `10.0.${build}`, revision, containerd: runtime })));
}
