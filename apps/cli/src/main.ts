import { readConfig } from './config.js';
import { runCli } from './run-cli.js';
import { processTerminal, tolerateClosedPipes } from './terminal.js';

tolerateClosedPipes();
// Sets the status instead of exiting, so that a pipe receives all of a long report.
process.exitCode = await runCli(process.argv.slice(2), processTerminal(readConfig()));
