import { booleanFlag, stringFlag } from '../flags.ts';

/** --images. Without a default of its own: KUBECTL_WIN_IMAGES and the configuration come after it. */
export const imagesFlag = stringFlag({
  choices: ['auto', 'registry', 'tags', 'off'], shownDefault: 'auto',
  description: 'What tells which builds of Windows an image runs on: its registry, then what runs, then its name and tag (auto; registries are asked for images of Windows workloads, and never with --inventory), the same with --inventory too (registry), its name and tag alone (tags), or nothing (off). KUBECTL_WIN_IMAGES and images in the configuration (~/.kube/kubectl-win.yaml, or the file that KUBECTL_WIN_CONFIG names) are asked where the flag is not given; registries there says how registries are reached.',
});

/** --refresh. */
export const refreshFlag = booleanFlag({
  description: 'If true, registries are asked what each tag means now. Otherwise what they said of a tag is believed for 5 minutes; it is kept in the folder of --cache-dir, under kubectl-win/registries.',
});

/** --pull-secrets. */
export const pullSecretsFlag = booleanFlag({
  default: true,
  description: "If false, imagePullSecrets of pods are not read where a registry refuses Docker's own credentials: no Secret is, and no ServiceAccount for the Secrets that it names.",
});
