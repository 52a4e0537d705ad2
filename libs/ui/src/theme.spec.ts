import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { contrast, DARK, LIGHT, paletteOf } from './theme.js';

const hex = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);

/** The pairs that texts are shown in. */
const TEXT_ON: readonly (readonly [string, string])[] = [
  ...['text', 'muted', 'link'].flatMap((text) => [[text, 'surface'] as const, [text, 'background'] as const]),
  ['text', 'hover'],
  ['text', 'selected'],
  ['link', 'selected'],
  ['fill-text', 'fill'],
];

const ratio = (palette: Readonly<Record<string, string>>, one: string, other: string): number =>
  contrast(palette[one] as string, palette[other] as string);

describe('the palette', () => {
  it.each([
    ['light', LIGHT],
    ['dark', DARK],
  ] as const)('of the %s scheme has the contrast that WCAG asks for', (scheme, base) => {
    const palette = paletteOf(base, scheme);
    expect(TEXT_ON.filter(([text, ground]) => ratio(palette, text, ground) < 4.5)).toEqual([]);
    expect(ratio(palette, 'edge', 'surface')).toBeGreaterThanOrEqual(3);
  });

  it('keeps the colours of a host that can be read', () => {
    const palette = paletteOf({ ...LIGHT, accent: '#8a1c7c' }, 'light');
    expect([palette.fill, palette.link]).toEqual(['#8a1c7c', '#8a1c7c']);
  });

  it('keeps texts readable on one ground, whatever a host sets', () => {
    fc.assert(
      fc.property(hex, hex, hex, (accent, ground, text) => {
        const palette = paletteOf({ accent, background: ground, surface: ground, text, border: text }, 'light');
        expect(ratio(palette, 'text', 'surface')).toBeGreaterThanOrEqual(4.5);
        expect(ratio(palette, 'fill-text', 'fill')).toBeGreaterThanOrEqual(4.5);
      }),
    );
  });
});
