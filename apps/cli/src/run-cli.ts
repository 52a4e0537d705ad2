import { UsageError } from './arguments.js';
import { CERTIFY_USAGE, certifyCommand } from './commands/certify.js';
import { DIFF_USAGE, diffCommand } from './commands/diff.js';
import { INIT_USAGE, initCommand } from './commands/init.js';
import { LISTEN_USAGE, listenCommand } from './commands/listen.js';
import { TRIGGER_USAGE, triggerCommand } from './commands/trigger.js';
import { printable, type Terminal } from './terminal.js';

interface Command {
  usage: string;
  /** Returns the exit status. */
  run(args: readonly string[], terminal: Terminal): Promise<number>;
}

const COMMANDS: ReadonlyMap<string, Command> = new Map([
  ['certify', { usage: CERTIFY_USAGE, run: certifyCommand }],
  ['diff', { usage: DIFF_USAGE, run: diffCommand }],
  ['init', { usage: INIT_USAGE, run: initCommand }],
  ['listen', { usage: LISTEN_USAGE, run: listenCommand }],
  ['trigger', { usage: TRIGGER_USAGE, run: triggerCommand }],
]);

const USAGE = `Usage: crm-dev <command> [options]

  certify <app.json …>       check a package
  diff <old.json> <new.json> compare two versions of a package
  init --kind <kind>         create a starter package
  listen <app-key>           stream sandbox deliveries, and forward them to localhost
  trigger <event> <app-key>  send a sample event to an app's sandboxes

Run crm-dev <command> --help for details.
`;

const EXIT_USAGE = 2;

/**
 * @param args the arguments after the name of the program
 * @returns the exit status: 0, 1 when the answer is no, 2 for wrong usage
 */
export async function runCli(args: readonly string[], terminal: Terminal): Promise<number> {
  const [name, ...rest] = args;
  if (name === '--help' || name === '-h' || name === 'help') {
    terminal.out(USAGE);
    return 0;
  }
  const command = COMMANDS.get(name ?? '');
  if (!command) {
    terminal.err(`${name === undefined ? '' : `Unknown command "${printable(name)}".\n\n`}${USAGE}`);
    return EXIT_USAGE;
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    terminal.out(command.usage);
    return 0;
  }
  try {
    return await command.run(rest, terminal);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    terminal.err(`${printable(error.message)}\n${error.usage === undefined ? '' : `\n${error.usage}`}`);
    return EXIT_USAGE;
  }
}
