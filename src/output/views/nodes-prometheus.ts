import type { ListedNode } from '../../app/report-nodes.ts';
import { runtimeText } from '../../domain/node/runtime-text.ts';
import { visibleControls } from '../terminal-text.ts';

interface Sample {
  readonly listed: ListedNode;
  /** Labels besides those that name the node. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

interface Family {
  readonly name: string;
  readonly help: string;
  readonly samples: (listed: ListedNode) => readonly Sample[];
}

const FAMILIES: readonly Family[] = [
  { name: 'kubectl_win_node_info', help: 'A Windows node with its release, build, revision, pool, kubelet and container runtime.', samples: (listed) => [{ listed, labels: infoLabels(listed), value: 1 }] },
  { name: 'kubectl_win_node_ready', help: 'Whether the node reports Ready (1) or not (0).', samples: (listed) => known(listed, listed.node.ready === null ? null : Number(listed.node.ready)) },
  { name: 'kubectl_win_node_support_days_left', help: 'Days until the first end of support of Microsoft or the provider; negative when past.', samples: (listed) => known(listed, listed.node.support.daysLeft) },
  { name: 'kubectl_win_node_patch_months_behind', help: 'Monthly updates between the node and the newest revision known.', samples: (listed) => known(listed, listed.node.patch.monthsBehind) },
  { name: 'kubectl_win_node_issue', help: 'An issue of a node, 1 per issue.', samples: (listed) => listed.node.issues.map(({ id, severity }) => ({ listed, labels: { id, severity }, value: 1 })) },
];

/**
 * The nodes in Prometheus' text format 0.0.4, for a cron job that feeds node_exporter's textfile collector
 * (https://prometheus.io/docs/instrumenting/exposition_formats/, read 2026-11-30). What is not known has no sample.
 * `showContext`: nodes of several clusters, whose names may be the same.
 */
export function nodesPrometheus(listed: readonly ListedNode[], options: { readonly showContext: boolean }): string {
  return FAMILIES.map(({ name, help, samples }) => {
    const lines = listed.flatMap(samples).map(({ listed: { node, context }, labels, value }) =>
      `${name}{${labelText({ ...(options.showContext ? { context: context ?? '' } : {}), node: node.name, ...labels })}} ${value}\n`);
    return lines.length === 0 ? '' : [`# HELP ${name} ${help}\n`, `# TYPE ${name} gauge\n`, ...lines].join('');
  }).join('');
}

function infoLabels({ node }: ListedNode): Readonly<Record<string, string>> {
  return {
    os: node.os ?? '', release: node.release ?? '', build: String(node.build ?? ''), revision: String(node.revision ?? ''),
    pool: node.pool ?? '', provider: node.provider ?? '', kubelet: node.kubeletVersion ?? '', runtime: runtimeText(node) ?? '',
  };
}

function known(listed: ListedNode, value: number | null): readonly Sample[] {
  return value === null ? [] : [{ listed, value }];
}

function labelText(labels: Readonly<Record<string, string>>): string {
  // Escaped as the format wants it; controls, which no name on a cluster has, must not steer a terminal.
  return Object.entries(labels).map(([key, value]) => `${key}="${visibleControls(value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"'))}"`).join(',');
}
