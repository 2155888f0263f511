import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../src/cli/base-command.ts';
import { copyFlags } from '../../src/cli/hostprocess/copy-flags.ts';

export default class HostprocessCp extends BaseCommand<typeof HostprocessCp> {
  static override summary = 'Copy files and folders to a Windows node, or from it';
  static override description = `Copy a file, or a folder with all that is in it, to a Windows node or from it. One of the two paths is on a node: NODE:PATH, or pod/NAME:PATH for the node of a pod, with a full path such as C:\\Windows\\Temp. One letter before a colon is a drive and no node.

 A folder becomes DEST: what is in SRC goes into it, beside what is there. Where DEST ends with a separator, or is . or .., SRC goes into DEST by its name; so does a file where DEST is a folder.

 Each file is compared by its SHA-256 when it has arrived, and put in its place as a whole. What was interrupted is left as NAME.kubectl-win-part: the same command goes on behind it, where its bytes are those of the source, and copies nothing that is there already. Times are kept; access lists, attributes and streams are not. A log that is being written to is copied as long as it was when it was opened.

 Links are not copied and not followed on either side. Names that could lead out of the folder, that Windows cannot have (devices, colons, a point at the end), or that differ by case alone are refused, and the rest is copied; the exit code is 1 then.

 It reaches the node as hostprocess exec does, through a HostProcess pod that is removed again, and takes the same rights. Contents and names stand in no audit log.`;

  static override examples = [
    '# Logs of a node\nkubectl win hostprocess cp win-0001:C:\\k\\logs ./logs-of-win-0001',
    '# A program onto a node\nkubectl win hostprocess cp ./procdump.exe win-0001:C:\\Tools\\',
    '# A file from the node of a pod, into this folder\nkubectl win hostprocess cp pod/shop/web-7d4b9:C:\\Windows\\System32\\drivers\\etc\\hosts .',
    '# What would be created, without a cluster\nkubectl win hostprocess cp ./tools win-0001:C:\\Tools --dry-run=client -o yaml --inventory nodes.json',
  ];

  static override usage = 'hostprocess cp (NODE:PATH LOCAL | LOCAL NODE:PATH) [flags] [options]';
  static override args = { PATH: Args.string({ description: 'SRC, then DEST; one of them NODE:PATH, node/NAME:PATH, pod/NAME:PATH or pod/NAMESPACE/NAME:PATH', multiple: true }) };
  static override flags = copyFlags;

  async run(): Promise<number> {
    const { readCopyRequest } = await import('../../src/cli/hostprocess/copy-request.ts');
    const request = readCopyRequest(this.words, this.flags, await this.formatFile(), this.context.platform);
    return (await import('../../src/cli/hostprocess/print-copy.ts')).printCopy(this, request);
  }
}
