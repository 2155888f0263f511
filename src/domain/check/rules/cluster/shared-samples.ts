/** Pieces of the samples of rules on live clusters: a pod with a status, as the API server shows it. */

/** A pod of deployment/iis of which one container is in a state: `waiting: {reason: ErrImagePull}`; '' for none. */
export function samplePodOf(container: string, state: string, extra = ''): string {
  return `apiVersion: v1
kind: Pod
metadata:
  name: iis-6f7d9c8b5-abcde
  labels:
    app: iis
    pod-template-hash: 6f7d9c8b5
  ownerReferences:
  - {apiVersion: apps/v1, kind: ReplicaSet, name: iis-6f7d9c8b5, uid: u, controller: true}
spec:
  nodeName: win-0
  containers:
  - name: iis
    image: mcr.microsoft.com/windows/servercore/iis:windowsservercore-ltsc2022
${extra}status:
  phase: Pending${state === '' ? '' : `
  containerStatuses:
  - name: ${container}
    ready: false
    state:
      ${state}`}`;
}
