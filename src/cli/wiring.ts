/** Composition root: the only place that loads adapters, and only when a command needs them. */
import type { ClusterReader } from '../app/ports.ts';
import type { CommandContext, Ports, ReaderOptions } from './context.ts';

async function openReader(_options: ReaderOptions, _context: CommandContext): Promise<ClusterReader> {
  throw new Error('no adapter yet');
}

export const realPorts: Ports = { openReader };
