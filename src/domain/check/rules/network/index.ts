import type { Rule } from '../../rule.ts';
import { dnsOptionsIgnored } from './dns-options-ignored.ts';
import { dnsPolicyHostNet } from './dns-policy-host-net.ts';
import { hostNetworkWithoutHostProcess } from './host-network-without-host-process.ts';
import { hostPortOnWindows } from './host-port-on-windows.ts';
import { ipv6ForWindowsPods } from './ipv6-for-windows-pods.ts';
import { localTrafficPolicyWithoutDsr } from './local-traffic-policy-without-dsr.ts';
import { networkPolicyNotEnforced } from './network-policy-not-enforced.ts';
import { pingToOutside } from './ping-to-outside.ts';
import { sctpPort } from './sctp-port.ts';
import { serviceMeshInjection } from './service-mesh-injection.ts';
import { sessionAffinityOldWindows } from './session-affinity-old-windows.ts';
import { tooManyEndpoints } from './too-many-endpoints.ts';

export const NETWORK_RULES: readonly Rule[] = [
  hostNetworkWithoutHostProcess, dnsPolicyHostNet, dnsOptionsIgnored, hostPortOnWindows, sctpPort, pingToOutside, serviceMeshInjection,
  sessionAffinityOldWindows, localTrafficPolicyWithoutDsr, tooManyEndpoints, ipv6ForWindowsPods, networkPolicyNotEnforced,
];
