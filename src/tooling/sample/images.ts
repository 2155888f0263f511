import { digestOf, numberOf } from './values.ts';

/** Size of an image unpacked on a Windows node, by its base; close to what kubelets report for these repositories. */
export function imageSizeBytes(image: string): number {
  const base = /servercore|aspnet|iis|framework|jenkins/.test(image) ? 2_250_000_000
    : /nanoserver|dotnet\/(?:aspnet|runtime)/.test(image) ? 300_000_000
    : /contoso/.test(image) ? 2_700_000_000
    : /windows-hp|hpc|windows-exporter|proxy/.test(image) ? 70_000_000
    : /csi|secrets-store|pause/.test(image) ? 200_000_000
    : 85_000_000;
  return base + numberOf(`size ${image}`, Math.round(base / 10));
}

/** As in node.status.images: digest first, then the tag. */
export function nodeImage(image: string): { names: string[]; sizeBytes: number } {
  return { names: [`${repositoryOf(image)}@${digestOf(image)}`, image], sizeBytes: imageSizeBytes(image) };
}

/** As in containerStatuses[].imageID under containerd. */
export function imageId(image: string): string {
  return image.includes('@') ? image : `${repositoryOf(image)}@${digestOf(image)}`;
}

export function repositoryOf(image: string): string {
  const withoutDigest = image.split('@')[0] ?? image;
  const colon = withoutDigest.lastIndexOf(':');
  return colon > withoutDigest.lastIndexOf('/') ? withoutDigest.slice(0, colon) : withoutDigest;
}

const MCR = 'mcr.microsoft.com';

/** What AKS bakes into the Windows node images. */
const AKS_COMMON = [
  `${MCR}/containernetworking/v2/azure-cni:v1.8.11`,
  `${MCR}/containernetworking/v2/azure-cns:v1.8.11`,
  `${MCR}/oss/v2/kubernetes-csi/azuredisk-csi:v1.34.5-windows-hp`,
  `${MCR}/oss/v2/kubernetes-csi/azurefile-csi:v1.34.4-windows-hp`,
  `${MCR}/oss/v2/kubernetes-csi/csi-node-driver-registrar:v2.17.0`,
  `${MCR}/oss/v2/kubernetes-csi/livenessprobe:v2.19.0`,
  `${MCR}/oss/v2/kubernetes/azure-cloud-node-manager:v1.34.13-windows-hpc-1`,
  `${MCR}/oss/v2/kubernetes/pause:3.10.1`,
  `${MCR}/oss/kubernetes/windows-host-process-containers-base-image:v1.0.0`,
] as const;

/** More baked-in versions, which fill the list of the 2025 pool up to the kubelet's 50. */
const AKS_OLDER = [
  ...['v1.6.21', 'v1.6.35-0', 'v1.6.43-0', 'v1.7.9-0', 'v1.7.16-0', 'v1.8.6-0'].flatMap((tag) => [`${MCR}/containernetworking/azure-cni:${tag}`, `${MCR}/containernetworking/azure-cns:${tag}`]),
  ...['v1.32.12', 'v1.33.8', 'v1.33.9', 'v1.33.10', 'v1.33.11', 'v1.34.3', 'v1.34.4'].map((tag) => `${MCR}/oss/v2/kubernetes-csi/azuredisk-csi:${tag}-windows-hp`),
  ...['v1.32.9', 'v1.33.8', 'v1.33.9', 'v1.33.10', 'v1.34.2', 'v1.34.3'].map((tag) => `${MCR}/oss/v2/kubernetes-csi/azurefile-csi:${tag}-windows-hp`),
  ...['v1.32.11', 'v1.33.15', 'v1.33.16', 'v1.34.12', 'v1.35.7', 'v1.35.8', 'v1.36.4', 'v1.36.5'].map((tag) => `${MCR}/oss/v2/kubernetes/azure-cloud-node-manager:${tag}-windows-hpc-1`),
  `${MCR}/oss/v2/kubernetes-csi/csi-node-driver-registrar:v2.16.0`,
  `${MCR}/oss/v2/kubernetes-csi/livenessprobe:v2.18.0`,
  `${MCR}/oss/v2/kubernetes-csi/secrets-store/driver:v1.6.0-6`,
  `${MCR}/oss/v2/azure/secrets-store/provider-azure:v1.7.2`,
  `${MCR}/oss/v2/kubernetes/pause:3.10.2`,
  `${MCR}/windows/servercore:10.0.26100.33650`,
  `${MCR}/windows/servercore:10.0.20348.5761`,
  `${MCR}/windows/servercore:ltsc2022`,
  `${MCR}/windows/nanoserver:ltsc2022`,
] as const;

export const POOL_IMAGES = {
  w19: [...AKS_COMMON, `${MCR}/windows/servercore:ltsc2019`, `${MCR}/windows/nanoserver:1809`],
  w22: [...AKS_COMMON, `${MCR}/windows/servercore:ltsc2022`, `${MCR}/windows/nanoserver:ltsc2022`],
  w25: [...AKS_COMMON, ...AKS_OLDER, `${MCR}/windows/servercore:ltsc2025`, `${MCR}/windows/nanoserver:ltsc2025`, `${MCR}/windows/servercore/iis:windowsservercore-ltsc2025`],
  wac: [...AKS_COMMON, `${MCR}/windows/servercore:ltsc2022`],
  eksWindows: ['602401143452.dkr.ecr.eu-west-1.amazonaws.com/eks/pause-windows:3.10', `${MCR}/windows/servercore:ltsc2022`, `${MCR}/windows/nanoserver:ltsc2022`],
  gkeWindows: ['gke.gcr.io/pause-win:1.9.1', 'gke.gcr.io/csi-node-driver-registrar:v2.15.0-gke.3', 'gke.gcr.io/gcp-compute-persistent-disk-csi-driver:v1.20.4-gke.0'],
  kubeadmWindows: ['registry.k8s.io/pause:3.10.1', 'ghcr.io/prometheus-community/windows-exporter:0.31.8', 'docker.io/sigwindowstools/kube-proxy:v1.34.2-calico-hostprocess'],
  aksLinux: [`${MCR}/oss/kubernetes/kube-proxy:v1.34.9`, `${MCR}/oss/v2/kubernetes-csi/azuredisk-csi:v1.34.5`, `${MCR}/oss/v2/kubernetes/coredns:v1.12.1`, `${MCR}/oss/v2/kubernetes/pause:3.10.1`],
  eksLinux: ['602401143452.dkr.ecr.eu-west-1.amazonaws.com/eks/kube-proxy:v1.34.1-minimal-eksbuild.2', '602401143452.dkr.ecr.eu-west-1.amazonaws.com/amazon-k8s-cni:v1.20.4-eksbuild.2', '602401143452.dkr.ecr.eu-west-1.amazonaws.com/eks/pause:3.10'],
  gkeLinux: ['gke.gcr.io/kube-proxy-amd64:v1.34.1-gke.2037001', 'gke.gcr.io/fluent-bit:v1.8.1200-gke.54', 'gke.gcr.io/pause:3.8'],
  kubeadmLinux: ['registry.k8s.io/kube-proxy:v1.34.9', 'registry.k8s.io/coredns/coredns:v1.12.1', 'registry.k8s.io/pause:3.10.1', 'docker.io/calico/node:v3.29.4'],
} as const;
