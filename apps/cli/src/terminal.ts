import { styleText } from 'node:util';
import { errorCodeOf } from './arguments.js';
import type { CliConfig } from './config.js';

/** What is told apart by colour; the last three are severities. */
const STYLES = {
  strong: 'bold',
  faint: 'dim',
  good: 'green',
  blocker: 'red',
  warning: 'yellow',
  advice: 'cyan',
} as const;

export type Colours = Readonly<Record<keyof typeof STYLES, (text: string) => string>>;

/** Styles texts, or returns them unchanged. terminal.ts decides whether, not the stream that newer versions of Node check. */
export function coloursOf(isColourful: boolean): Colours {
  const styled = Object.entries(STYLES).map(([name, style]) => [
    name,
    (text: string) => (isColourful ? styleText(style, text, { validateStream: false }) : text),
  ]);
  return Object.fromEntries(styled);
}

/** The environment of a command. */
export interface Terminal {
  out(text: string): void;
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

export function processTerminal(config: CliConfig): Terminal {
  const { stdout, stderr } = process;
  const isColourful = config.colours === 'always' || (config.colours === 'auto' && stdout.isTTY === true);
  return {
    out: (text) => stdout.write(text),
    err: (text) => stderr.write(text),
    colours: coloursOf(isColourful),
    columns: Math.max(40, stdout.columns ?? COLUMNS),
    config,
    interruption: () => {
      const interrupted = new AbortController();
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort());
      return interrupted.signal;
    },
  };
}

/**
 * Control characters and those that change the writing direction: a package must not move the reader's cursor or disguise
 * a line as another one (CVE-2021-42574). Noncharacters and lone surrogates are not allowed in XML.
 */
const UNSAFE = /[\p{Cc}\ufffe\uffff\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]|\p{Cs}/gu;

/** Makes a text of a package safe to show on one line: unsafe characters become `\uXXXX`. */
export function printable(text: string): string {
  return text.replace(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A value as multi-line JSON, safe to show like {@link printable}. */
export function printableJson(value: unknown): string {
  // Outside texts, line breaks are the only such characters in JSON.
  return JSON.stringify(value, null, 2).split('\n').map(printable).join('\n');
}

/** Characters that take two columns: East Asian scripts in their wide forms and pictographs. */
const WIDE =
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|[\uff01-\uff60]|\p{Emoji_Presentation}/u;
const NO_WIDTH = /\p{Mn}|\p{Me}|\u200d|\ufe0f/u;

/** The number of columns that a printable text takes in a terminal. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) width += NO_WIDTH.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}
