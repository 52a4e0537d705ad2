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

/** Select Graphic Rendition (ECMA-48): sets an attribute and sets it back. */
function sgr(on: number, off: number): (text: string) => string {
  return (text) => `\u001b[${on}m${text}\u001b[${off}m`;
}

export const colourful: Colours = {
  strong: sgr(1, 22),
  faint: sgr(2, 22),
  good: sgr(32, 39),
  blocker: sgr(31, 39),
  warning: sgr(33, 39),
  advice: sgr(36, 39),
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
