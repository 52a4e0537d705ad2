import { isPlainObject } from './plain-object.js';

export const COLOUR_SCHEMES = ['light', 'dark', 'auto'] as const;
export type ColourScheme = (typeof COLOUR_SCHEMES)[number];

/** The colours that a host may set. Everything else follows from them, so that text stays readable. */
export const THEME_COLOURS = ['accent', 'background', 'surface', 'text', 'border'] as const;
export type ThemeColour = (typeof THEME_COLOURS)[number];

export interface EmbedTheme {
  /** `auto`, the default, follows the user's system. */
  readonly colourScheme?: ColourScheme;
  /** Each as `#rrggbb`. Anything else is refused: a colour never becomes a piece of a style sheet. */
  readonly colours?: Readonly<Partial<Record<ThemeColour, string>>>;
  /** Rounding of corners in pixels, 0 to 16. */
  readonly radius?: number;
  /** Size of text in pixels, 12 to 20. */
  readonly fontSize?: number;
}

const COLOUR = /^#[0-9a-f]{6}$/i;
const RADIUS = { min: 0, max: 16 };
const FONT_SIZE = { min: 12, max: 20 };

/** @returns undefined when any part of it is not what a theme may have */
export function parseTheme(value: unknown): EmbedTheme | undefined {
  if (!isPlainObject(value)) return undefined;
  const { colourScheme, colours, radius, fontSize } = value;
  if (!isAbsent(colourScheme) && !COLOUR_SCHEMES.includes(colourScheme as ColourScheme)) return undefined;
  if (!isAbsent(radius) && !isWithin(radius, RADIUS)) return undefined;
  if (!isAbsent(fontSize) && !isWithin(fontSize, FONT_SIZE)) return undefined;
  const known = isAbsent(colours) ? {} : parseColours(colours);
  if (!known) return undefined;
  return {
    ...(isAbsent(colourScheme) ? {} : { colourScheme: colourScheme as ColourScheme }),
    ...(Object.keys(known).length > 0 ? { colours: known } : {}),
    ...(isAbsent(radius) ? {} : { radius: radius as number }),
    ...(isAbsent(fontSize) ? {} : { fontSize: fontSize as number }),
  };
}

function parseColours(value: unknown): Partial<Record<ThemeColour, string>> | undefined {
  if (!isPlainObject(value)) return undefined;
  const entries = Object.entries(value).filter(([, colour]) => !isAbsent(colour));
  const areColours = entries.every(
    ([name, colour]) =>
      THEME_COLOURS.includes(name as ThemeColour) && typeof colour === 'string' && COLOUR.test(colour),
  );
  return areColours ? Object.fromEntries(entries) : undefined;
}

const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;

const isWithin = (value: unknown, { min, max }: { min: number; max: number }): boolean =>
  typeof value === 'number' && value >= min && value <= max;
