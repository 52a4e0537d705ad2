import { styleText } from 'node:util';

/** Styles texts for a terminal, or returns them unchanged. */
export interface Colours {
  strong(text: string): string;
  faint(text: string): string;
  good(text: string): string;
  /** By severity. */
  blocker(text: string): string;
  warning(text: string): string;
  advice(text: string): string;
}

type Style = Parameters<typeof styleText>[0];

/** terminal.ts decides whether to use colours, not the stream that newer versions of Node check. */
const styled = (style: Style) => (text: string) => styleText(style, text, { validateStream: false });

export const colourful: Colours = {
  strong: styled('bold'),
  faint: styled('dim'),
  good: styled('green'),
  blocker: styled('red'),
  warning: styled('yellow'),
  advice: styled('cyan'),
};

const unchanged = (text: string) => text;

export const colourless: Colours = {
  strong: unchanged,
  faint: unchanged,
  good: unchanged,
  blocker: unchanged,
  warning: unchanged,
  advice: unchanged,
};
