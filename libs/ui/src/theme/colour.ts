/** A colour as red, green and blue, 0 to 255 each. */
export type Colour = readonly [red: number, green: number, blue: number];

export const BLACK: Colour = [0, 0, 0];
export const WHITE: Colour = [255, 255, 255];

/** @param hex `#rrggbb` */
export const parseColour = (hex: string): Colour => {
  const value = Number.parseInt(hex.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
};

export const colourText = ([red, green, blue]: Colour): string =>
  `#${[red, green, blue].map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;

/** @param share of the second colour, 0 to 1 */
export const mix = (one: Colour, other: Colour, share: number): Colour =>
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
export const inkOn = (background: Colour): Colour =>
  contrast(WHITE, background) >= contrast(BLACK, background) ? WHITE : BLACK;

/**
 * The colour itself, or the nearest shade of it that has the contrast on every one of the backgrounds.
 * @param wanted contrast ratio, such as 4.5 for text
 */
export function readableOn(colour: Colour, backgrounds: readonly Colour[], wanted: number): Colour {
  const ink = inkOn(backgrounds[0] ?? WHITE);
  for (let share = 0; share < 1; share += 0.05) {
    const shade = mix(colour, ink, share);
    // As it is written down, which rounds.
    const written = parseColour(colourText(shade));
    if (backgrounds.every((background) => contrast(written, background) >= wanted)) return written;
  }
  return ink;
}
