import { type Colour, colourText, inkOn, mix, parseColour, readableOn } from './colour.js';

/** The colours that a theme may set, each as `#rrggbb`. */
export interface BaseColours {
  readonly accent: string;
  readonly background: string;
  readonly surface: string;
  readonly text: string;
  readonly border: string;
}

export const LIGHT: BaseColours = {
  accent: '#2b5fd9',
  background: '#f6f7f9',
  surface: '#ffffff',
  text: '#1a2233',
  border: '#d8dde6',
};

export const DARK: BaseColours = {
  accent: '#7ea6ff',
  background: '#14171d',
  surface: '#1c2129',
  text: '#e8ebf1',
  border: '#363d4a',
};

/** Contrast that WCAG 2.2 AA asks for text, and for what shows the edges and states of controls. */
const TEXT = 4.5;
const CONTROL = 3;

const DANGER = { light: '#c02636', dark: '#ff8f96' };
const SUCCESS = { light: '#1c7a45', dark: '#6fd19a' };

/**
 * All colours of the page as custom properties. What a host sets is kept as far as text stays readable: a colour with too
 * little contrast is darkened or lightened until it has enough, so that no theme makes the page unreadable.
 */
export function paletteOf(base: BaseColours, scheme: 'light' | 'dark'): Readonly<Record<string, string>> {
  const background = parseColour(base.background);
  const surface = parseColour(base.surface);
  const accent = parseColour(base.accent);
  const grounds = [surface, background];
  const text = readableOn(parseColour(base.text), grounds, TEXT);
  const hover = mix(surface, text, 0.05);
  const selected = mix(surface, accent, 0.14);
  const allGrounds = [...grounds, hover, selected];
  const readable = (colour: Colour): Colour => readableOn(colour, allGrounds, TEXT);
  const fill = readableOn(accent, grounds, CONTROL);
  const danger = readable(parseColour(DANGER[scheme]));
  const colours: Record<string, Colour> = {
    background,
    surface,
    text: readable(text),
    muted: readable(mix(text, surface, 0.35)),
    border: parseColour(base.border),
    // The edge of an input is what shows where it is.
    edge: readableOn(parseColour(base.border), grounds, CONTROL),
    hover,
    selected,
    link: readable(accent),
    fill,
    'fill-text': readableOn(inkOn(fill), [fill], TEXT),
    'fill-hover': mix(fill, inkOn(fill), 0.12),
    danger,
    'danger-ground': mix(surface, danger, 0.08),
    success: readable(parseColour(SUCCESS[scheme])),
  };
  return Object.fromEntries(Object.entries(colours).map(([name, colour]) => [`--${name}`, colourText(colour)]));
}
