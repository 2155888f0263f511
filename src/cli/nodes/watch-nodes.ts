import { listNodes } from '../../app/list-nodes.ts';
import { watchNodes } from '../../app/watch-nodes.ts';
import { ColumnWriter } from '../../output/column-writer.ts';
import { columnRow, columnsOf, render } from '../../output/print.ts';
import { type NodeRow, type NodesViewOptions, nodeColumns, nodeDocument, nodeRow, nodesView } from '../../output/views/nodes.ts';
import { writeOut } from '../../output/write-out.ts';
import type { BaseCommand } from '../base-command.ts';
import { isColourAllowed } from '../warnings.ts';
import { EXIT_CODES } from '../exit-code.ts';
import type { NodesRequest } from './nodes-request.ts';
import { type NodesCommand, dated } from './print-nodes.ts';

/** Prints the nodes, then a row (or a document) per change as kubectl get -w does, until it is interrupted. */
export async function watchNodesOnTerminal(command: NodesCommand, request: NodesRequest): Promise<number> {
  const { flags } = command;
  const reader = await command.openReader();
  const list = await dated(command, request.list);
  const report = await listNodes(list, reader);
  for (const failure of report.failures) throw failure; // nothing to watch
  const options: NodesViewOptions = {
    now: command.now(), toolVersion: command.context.version, labelColumns: flags['label-columns'], showLabels: flags['show-labels'],
    showAgents: false, showOs: flags['all-os'], showContext: false,
  };
  const print = printerOf(command, request, options);
  const isWanted = (row: NodeRow): boolean => request.withIssue === null || row.node.issues.some(request.withIssue);
  if (!flags['watch-only']) await print(report.nodes.map((node) => nodeRow(node, report)).filter(isWanted));
  for await (const { node } of watchNodes(list, reader, report)) {
    const row = nodeRow(node, report);
    if (isWanted(row)) await print([row]);
  }
  return EXIT_CODES.ok;
}

/** Tables keep their column widths over all changes; documents come one per node. */
function printerOf(command: BaseCommand, { format }: NodesRequest, options: NodesViewOptions): (rows: readonly NodeRow[]) => Promise<void> {
  if (format.name === 'table' || format.name === 'wide') {
    const columns = columnsOf({ columns: nodeColumns(options) }, format.name === 'wide');
    const colour = isColourAllowed(command.stdout, command.context);
    const noHeaders = (command.flags as { 'no-headers'?: boolean })['no-headers'] === true;
    const writer = new ColumnWriter(columns.map(({ header }) => header), { noHeaders, colour });
    return async (rows) => {
      // ages go on while the watch runs
      const current = columnsOf({ columns: nodeColumns({ ...options, now: command.now() }) }, format.name === 'wide');
      await writeOut(command.stdout, await writer.format(rows.map((row) => columnRow(current, row, colour))));
    };
  }
  let headersPrinted = false;
  return async (rows) => {
    for (const row of rows) {
      const view = { ...nodesView([], [row], options), document: () => ({ apiVersion: 'kubectl-win/v1alpha1', kind: 'WindowsNode', ...nodeDocument(row) }) };
      if (format.name === 'prometheus') throw new Error('refused by readNodesRequest');
      await writeOut(command.stdout, await render(view, format, { noHeaders: headersPrinted }));
      headersPrinted = true;
    }
  };
}
