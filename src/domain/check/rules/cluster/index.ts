import type { Rule } from '../../rule.ts';
import { injectedLinuxContainer } from './injected-linux-container.ts';
import { nodeNotFit } from './node-not-fit.ts';
import { observedSymptom } from './observed-symptom.ts';
import { openWindowsNodes } from './open-windows-nodes.ts';
import { windowsAgentNotReady } from './windows-agent-not-ready.ts';

export const CLUSTER_RULES: readonly Rule[] = [observedSymptom, injectedLinuxContainer, openWindowsNodes, nodeNotFit, windowsAgentNotReady];
