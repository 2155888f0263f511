import { listImages } from '../../app/list-images.ts';
import type { ClusterReader } from '../../app/ports.ts';
import type { ImageItem, ImageReport } from '../../app/images/image-report.ts';
import { ClusterError, InputError } from '../../errors.ts';
import { sortItems } from '../../output/sort-by.ts';
import { visibleControls } from '../../output/terminal-text.ts';
import type { View } from '../../output/view.ts';
import { imageDocument } from '../../output/views/image-document.ts';
import { hasSeveralNamespaces, imageGate, imagesFooter } from '../../output/views/image-texts.ts';
import { imagesView, type ImageViewOptions } from '../../output/views/images.ts';
import type { BaseCommand } from '../base-command.ts';
import { EXIT_CODES } from '../exit-code.ts';
import { keepHeapSmall } from '../small-heap.ts';
import type { imagesFlags } from './images-flags.ts';
import type { ImagesRequest } from './images-request.ts';
import { announceWaiting } from './slow-registries.ts';

export type ImagesCommand = BaseCommand<{ readonly flags: typeof imagesFlags }>;

/** Reads what is to be shown, prints it, and gives the exit code. */
export async function printImages(command: ImagesCommand, request: ImagesRequest): Promise<number> {
  const settings = await command.settings();
  const { filename, recursive, inventory, live } = command.flags;
  const manifests = filename.length === 0 ? null : await command.context.ports.openManifests({ sources: filename, recursive }, command.context);
  const { reader, problem } = manifests === null || inventory.length > 0 || live ? await openReader(command, request) : { reader: null, problem: null };
  const images = await command.openImages({ isOffline: inventory.length > 0 });
  const registry = images.registry === null || command.stderr.isTTY !== true ? images.registry : announceWaiting(images.registry, (line) => command.note(visibleControls(line)), { secondsPerImage: command.connectionFlags().requestTimeoutSeconds || 15 });
  // a large cluster is read page by page, and what is left of each page is little
  const endWatch = manifests === null ? keepHeapSmall() : () => undefined;
  const report = await listImages({
    ...request.list, ...images, registry, asOf: command.now(), overrides: settings.lifecycle, poolLabels: settings.poolLabels, signal: command.signal,
  }, { reader, manifests }).finally(endWatch);
  const { scope } = request.list;
  const options: ImageViewOptions = {
    asOf: command.now(), generatedAt: command.context.clock.now(), toolVersion: command.context.version, onlyProblems: request.onlyProblems, allNamespaces: scope.namespace === null,
    shortDigests: request.format.name === 'table', namespace: manifests !== null ? null : scope.namespace === undefined ? reader?.namespace ?? null : scope.namespace,
  };
  const view = sortedView(report, request.sortBy, options);
  // that there are none is not known where something could not be read
  if (view.items.length > 0 || report.unreadable.length === 0 || !['table', 'wide', 'name'].includes(request.format.name)) await command.print(view, request.format);
  return writeNotes(command, request, report, problem);
}

/** The cluster or inventory; for named images, what kept it from being opened. */
async function openReader(command: ImagesCommand, request: ImagesRequest): Promise<{ readonly reader: ClusterReader | null; readonly problem: string | null }> {
  try {
    return { reader: await command.openReader(), problem: null };
  } catch (error) {
    command.signal.throwIfAborted();
    if (!request.list.goesOnWithoutCluster || !(error instanceof ClusterError)) throw error;
    return { reader: null, problem: `nodes are not known: ${error.message}` };
  }
}

function sortedView(report: ImageReport, sortBy: string, options: ImageViewOptions): View<ImageItem> {
  const view = imagesView(report, options);
  return sortBy === '' ? view : imagesView({ ...report, items: sortItems(report.items, sortBy, view.columns, imageDocument) }, options);
}

function writeNotes(command: ImagesCommand, { format, failOn, list }: ImagesRequest, report: ImageReport, problem: string | null): number {
  for (const note of [...(problem === null ? [] : [problem]), ...report.notes]) command.note(`note: ${visibleControls(note)}`);
  const isForPeople = format.name === 'table' || format.name === 'wide';
  if (isForPeople && report.items.length > 0 && !command.flags['no-headers']) command.note(imagesFooter(report));
  const gate = imageGate(report, failOn, { withNamespaces: list.scope.namespace === null || hasSeveralNamespaces(report.items) });
  for (const reason of gate.reasons) command.note(`--fail-on: ${visibleControls(reason)}`);
  for (const { file, line, column, message, suggestions } of report.unreadable) command.report(new InputError({ file, line, column }, message, { suggestions }));
  if (report.unreadable.length > 0) return EXIT_CODES.usage;
  return gate.failed ? EXIT_CODES.found : EXIT_CODES.ok;
}
