import type { WindowsNode } from '../../domain/node/windows-node.ts';
import { visibleControls } from '../terminal-text.ts';

/**
 * The nodes in Prometheus' text format 0.0.4, for a cron job that feeds node_exporter's textfile collector
 * (https://prometheus.io/docs/instrumenting/exposition_formats/, read 2026-11-30). What is not known has no sample.
 */
export function nodesPrometheus(nodes: readonly WindowsNode[]): string {
  const families: readonly [name: string, help: string, samples: readonly Sample[]][] = [
    ['kubectl_win_node_info', 'A Windows node with its release, build, revision, pool, kubelet and container runtime.', nodes.map(infoSample)],
    ['kubectl_win_node_ready', 'Whether the node reports Ready (1) or not (0).', nodes.flatMap((node) => numberSample(node, node.ready === null ? null : Number(node.ready)))],
    ['kubectl_win_node_support_days_left', 'Days until the first end of support of Microsoft or the provider; negative when past.', nodes.flatMap((node) => numberSample(node, node.support.daysLeft))],
    ['kubectl_win_node_patch_months_behind', 'Monthly updates between the node and the newest revision known.', nodes.flatMap((node) => numberSample(node, node.patch.monthsBehind))],
    ['kubectl_win_node_issue', 'An issue of a node, 1 per issue.', nodes.flatMap((node) => node.issues.map((issue): Sample => [{ node: node.name, id: issue.id, severity: issue.severity }, 1]))],
  ];
  return families
    .filter(([, , samples]) => samples.length > 0)
    .map(([name, help, samples]) => [`# HELP ${name} ${help}`, `# TYPE ${name} gauge`, ...samples.map(([labels, value]) => `${name}{${labelText(labels)}} ${value}`), ''].join('\n'))
    .join('');
}

type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

function infoSample(node: WindowsNode): Sample {
  const runtime = node.containerRuntime === null ? '' : `${node.containerRuntime.name}://${node.containerRuntime.version}`;
  return [{
    node: node.name, os: node.os ?? '', release: node.release ?? '', build: String(node.build ?? ''), revision: String(node.revision ?? ''),
    pool: node.pool ?? '', provider: node.provider ?? '', kubelet: node.kubeletVersion ?? '', runtime,
  }, 1];
}

function numberSample(node: WindowsNode, value: number | null): Sample[] {
  return value === null ? [] : [[{ node: node.name }, value]];
}

function labelText(labels: Readonly<Record<string, string>>): string {
  // Escaped as the format wants it; controls, which no name on a cluster has, must not steer a terminal.
  return Object.entries(labels).map(([key, value]) => `${key}="${visibleControls(value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"'))}"`).join(',');
}
