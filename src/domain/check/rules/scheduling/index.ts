import type { Rule } from '../../rule.ts';
import { betaNodeLabels } from './beta-node-labels.ts';
import { daemonSetToleratesEverything } from './daemon-set-tolerates-everything.ts';
import { deadlineBelowFirstPull } from './deadline-below-first-pull.ts';
import { imagePullPolicyAlways } from './image-pull-policy-always.ts';
import { imagePullPolicyNever } from './image-pull-policy-never.ts';
import { linuxPodOnWindowsNodes } from './linux-pod-on-windows-nodes.ts';
import { noNodeFits } from './no-node-fits.ts';
import { nodeNameSet } from './node-name-set.ts';
import { osSelectorMissing } from './os-selector-missing.ts';
import { preferredOsAffinity } from './preferred-os-affinity.ts';
import { providerLabelMatchesNoNode } from './provider-label-matches-no-node.ts';
import { retiredWindowsAnnotation } from './retired-windows-annotation.ts';
import { runtimeClassUnusable } from './runtime-class-unusable.ts';
import { selectorMatchesNoNode } from './selector-matches-no-node.ts';
import { windowsBuildMatchesNoNode } from './windows-build-matches-no-node.ts';
import { windowsOnArm64 } from './windows-on-arm64.ts';
import { windowsTaintNotTolerated } from './windows-taint-not-tolerated.ts';

export const SCHEDULING_RULES: readonly Rule[] = [
  osSelectorMissing, preferredOsAffinity, windowsTaintNotTolerated, windowsBuildMatchesNoNode, providerLabelMatchesNoNode, selectorMatchesNoNode, noNodeFits,
  runtimeClassUnusable, windowsOnArm64, nodeNameSet, betaNodeLabels, retiredWindowsAnnotation,
  linuxPodOnWindowsNodes, daemonSetToleratesEverything,
  imagePullPolicyAlways, imagePullPolicyNever, deadlineBelowFirstPull,
];
