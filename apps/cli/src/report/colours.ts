import { styleText } from 'node:util';

/** Marks up texts for a terminal, or leaves them as they are. */
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

/** Whether the terminal takes colours is decided elsewhere (terminal.ts), not by the stream that newer Nodes look at. */
const styled = (style: Style) => (text: string) => styleText(style, text, { validateStream: false });

export const colourful: Colours = {
  strong: styled('bold'),
  faint: styled('dim'),
  good: styled('green'),
  blocker: styled('red'),
  warning: styled('yellow'),
  advice: styled('cyan'),
};

const asIs = (text: string) => text;

export const colourless: Colours = {
  strong: asIs,
  faint: asIs,
  good: asIs,
  blocker: asIs,
  warning: asIs,
  advice: asIs,
};
