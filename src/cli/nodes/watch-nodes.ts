import { setImmediate } from 'node:timers/promises';
import { listNodes } from '../../app/list-nodes.ts';
import { type ListedNode, listedNodes } from '../../app/report-nodes.ts';
import { watchNodes } from '../../app/watch-nodes.ts';
import { ColumnWriter } from '../../output/column-writer.ts';
import { columnRow, columnsOf, render } from '../../output/print.ts';
import { type NodesViewOptions, nodeColumns, nodeDocument, nodesView } from '../../output/views/nodes.ts';
import { writeOut } from '../../output/write-out.ts';
import { PipeClosed } from '../context.ts';
import { isColourAllowed } from '../warnings.ts';
import { EXIT_CODES } from '../exit-code.ts';
import type { NodesRequest } from './nodes-request.ts';
import { type NodesCommand, dated, viewOptionsOf } from './print-nodes.ts';

/** Prints the nodes, then a row (or a document) per change as kubectl get -w does, until it is interrupted. */
export async function watchNodesOnTerminal(command: NodesCommand, request: NodesRequest): Promise<number> {
  const { flags } = command;
  const reader = await command.openReader();
  // pods change all the time; they are not read, so that nothing stale is shown
  const list = await dated(command, { ...request.list, withPods: false });
  const report = await listNodes(list, reader);
  for (const failure of report.failures) throw failure; // nothing to watch
  const print = printerOf(command, request, viewOptionsOf(command));
  const isWanted = ({ node }: ListedNode): boolean => request.withIssue === null || node.issues.some(request.withIssue.selects);
  if (!flags['watch-only']) await print(listedNodes(report).filter(isWanted));
  try {
    for await (const { node } of watchNodes(list, reader, report)) {
      const changed = { node, pods: null, context: report.source.context, serverVersion: report.serverVersion };
      if (isWanted(changed)) await print([changed]);
      // a burst of events must not keep Ctrl-C from being heard
      await setImmediate();
    }
  } catch (error) {
    // Ctrl-C is how a watch ends: nothing to say, as kubectl says nothing; a reader that has left has what it wanted
    if (command.signal.aborted) return command.signal.reason instanceof PipeClosed ? EXIT_CODES.ok : EXIT_CODES.interrupted;
    throw error;
  }
  return EXIT_CODES.ok;
}

/** Tables keep their column widths over all changes; documents come one per node. */
function printerOf(command: NodesCommand, { format }: NodesRequest, options: NodesViewOptions): (rows: readonly ListedNode[]) => Promise<void> {
  if (format.name === 'table' || format.name === 'wide') {
    const columns = columnsOf({ columns: nodeColumns(options) }, format.name === 'wide');
    const colour = isColourAllowed(command.stdout, command.context);
    const writer = new ColumnWriter(columns.map(({ header }) => header), { noHeaders: command.flags['no-headers'], colour });
    return async (rows) => {
      // ages go on while the watch runs
      const current = columnsOf({ columns: nodeColumns({ ...options, now: command.now() }) }, format.name === 'wide');
      await writeOut(command.stdout, await writer.format(rows.map((row) => columnRow(current, row, colour))));
    };
  }
  if (format.name === 'prometheus') throw new Error('refused by readNodesRequest');
  let headersPrinted = false;
  return async (rows) => {
    for (const row of rows) {
      const view = { ...nodesView({ reports: [], listed: [row] }, options), document: () => ({ apiVersion: 'kubectl-win/v1alpha1', kind: 'WindowsNode', ...nodeDocument(row) }) };
      await writeOut(command.stdout, await render(view, format, { noHeaders: headersPrinted }));
      headersPrinted = true;
    }
  };
}
