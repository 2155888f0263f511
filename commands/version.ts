import { BaseCommand } from '../src/cli/base-command.ts';
import { booleanFlag, inventoryFlags, outputFlag } from '../src/cli/flags.ts';

export default class Version extends BaseCommand<typeof Version> {
  static override summary = 'Print the client and server version information';
  static override description = 'Print the version of this program and of the API server of the current context.';
  static override examples = ['# Print the client and server versions for the current context\nkubectl win version'];
  static override flags = {
    client: booleanFlag({ description: 'If true, shows client version only (no server required).' }),
    output: outputFlag(['json', 'yaml']),
    inventory: inventoryFlags.inventory,
  };

  async run(): Promise<void> {
    this.stdout.write(`Client Version: v${this.context.version}\n`);
    if (this.flags.client) return;
    const reader = await this.openReader();
    const server = await reader.serverVersion({ signal: this.signal });
    this.stdout.write(`Server Version: ${server?.gitVersion ?? '<unknown>'}\n`);
  }
}
