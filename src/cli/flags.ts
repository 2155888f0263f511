/** kubectl's own flags, spelled and described as kubectl does; every command takes them from here. */
import * as Flags from '@oclif/core/flags';
import type { BooleanFlag, OptionFlag } from '@oclif/core/interfaces';

/** What the argv reader and the help know of a flag beyond oclif's own fields. */
export interface FlagTraits {
  /** Kind of value, for pflag's error texts; default `string`. */
  readonly valueKind?: 'string' | 'integer' | 'duration';
  /** Value of the flag when it is given bare (pflag's NoOptDefVal). */
  readonly bareValue?: string;
  /** Shown as the default in help, where that differs from the real one. */
  readonly shownDefault?: string;
}

interface FlagText {
  /** kubectl's sentence, with a full stop. */
  readonly description: string;
  /** One letter. */
  readonly char?: OptionFlag<string>['char'];
  readonly hidden?: boolean;
}

function shared(text: FlagText): { description: string; char?: NonNullable<FlagText['char']>; hidden?: boolean } {
  return {
    description: text.description,
    ...(text.char === undefined ? {} : { char: text.char }),
    ...(text.hidden === undefined ? {} : { hidden: text.hidden }),
  };
}

/** A flag with one text; the last one wins. */
export function stringFlag(options: FlagText & FlagTraits & { readonly default: string; readonly choices?: readonly string[] }): OptionFlag<string>;
export function stringFlag(options: FlagText & FlagTraits & { readonly choices?: readonly string[] }): OptionFlag<string | undefined>;
export function stringFlag(
  options: FlagText & FlagTraits & { readonly default?: string; readonly choices?: readonly string[] },
): OptionFlag<string> | OptionFlag<string | undefined> {
  const { valueKind, bareValue, shownDefault } = options;
  return Object.assign(
    Flags.string({
      ...shared(options),
      ...(options.default === undefined ? {} : { default: options.default }),
      ...(options.choices === undefined ? {} : { options: options.choices }),
    }),
    { valueKind, bareValue, shownDefault } as FlagTraits,
  );
}

/** A flag that can be given several times; with `separator` one value can hold several (pflag's StringSlice). */
export function stringsFlag(options: FlagText & { readonly separator?: ',' }): OptionFlag<string[]> {
  return Flags.string({
    ...shared(options),
    multiple: true,
    // otherwise `--as-group g1 NAME` would swallow NAME: https://github.com/oclif/core/issues/496, read 2026-11-30
    multipleNonGreedy: true,
    default: [],
    ...(options.separator === undefined ? {} : { delimiter: options.separator }),
  });
}

/** A switch; `--x`, `--x=true`, `--x=false`. */
export function booleanFlag(options: FlagText & { readonly default?: boolean }): BooleanFlag<boolean> {
  const byDefault = options.default ?? false;
  // allowNo lets the argv reader hand `--x=false` on to oclif; users cannot type --no-x, as with pflag.
  return Flags.boolean({ ...shared(options), default: byDefault, allowNo: byDefault });
}

/** A whole number. */
export function integerFlag(options: FlagText & { readonly default: number; readonly min?: number; readonly max?: number }): OptionFlag<number> {
  return Object.assign(
    Flags.custom<number>({ parse: async (text) => Number(text) })({ ...shared(options), default: options.default }),
    { valueKind: 'integer', min: options.min, max: options.max } as FlagTraits,
  );
}

/** The flags of `kubectl options`: in every command, hidden from its help. https://github.com/kubernetes/cli-runtime/blob/v0.37.2/pkg/genericclioptions/config_flags.go, read 2026-11-30 */
export const globalFlags = {
  as: stringFlag({ description: 'Username to impersonate for the operation. User could be a regular user or a service account in a namespace.', hidden: true }),
  'as-group': stringsFlag({ description: 'Group to impersonate for the operation, this flag can be repeated to specify multiple groups.', hidden: true }),
  'as-uid': stringFlag({ description: 'UID to impersonate for the operation.', hidden: true }),
  'as-user-extra': stringsFlag({ description: 'User extras to impersonate for the operation, this flag can be repeated to specify multiple values for the same key.', hidden: true }),
  'cache-dir': stringFlag({ description: 'Default cache directory', shownDefault: '$HOME/.kube/cache', hidden: true }),
  'certificate-authority': stringFlag({ description: 'Path to a cert file for the certificate authority', hidden: true }),
  'client-certificate': stringFlag({ description: 'Path to a client certificate file for TLS', hidden: true }),
  'client-key': stringFlag({ description: 'Path to a client key file for TLS', hidden: true }),
  cluster: stringFlag({ description: 'The name of the kubeconfig cluster to use', hidden: true }),
  context: stringFlag({ description: 'The name of the kubeconfig context to use', hidden: true }),
  'disable-compression': booleanFlag({ description: 'If true, opt-out of response compression for all requests to the server', hidden: true }),
  'insecure-skip-tls-verify': booleanFlag({ description: "If true, the server's certificate will not be checked for validity. This will make your HTTPS connections insecure", hidden: true }),
  kubeconfig: stringFlag({ description: 'Path to the kubeconfig file to use for CLI requests.', hidden: true }),
  kuberc: stringFlag({ description: 'Path to the kuberc file to use for preferences. This can be disabled by exporting KUBECTL_KUBERC=false feature gate or turning off the feature KUBERC=off.', hidden: true }),
  'log-flush-frequency': stringFlag({ description: 'Accepted for compatibility with kubectl and not used.', default: '5s', hidden: true }),
  'match-server-version': booleanFlag({ description: 'Accepted for compatibility with kubectl and not used: this program has no version that could match the server.', hidden: true }),
  namespace: stringFlag({ char: 'n', description: 'If present, the namespace scope for this CLI request', hidden: true }),
  password: stringFlag({ description: 'Password for basic authentication to the API server', hidden: true }),
  profile: stringFlag({ description: 'Accepted for compatibility with kubectl and not used.', default: 'none', hidden: true }),
  'profile-output': stringFlag({ description: 'Accepted for compatibility with kubectl and not used.', default: 'profile.pprof', hidden: true }),
  'proxy-url': stringFlag({ description: 'Proxy URL to use for requests to the API server', hidden: true }),
  'request-timeout': stringFlag({
    description: "The length of time to wait before giving up on a single server request. Non-zero values should contain a corresponding time unit (e.g. 1s, 2m, 3h). A value of zero means don't timeout requests.",
    default: '0', valueKind: 'duration', hidden: true,
  }),
  server: stringFlag({ char: 's', description: 'The address and port of the Kubernetes API server', hidden: true }),
  'tls-server-name': stringFlag({ description: 'Server name to use for server certificate validation. If it is not provided, the hostname used to contact the server is used', hidden: true }),
  token: stringFlag({ description: 'Bearer token for authentication to the API server', hidden: true }),
  user: stringFlag({ description: 'The name of the kubeconfig user to use', hidden: true }),
  username: stringFlag({ description: 'Username for basic authentication to the API server', hidden: true }),
  v: integerFlag({ char: 'v', description: 'number for the log level verbosity', default: 0, hidden: true }),
  vmodule: stringFlag({ description: 'Accepted for compatibility with kubectl and not used.', shownDefault: '', hidden: true }),
  'warnings-as-errors': booleanFlag({ description: 'Treat warnings received from the server as errors and exit with a non-zero exit code', hidden: true }),
};

/** -o with the formats of the command in its description. */
export function outputFlag(formats: readonly string[]): OptionFlag<string | undefined> {
  return stringFlag({ char: 'o', description: `Output format. One of: (${formats.join(', ')}).` });
}

export const selectorFlag = stringFlag({
  char: 'l',
  description: "Selector (label query) to filter on, supports '=', '==', '!=', 'in', 'notin'.(e.g. -l key1=value1,key2=value2,key3 in (value3)). Matching objects must satisfy all of the specified label constraints.",
});

export const fieldSelectorFlag = stringFlag({
  description: "Selector (field query) to filter on, supports '=', '==', and '!='.(e.g. --field-selector key1=value1,key2=value2). The server only supports a limited number of field queries per type.",
});

/** kubectl get's flags that shape a table. */
export const tableFlags = {
  'no-headers': booleanFlag({ description: "When using the default or custom-column output format, don't print headers (default print headers)." }),
  'show-labels': booleanFlag({ description: 'When printing, show all labels as the last column (default hide labels column)' }),
  'label-columns': stringsFlag({
    char: 'L', separator: ',',
    description: 'Accepts a comma separated list of labels that are going to be presented as columns. Names are case-sensitive. You can also use multiple flag options like -L label1 -L label2...',
  }),
  'sort-by': stringFlag({
    description: "If non-empty, sort list types using this field specification. The field specification is expressed as a JSONPath expression (e.g. '{.metadata.name}').",
  }),
};

export const watchFlags = {
  watch: booleanFlag({ char: 'w', description: 'After listing/getting the requested object, watch for changes.' }),
  'watch-only': booleanFlag({ description: 'Watch for changes to the requested object(s), without listing/getting first.' }),
};

export const chunkSizeFlag = integerFlag({
  default: 500, min: 0,
  description: 'Return large lists in chunks rather than all at once. Pass 0 to disable.',
});

/** What every reading command has to work offline. */
export const inventoryFlags = {
  inventory: stringsFlag({
    description: 'Read recorded objects instead of the cluster: a file, a folder, or - for stdin; written by --save or by kubectl get -o json|yaml. Can be repeated.',
  }),
  save: stringFlag({ description: 'Write what was read from the cluster to this file, for --inventory.' }),
  'kubernetes-version': stringFlag({ description: "Version to judge by, in place of the server's (e.g. 1.34)." }),
  'as-of': stringFlag({ description: 'Day to judge by, in place of today (YYYY-MM-DD).' }),
};

/** Flags that choose nodes, of commands that do something on them. */
export const nodeSelectionFlags = {
  selector: stringFlag({ char: 'l', description: "Selector (label query) for nodes, supports '=', '==', '!=', 'in', 'notin'.(e.g. -l key1=value1,key2=value2,key3 in (value3))." }),
  pool: stringsFlag({ separator: ',', description: 'Only nodes of this pool. Can be repeated.' }),
};

/** kubectl's --dry-run, of commands that create objects. */
export const dryRunFlag = stringFlag({
  default: 'none', bareValue: 'client', choices: ['none', 'client', 'server'],
  description: 'Must be "none", "client", or "server". If client, plan and create nothing; -o yaml prints the objects that would be created. If server, ask the API server too whether it would take them.',
});
