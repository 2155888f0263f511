import { UsageError } from '../src/errors.ts';
import { BaseCommand } from '../src/cli/base-command.ts';
import { visibleControls } from '../src/output/terminal-text.ts';
import { booleanFlag, inventoryFlags, stringFlag } from '../src/cli/flags.ts';

/** The newest Kubernetes that the cluster tests of this version run against. */
const TESTED_MINOR = 37;

export default class Version extends BaseCommand<typeof Version> {
  static override summary = 'Print the client and server version information';
  static override description = 'Print the version of this program and of the API server of the current context.';
  static override examples = [
    '# Print the client and server versions for the current context\nkubectl win version',
    '# Print the version of this program alone; no cluster is asked\nkubectl win version --client -o json',
    '# Print the version of the API server that an inventory was recorded from\nkubectl win version --inventory prod.json',
  ];
  static override flags = {
    client: booleanFlag({ description: 'If true, shows client version only (no server required).' }),
    output: stringFlag({ char: 'o', description: "One of 'yaml' or 'json'." }),
    inventory: inventoryFlags.inventory,
  };

  async run(): Promise<void> {
    const format = this.flags.output ?? '';
    if (!['', 'json', 'yaml'].includes(format)) throw new UsageError("--output must be 'yaml' or 'json'");
    const server = this.flags.client ? null : await this.#serverVersion().catch((error: unknown) => ({ error }));
    const failed = server !== null && 'error' in server;
    const gitVersion = server === null || failed ? null : server.gitVersion;
    if (format === '') {
      this.stdout.write(`Client Version: v${this.context.version}\n`);
      if (server !== null && !failed) this.stdout.write(`Server Version: ${visibleControls(gitVersion ?? '<unknown>')}\n`);
    } else {
      await this.#printDocument(format, server === null || failed ? {} : { serverVersion: gitVersion === null ? null : versionInfo(gitVersion) });
    }
    // the client's part is a result even where there is no server
    if (failed) throw server.error;
    const minor = gitVersion === null ? null : minorOf(gitVersion);
    if (minor !== null && minor > TESTED_MINOR + 1) {
      this.note(`WARNING: version difference between the Kubernetes this program was tested with (1.${TESTED_MINOR}) and server (1.${minor}) exceeds the supported minor version skew of +1`);
    }
  }

  async #serverVersion(): Promise<{ readonly gitVersion: string | null }> {
    const reader = await this.openReader();
    return { gitVersion: (await reader.serverVersion({ signal: this.signal }))?.gitVersion ?? null };
  }

  async #printDocument(format: string, server: Readonly<Record<string, unknown>>): Promise<void> {
    const document = {
      clientVersion: { ...versionInfo(`v${this.context.version}`), nodeVersion: process.version, platform: goPlatform(process.platform, process.arch) },
      ...server,
    };
    const { writeOut } = await import('../src/output/write-out.ts');
    const chunks = format === 'json'
      ? (await import('../src/output/json.ts')).renderJson(document)
      : await (await import('../src/output/yaml.ts')).renderYaml(document);
    await writeOut(this.stdout, chunks);
  }
}

function versionInfo(gitVersion: string): { major: string; minor: string; gitVersion: string } {
  const [, major = '', minor = ''] = /^v?(\d+)\.(\d+)/.exec(gitVersion) ?? [];
  return { major, minor, gitVersion };
}

function minorOf(gitVersion: string): number | null {
  const match = /^v?1\.(\d+)/.exec(gitVersion);
  return match === null ? null : Number(match[1]);
}

/** `linux/amd64`, as Go and kubectl name a platform. */
export function goPlatform(platform: string, architecture: string): string {
  const system = platform === 'win32' ? 'windows' : platform;
  const processor = ({ x64: 'amd64', ia32: '386' } as Readonly<Record<string, string>>)[architecture] ?? architecture;
  return `${system}/${processor}`;
}
