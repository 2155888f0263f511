import { booleanFlag, stringFlag } from '../flags.ts';

/** --images. Without a default of its own: KUBECTL_WIN_IMAGES and the configuration come after it. */
export const imagesFlag = stringFlag({
  choices: ['auto', 'registry', 'tags', 'off'], shownDefault: 'auto',
  description: 'What tells which builds of Windows an image runs on: its registry, then what runs, then its name and tag (auto; registries are asked for images of Windows workloads, and never with --inventory), the same with --inventory too (registry), its name and tag alone (tags), or nothing (off).',
});

/** --pull-secrets. */
export const pullSecretsFlag = booleanFlag({
  default: true,
  description: "If false, imagePullSecrets of pods are not read where a registry refuses Docker's own credentials: no Secret is, and no ServiceAccount for the Secrets that it names.",
});
