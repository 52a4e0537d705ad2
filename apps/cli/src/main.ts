import { readConfig } from './config.js';
import { runCli } from './run-cli.js';
import { processTerminal, tolerateClosedPipes } from './terminal.js';

tolerateClosedPipes();
// The status is set and the process left to end, so that a pipe gets all of a long report.
process.exitCode = await runCli(process.argv.slice(2), processTerminal(readConfig()));
