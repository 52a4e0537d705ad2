import { luminance, toRgba } from '@mantine/core';

// Colours are texts, `#rrggbb`.
const BLACK = '#000000';
const WHITE = '#ffffff';

/** @param share of the second colour, 0 to 1 */
function mix(one: string, other: string, share: number): string {
  const [from, to] = [toRgba(one), toRgba(other)];
  const parts = (['r', 'g', 'b'] as const).map((name) => Math.round(from[name] + (to[name] - from[name]) * share));
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

/** Contrast ratio of two colours, 1 to 21 (WCAG 2.2). */
export function contrast(one: string, other: string): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((left, right) => right - left) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** Black or white, whichever is read better on the colour. */
const inkOn = (background: string): string =>
  contrast(WHITE, background) >= contrast(BLACK, background) ? WHITE : BLACK;

/**
 * The colour itself, or the nearest shade of it that has the contrast on every one of the backgrounds.
 * @param wanted contrast ratio, such as 4.5 for text
 */
function readableOn(colour: string, backgrounds: readonly string[], wanted: number): string {
  const ink = inkOn(backgrounds[0] ?? WHITE);
  for (let share = 0; share < 1; share += 0.05) {
    const shade = mix(colour, ink, share);
    if (backgrounds.every((background) => contrast(shade, background) >= wanted)) return shade;
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
 * All colours of the page. What a host sets is kept as far as text stays readable: a colour with too
 * little contrast is darkened or lightened until it has enough, so that no theme makes the page unreadable.
 */
export function paletteOf(base: BaseColours, scheme: 'light' | 'dark') {
  const { background, surface, accent, border } = base;
  const grounds = [surface, background];
  const text = readableOn(base.text, grounds, TEXT);
  const hover = mix(surface, text, 0.05);
  const selected = mix(surface, accent, 0.14);
  const readable = (colour: string): string => readableOn(colour, [...grounds, hover, selected], TEXT);
  const fill = readableOn(accent, grounds, CONTROL);
  const danger = readable(DANGER[scheme]);
  return {
    background,
    surface,
    text: readable(text),
    muted: readable(mix(text, surface, 0.35)),
    border,
    // The edge of an input is what shows where it is.
    edge: readableOn(border, grounds, CONTROL),
    hover,
    selected,
    link: readable(accent),
    fill,
    'fill-text': readableOn(inkOn(fill), [fill], TEXT),
    'fill-hover': mix(fill, inkOn(fill), 0.12),
    danger,
    'danger-ground': mix(surface, danger, 0.08),
    success: readable(SUCCESS[scheme]),
  };
}

export interface Theme {
  readonly colorScheme?: 'light' | 'dark' | 'auto';
  readonly colors?: Partial<BaseColours>;
  /** Pixels. */
  readonly radius?: number;
  /** Pixels. */
  readonly fontSize?: number;
}
