/** A colour as red, green and blue, 0 to 255 each. */
type Colour = readonly [red: number, green: number, blue: number];

const BLACK: Colour = [0, 0, 0];
const WHITE: Colour = [255, 255, 255];

/** @param hex `#rrggbb` */
export const parseColour = (hex: string): Colour => {
  const value = Number.parseInt(hex.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
};

const colourText = ([red, green, blue]: Colour): string =>
  `#${[red, green, blue].map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;

/** @param share of the second colour, 0 to 1 */
const mix = (one: Colour, other: Colour, share: number): Colour =>
  one.map((part, index) => part + ((other[index] as number) - part) * share) as unknown as Colour;

/** Relative luminance (WCAG 2.2). */
function luminance(colour: Colour): number {
  const [red, green, blue] = colour.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as unknown as Colour;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Contrast ratio of two colours, 1 to 21 (WCAG 2.2). */
export function contrast(one: Colour, other: Colour): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((left, right) => right - left) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** Black or white, whichever is read better on the colour. */
const inkOn = (background: Colour): Colour =>
  contrast(WHITE, background) >= contrast(BLACK, background) ? WHITE : BLACK;

/**
 * The colour itself, or the nearest shade of it that has the contrast on every one of the backgrounds.
 * @param wanted contrast ratio, such as 4.5 for text
 */
function readableOn(colour: Colour, backgrounds: readonly Colour[], wanted: number): Colour {
  const ink = inkOn(backgrounds[0] ?? WHITE);
  for (let share = 0; share < 1; share += 0.05) {
    const shade = mix(colour, ink, share);
    // As it is written down, which rounds.
    const written = parseColour(colourText(shade));
    if (backgrounds.every((background) => contrast(written, background) >= wanted)) return written;
  }
  return ink;
}

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

export interface Theme {
  readonly colourScheme?: 'light' | 'dark' | 'auto';
  readonly colours?: Partial<BaseColours>;
  /** Pixels. */
  readonly radius?: number;
  /** Pixels. */
  readonly fontSize?: number;
}
