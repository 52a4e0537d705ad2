import type { CliConfig } from './config.js';
import { errorCodeOf } from './error-code.js';
import { type Colours, colourful, colourless } from './report/colours.js';

/** What a command needs of the world around it. */
export interface Terminal {
  /** Writes to standard output. */
  out(text: string): void;
  /** Writes to standard error. */
  err(text: string): void;
  colours: Colours;
  /** Characters of a line; longer source lines are cut. */
  columns: number;
  config: CliConfig;
}

/** A line is not cut shorter than this, and has this length where there is no terminal. */
const COLUMNS = 120;

/**
 * Lets readers of standard output and error stop early, as `head` does: what is left goes nowhere, and the command ends
 * with the status that it has.
 */
export function tolerateClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error) => {
      if (errorCodeOf(error) !== 'EPIPE') throw error;
    });
  }
}

/** The terminal of this process. */
export function processTerminal(config: CliConfig): Terminal {
  const { stdout, stderr } = process;
  const isColourful = config.colours === 'always' || (config.colours === 'auto' && stdout.isTTY === true);
  return {
    out: (text) => stdout.write(text),
    err: (text) => stderr.write(text),
    colours: isColourful ? colourful : colourless,
    columns: Math.max(40, stdout.columns ?? COLUMNS),
    config,
  };
}
