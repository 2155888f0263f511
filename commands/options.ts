import { BaseCommand } from '../src/cli/base-command.ts';
import { describeFlags } from '../src/cli/command-info.ts';
import { globalFlags } from '../src/cli/flags.ts';
import { renderOptionsHelp } from '../src/cli/help.ts';

export default class Options extends BaseCommand<typeof Options> {
  static override summary = 'Print the list of flags inherited by all commands';
  static override description = 'Print the list of flags inherited by all commands.';
  static override examples = ['# Print flags inherited by all commands\nkubectl win options'];

  async run(): Promise<void> {
    this.stdout.write(renderOptionsHelp(describeFlags(globalFlags)));
  }
}
