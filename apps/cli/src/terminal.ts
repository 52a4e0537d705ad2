import type { CliConfig } from './config.js';
import { errorCodeOf } from './error-code.js';
import { type Colours, colourful, colourless } from './report/colours.js';

/** The environment of a command. */
export interface Terminal {
  /** Writes to standard output. */
  out(text: string): void;
  /** Writes to standard error. */
  err(text: string): void;
  colours: Colours;
  /** Characters per line; longer source lines are truncated. */
  columns: number;
  config: CliConfig;
  /** From now on Ctrl-C does not end the process, but aborts the signal; a second one ends it. */
  interruption(): AbortSignal;
}

/** Characters per line without a terminal. */
const COLUMNS = 120;

/**
 * Lets readers of standard output and error stop early, as `head` does: the rest of the output is dropped, and the command
 * ends with its normal status.
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
    interruption: () => {
      const interrupted = new AbortController();
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort());
      return interrupted.signal;
    },
  };
}
