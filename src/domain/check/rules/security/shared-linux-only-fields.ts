/**
 * Fields that mean something on Linux only. The API server refuses them where spec.os.name is windows; where it is not set,
 * the kubelet and the runtime on a Windows node drop them in silence.
 * https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/apis/core/validation/validation.go (validateWindows), read
 * 2026-11-30; test/src/domain/check/api-server.cluster.test.ts asks a real API server about every one of them.
 */
import { containersText } from '../../../workload/container-names.ts';
import { formatFieldPath, valueAtPath, type FieldPath } from '../../../kubernetes/field-path.ts';
import { arrayAt, booleanAt, isRecord, numberAt } from '../../../kubernetes/object.ts';
import { parseKubernetesVersion, compareKubernetesVersions, type KubernetesVersion } from '../../../kubernetes/version.ts';
import type { CheckFacts } from '../../facts.ts';
import type { FieldEdit, FindingDraft } from '../../finding.ts';
import { mayEnforceRestricted, missingForRestricted } from '../os/shared-restricted-pod-security.ts';
import { defineWorkloadRule, type Sample, type WorkloadRule, type WorkloadSubject } from '../../rule.ts';
import { samplePod, type SamplePod } from '../../samples.ts';
import type { Container, Workload } from '../../../workload/workload.ts';

export interface LinuxOnlyField {
  /** Path below the pod spec; null where a pod has no such field. */
  readonly pod: FieldPath | null;
  /** Path below a container; null where a container has no such field. */
  readonly container: FieldPath | null;
  /**
   * First minor whose API server refuses it in Windows pods with default feature gates. spec.os.name itself counts since
   * 1.24 (IdentifyPodOS on by default, https://github.com/kubernetes/enhancements/tree/master/keps/sig-windows/2802-identify-windows-pods-apiserver-admission);
   * fields behind a gate that is off are dropped before they are looked at.
   */
  readonly rejectedSince: string;
  /** Whether a value that is there counts as set. Default: every value does, zero and empty ones too. */
  readonly isSet?: (value: unknown) => boolean;
  /** Values that ask for what Windows does anyway, so that nothing is lost when they are ignored. */
  readonly isHarmless?: (value: unknown) => boolean;
  /** Other linters that ask for a value, by check: `kube-linter no-read-only-root-fs`. */
  readonly askedForBy?: (value: unknown) => readonly string[];
}

const isFalse = (value: unknown): boolean => value === false;
const isEmptyMap = (value: unknown): boolean => isRecord(value) && Object.keys(value).length === 0;
const asked = (holds: (value: unknown) => boolean, ...checks: readonly string[]) => (value: unknown): readonly string[] => (holds(value) ? checks : []);

/**
 * Check names as the linters' own sources give them, read 2026-11-30: stackrox/kube-linter pkg/builtinchecks,
 * zegl/kube-score README_CHECKS.md, FairwindsOps/polaris pkg/config/checks, kubescape/regolibrary controls,
 * kyverno/policies, bridgecrewio/checkov checkov/kubernetes/checks/resource/k8s.
 */
const LINTERS = {
  readOnlyRootFilesystem: ['kube-linter no-read-only-root-fs', 'kube-score container-security-context-readonlyrootfilesystem', 'Polaris notReadOnlyRootFilesystem', 'Kubescape C-0017', 'Kyverno require-ro-rootfs', 'Checkov CKV_K8S_22'],
  allowPrivilegeEscalation: ['kube-linter privilege-escalation-container', 'Polaris privilegeEscalationAllowed', 'Kubescape C-0016', 'Kyverno disallow-privilege-escalation', 'Checkov CKV_K8S_20'],
  runAsUser: ['kube-linter run-as-non-root', 'kube-score container-security-context-user-group-id', 'Polaris runAsRootAllowed', 'Kubescape C-0013', 'Kyverno require-run-as-non-root-user', 'Checkov CKV_K8S_40'],
  runAsGroup: ['kube-score container-security-context-user-group-id', 'Kubescape C-0013'],
  capabilities: ['kube-linter drop-net-raw-capability', 'Polaris insecureCapabilities', 'Kubescape C-0055', 'Kyverno disallow-capabilities-strict', 'Checkov CKV_K8S_37'],
  seccompProfile: ['kube-score container-seccomp-profile', 'Polaris linuxHardening', 'Kubescape C-0055', 'Kyverno restrict-seccomp-strict', 'Checkov CKV_K8S_31'],
  seLinuxOptions: ['Polaris linuxHardening', 'Kubescape C-0055'],
} as const;

const securityContext = (field: string): Pick<LinuxOnlyField, 'pod' | 'container'> => ({ pod: ['securityContext', field], container: ['securityContext', field] });
const podSecurityContext = (field: string): Pick<LinuxOnlyField, 'pod' | 'container'> => ({ pod: ['securityContext', field], container: null });
const containerSecurityContext = (field: string): Pick<LinuxOnlyField, 'pod' | 'container'> => ({ pod: null, container: ['securityContext', field] });
const podField = (field: string): Pick<LinuxOnlyField, 'pod' | 'container'> => ({ pod: [field], container: null });

/** Every field of validateWindows. */
export const LINUX_ONLY_FIELDS = {
  seLinuxOptions: { ...securityContext('seLinuxOptions'), rejectedSince: '1.24', isHarmless: isEmptyMap, askedForBy: asked(isRecord, ...LINTERS.seLinuxOptions) },
  seccompProfile: { ...securityContext('seccompProfile'), rejectedSince: '1.24', askedForBy: asked((value) => isRecord(value) && value['type'] !== 'Unconfined', ...LINTERS.seccompProfile) },
  appArmorProfile: { ...securityContext('appArmorProfile'), rejectedSince: '1.30', askedForBy: asked((value) => isRecord(value) && value['type'] !== 'Unconfined', 'Polaris linuxHardening', 'Kubescape C-0055') },
  runAsUser: { ...securityContext('runAsUser'), rejectedSince: '1.24', askedForBy: asked((value) => value !== 0, ...LINTERS.runAsUser) },
  runAsGroup: { ...securityContext('runAsGroup'), rejectedSince: '1.24', askedForBy: asked((value) => value !== 0, ...LINTERS.runAsGroup) },
  fsGroup: { ...podSecurityContext('fsGroup'), rejectedSince: '1.24' },
  fsGroupChangePolicy: { ...podSecurityContext('fsGroupChangePolicy'), rejectedSince: '1.24' },
  supplementalGroups: { ...podSecurityContext('supplementalGroups'), rejectedSince: '1.24', isHarmless: (value: unknown) => Array.isArray(value) && value.length === 0 },
  // Behind SupplementalGroupsPolicy, on by default since 1.33.
  supplementalGroupsPolicy: { ...podSecurityContext('supplementalGroupsPolicy'), rejectedSince: '1.33' },
  sysctls: { ...podSecurityContext('sysctls'), rejectedSince: '1.24', isSet: (value: unknown) => !Array.isArray(value) || value.length > 0 },
  // Behind SELinuxChangePolicy, on by default since 1.33.
  seLinuxChangePolicy: { ...podSecurityContext('seLinuxChangePolicy'), rejectedSince: '1.33' },
  capabilities: { ...containerSecurityContext('capabilities'), rejectedSince: '1.24', isHarmless: isEmptyMap, askedForBy: asked((value) => arrayAt(value, 'drop').length > 0, ...LINTERS.capabilities) },
  privileged: { ...containerSecurityContext('privileged'), rejectedSince: '1.24', isHarmless: isFalse },
  allowPrivilegeEscalation: { ...containerSecurityContext('allowPrivilegeEscalation'), rejectedSince: '1.24', askedForBy: asked(isFalse, ...LINTERS.allowPrivilegeEscalation) },
  readOnlyRootFilesystem: { ...containerSecurityContext('readOnlyRootFilesystem'), rejectedSince: '1.24', isHarmless: isFalse, askedForBy: asked((value) => value === true, ...LINTERS.readOnlyRootFilesystem) },
  procMount: { ...containerSecurityContext('procMount'), rejectedSince: '1.24', isHarmless: (value: unknown) => value === 'Default' },
  hostPID: { ...podField('hostPID'), rejectedSince: '1.24', isSet: (value: unknown) => value !== false },
  hostIPC: { ...podField('hostIPC'), rejectedSince: '1.24', isSet: (value: unknown) => value !== false },
  shareProcessNamespace: { ...podField('shareProcessNamespace'), rejectedSince: '1.24', isHarmless: isFalse },
  // Behind UserNamespacesSupport, on by default since 1.33.
  hostUsers: { ...podField('hostUsers'), rejectedSince: '1.33', isHarmless: (value: unknown) => value === true },
} as const satisfies Readonly<Record<string, LinuxOnlyField>>;

/** A place where a Linux-only field is set. */
export interface SetField {
  /** Path in the object. */
  readonly path: FieldPath;
  readonly value: unknown;
  /** null for the pod's own. */
  readonly container: Container | null;
}

/** Where a field is set in a pod template: the pod's own, then those of its containers. Null counts as unset. */
export function placesOf(workload: Workload, field: LinuxOnlyField): readonly SetField[] {
  const isSet = (value: unknown): boolean => value !== undefined && value !== null && (field.isSet?.(value) ?? true);
  const places: SetField[] = [];
  if (field.pod !== null) {
    const value = valueAtPath(workload.spec, field.pod);
    if (isSet(value)) places.push({ path: [...workload.specPath, ...field.pod], value, container: null });
  }
  if (field.container !== null) {
    for (const container of workload.containers) {
      const value = valueAtPath(container.fields, field.container);
      if (isSet(value)) places.push({ path: [...container.path, ...field.container], value, container });
    }
  }
  return places;
}

/** Whether the API server of a version refuses it in a pod with os.name windows. An unknown version counts as a current one. */
export function isRejectedBy(field: LinuxOnlyField, version: KubernetesVersion | null): boolean {
  const since = parseKubernetesVersion(field.rejectedSince);
  return version === null || since === null || compareKubernetesVersions(version, since) >= 0;
}

/** Whether what the pod asks of Linux is lost: it says windows, or means Windows without saying any other. */
export function meansWindows({ workload, os }: WorkloadSubject): boolean {
  if (workload.osName !== null) return workload.osName === 'windows';
  return os.os === 'windows' || (os.os === 'contradictory' && os.pinned === 'windows');
}

/** Whether more than an image's name or a command says so: what Windows ignores may be dropped, what Linux needs may not. */
export function isSurelyWindows({ workload, os }: WorkloadSubject): boolean {
  return workload.osName === 'windows' || os.evidence.some((one) => one.os === 'windows' && one.strength !== 'hint');
}

const ASKED_BY_RESTRICTED: ReadonlySet<LinuxOnlyField> = new Set([LINUX_ONLY_FIELDS.seccompProfile, LINUX_ONLY_FIELDS.capabilities, LINUX_ONLY_FIELDS.allowPrivilegeEscalation]);

/** Whether the Pod Security level restricted may take the pod for the sake of the field alone: a pod with os.name needs none of them. */
function isNeededForRestricted(field: LinuxOnlyField, { workload }: WorkloadSubject, { namespaces }: CheckFacts): boolean {
  if (workload.osName !== null || !ASKED_BY_RESTRICTED.has(field) || missingForRestricted(workload).length > 0) return false;
  return mayEnforceRestricted(workload.ref.namespace === null ? undefined : namespaces?.get(workload.ref.namespace));
}

/** Takes away what the API server refuses beside os.name windows. */
export function removalsOfLinuxOnlyFields(workload: Workload, version: KubernetesVersion | null): readonly FieldEdit[] {
  return Object.values<LinuxOnlyField>(LINUX_ONLY_FIELDS).flatMap((field) => (isRejectedBy(field, version) ? placesOf(workload, field).map(({ path }) => ({ op: 'remove', path }) as const) : []));
}

/** ` in containers a and b`, or nothing for the pod's own field. */
export function whereText(places: readonly SetField[]): string {
  const containers = places.flatMap(({ container }) => (container === null ? [] : [container]));
  return containers.length === 0 ? '' : ` in ${containersText(containers)}`;
}

/** A value in a message; long ones are cut. */
export function valueText(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

/** The numeric user that the kubelet would give token files to: the one on which all containers agree. */
export function agreedRunAsUser(workload: Workload): number | null {
  // https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/volume/util/util.go (FsUserFrom), read 2026-11-30
  const pod = numberAt(workload.spec, 'securityContext', 'runAsUser');
  const users = new Set(workload.containers.map(({ fields }) => numberAt(fields, 'securityContext', 'runAsUser') ?? pod ?? null));
  const [user] = users;
  return users.size === 1 ? user ?? null : null;
}

/** Whether pods get a token of their service account as a projected volume, as far as the template tells. */
export function mountsServiceAccountToken(workload: Workload): boolean {
  const projects = arrayAt(workload.spec, 'volumes').some((volume) => isRecord(volume) && isRecord(volume['projected'])
    && arrayAt(volume, 'projected', 'sources').some((source) => isRecord(source) && isRecord(source['serviceAccountToken'])));
  return projects || booleanAt(workload.spec, 'automountServiceAccountToken') !== false;
}

interface LinuxOnlyRule {
  readonly id: string;
  readonly facts: readonly string[];
  /** Each set field gives a finding of its own. */
  readonly fields: readonly (readonly [field: LinuxOnlyField, facts: readonly string[]])[];
  readonly summary: string;
  readonly rationale: string;
  readonly remediation: string;
  readonly since?: string;
  readonly reference?: string;
  readonly asOf: string;
  /** Lines of YAML in a pod's or a container's securityContext, or in its spec, that set the field. */
  readonly sample: SamplePod;
  /** Lines that stay when it is mended. */
  readonly mended: SamplePod;
  readonly samplePath: string;
  /** More that holds where the field is ignored: a different effect, more evidence. */
  readonly whenIgnored?: (subject: WorkloadSubject, facts: CheckFacts) => { readonly messageId?: 'may-fail'; readonly evidence: readonly string[]; readonly reference?: string } | null;
}

const DOCUMENTED_AT = 'https://kubernetes.io/docs/concepts/windows/intro/#compatibility-v1-pod-spec-containers-securitycontext';

/** A rule on Linux-only fields: refused with spec.os.name windows, ignored without. */
export function defineLinuxOnlyRule(rule: LinuxOnlyRule): WorkloadRule {
  const bad: Sample = { yaml: samplePod(rule.sample), path: rule.samplePath, severity: 'error' };
  return defineWorkloadRule({
    id: rule.id,
    facts: rule.facts,
    severity: 'warning',
    effect: 'ignored',
    os: 'any',
    summary: rule.summary,
    rationale: rule.rationale,
    remediation: rule.remediation,
    reference: rule.reference ?? DOCUMENTED_AT,
    asOf: rule.asOf,
    ...(rule.since === undefined ? {} : { since: rule.since }),
    messages: {
      rejected: 'the API server refuses {field}: {value}{where}: "Forbidden: cannot be set for a windows pod"',
      ignored: 'Windows ignores {field}: {value}{where}',
      'may-fail': 'Windows does not know {field}: {value}{where}, and the kubelet may fail to set up the pod because of it',
    },
    samples: { bad: [bad], good: [{ yaml: samplePod(rule.mended) }] },
    * check(subject, facts) {
      if (!meansWindows(subject)) return;
      const { workload } = subject;
      for (const [field, numbers] of rule.fields) {
        const places = placesOf(workload, field);
        const [first] = places;
        if (first === undefined) continue;
        const isRejected = workload.osName === 'windows' && isRejectedBy(field, facts.kubernetesVersion);
        const more = isRejected ? null : rule.whenIgnored?.(subject, facts) ?? null;
        const asksNothing = places.every(({ value }) => field.isHarmless?.(value) ?? false);
        const isNeeded = isNeededForRestricted(field, subject, facts);
        // The host's own namespaces and rights are what a HostProcess container has anyway.
        const hasItAnyway = workload.isHostProcess && (field === LINUX_ONLY_FIELDS.hostPID || field === LINUX_ONLY_FIELDS.hostIPC || field === LINUX_ONLY_FIELDS.privileged);
        yield {
          messageId: isRejected ? 'rejected' : more?.messageId ?? 'ignored',
          data: { field: nameOfField(field), value: valueText(first.value), where: whereText(places) },
          path: first.path,
          ...containerOf(places),
          facts: numbers,
          ...(isRejected
            ? { severity: 'error', effect: 'rejected' } as const
            : { severity: more === null && (asksNothing || hasItAnyway) ? 'info' : 'warning', effect: more?.messageId === 'may-fail' ? 'may-fail' : 'ignored' } as const),
          evidence: [...evidenceOf(places, field), ...more?.evidence ?? []],
          ...(more?.reference === undefined ? {} : { reference: more.reference }),
          ...(isNeeded ? { remediation: `${rule.remediation} Set spec.os.name to windows with it: without that, the Pod Security level restricted asks for the field.` } : {}),
          fix: {
            title: `remove ${nameOfField(field)}`,
            edits: places.map(({ path }) => ({ op: 'remove', path })),
            isSafe: isRejected || (isSurelyWindows(subject) && !isNeeded),
          },
        };
      }
    },
  });
}

function nameOfField(field: LinuxOnlyField): string {
  return formatFieldPath(field.container ?? field.pod ?? []);
}

function containerOf(places: readonly SetField[]): Pick<FindingDraft, 'container'> {
  const [only] = places;
  return places.length === 1 && only !== undefined && only.container !== null && only.container.name !== '' ? { container: only.container.name } : {};
}

function evidenceOf(places: readonly SetField[], field: LinuxOnlyField): readonly string[] {
  const evidence: string[] = [];
  if (places.length > 1) evidence.push(`Set at ${places.map(({ path }) => formatFieldPath(path)).join(', ')}.`);
  const checks = [...new Set(places.flatMap(({ value }) => field.askedForBy?.(value) ?? []))];
  if (checks.length > 0) evidence.push(`Linters that do not know Windows ask for it (${checks.join(', ')}): exempt Windows pods from these checks instead.`);
  return evidence;
}

