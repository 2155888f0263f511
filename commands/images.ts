import * as Args from '@oclif/core/args';
import { BaseCommand } from '../src/cli/base-command.ts';
import { imagesFlags } from '../src/cli/images/images-flags.ts';

export default class Images extends BaseCommand<typeof Images> {
  static override summary = 'Show images: which releases of Windows they hold, on which nodes they run, how that is known, and who uses them';
  static override description = `Show the images of Windows workloads with the releases of Windows that they hold, the evidence for that, the Windows nodes on which they run, their size and their users.

 Without arguments it shows the images of the current namespace, with -A of all, and of an --inventory all; with -f those of manifests, which needs no cluster; IMAGE arguments are looked at as they are. EVIDENCE is registry, observed (containers of it were seen running), tag (its name says so), not-found (its registry has no such image) or unknown. RUNS-ON counts the Windows nodes on which it runs, by the rule of each node's containerd; where nodes are not known it names releases. FAILS-WHERE-USED counts, of the nodes that its pods are on or can land on, those on which it fails (3/5); 0/0 fails everywhere, and its pods can land nowhere. WINDOWS says no-os.version for an entry that does not tell its build. SIZE is the compressed size of the largest variant, from the registry or as nodes report it. -o wide adds where it fails (ltsc2025(1/2) for one of two such nodes; fails where it is not known whether at pull or at start), digests and reasons, and asks registries for the size of each variant; MAY-TAKE shows the variants of which a node's containerd may take either, because its choice hangs on the order of a list or on a version that is not known.

 Registries are asked with the credentials of Docker's configuration and, in a cluster, with the imagePullSecrets of the pods; for IMAGE arguments, with those of the default service account of the namespace that -n names. Registries are asked from where this program runs: mirrors that the containerd of a node goes to are not known to it. What a registry does not tell is a note, and no error. What a tag means is believed for 5 minutes; --refresh asks anew.

 It takes the right to list workloads, pods and nodes; what may not be read is said. Secrets are read (get secrets), and service accounts for the Secrets that they name (get serviceaccounts), only where a registry refuses Docker's own credentials, and never with --pull-secrets=false.`;

  static override examples = [
    '# The images of the current namespace, or of all\nkubectl win images\nkubectl win images -A -o wide',
    '# Which nodes can run these?\nkubectl win images mcr.microsoft.com/windows/servercore:ltsc2022 registry.example.com/shop/web:4.2',
    '# The images of manifests, without a cluster and against one\nkubectl win images -f deploy/\nhelm template . | kubectl win images -f - --live',
    '# What fails where its pods can land, or is not known; the worst first\nkubectl win images -A --problems --sort-by=fails',
    '# The largest first\nkubectl win images -A --sort-by=size',
    '# In a runbook: exit code 1 when an image fails where its pods can land, or nobody knows\nkubectl win images -A --fail-on=unknown',
    '# Their names, one a line\nkubectl win images -n shop -o name',
    '# Offline, and without asking registries\nkubectl win images --inventory=prod.json\nkubectl win images -A --images=tags',
  ];

  static override usage = 'images [IMAGE...] [flags] [options]';
  static override args = { IMAGE: Args.string({ description: 'IMAGE as in a pod spec; several can be given', multiple: true }) };
  static override flags = imagesFlags;

  async run(): Promise<number> {
    const [{ readImagesRequest }, { printImages }] = await Promise.all([import('../src/cli/images/images-request.ts'), import('../src/cli/images/print-images.ts')]);
    return printImages(this, readImagesRequest(this.words, this.flags, await this.settings(), await this.formatFile()));
  }
}
