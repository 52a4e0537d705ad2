import {
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  localStorageColorSchemeManager,
  type MantineColorSchemeManager,
  MantineProvider,
  type VariantColorsResolver,
} from '@mantine/core';
import { type ReactNode, useMemo } from 'react';
import { DARK, LIGHT, paletteOf, type Theme } from './theme.js';

/** Pixels of Mantine's own sizes, at which nothing is scaled. */
const BASE_FONT_SIZE = 15;

/** The document's nonce, for the style elements that the kit makes; a script can read it, a style sheet cannot. */
const styleNonce = (): string => document.documentElement.nonce ?? '';

/** By a library of Mantine's that makes style elements too, and asks bundlers for the nonce. */
export function shareNonce(): void {
  Object.assign(globalThis, { __webpack_nonce__: styleNonce() });
}

/** Mantine writes white on its filled parts; a colour that a host has chosen may be too bright for it. */
const variantColours: VariantColorsResolver = (input) => {
  const colours = defaultVariantColorsResolver(input);
  const isPrimary = input.color === undefined || input.color === input.theme.primaryColor;
  return input.variant === 'filled' && isPrimary
    ? { ...colours, color: 'var(--mantine-primary-color-contrast)' }
    : colours;
};

const DIALOG = {
  defaultProps: {
    // Its head is no banner of the page.
    attributes: { header: { role: 'presentation' } },
    overlayProps: { backgroundOpacity: 0.3 },
    // The place of the scrollbar is kept; taking the scrollbar away would move the page.
    lockScroll: false,
  },
};

const BASE = createTheme({
  variantColorResolver: variantColours,
  headings: { fontWeight: '600' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: { Drawer: DIALOG, Modal: DIALOG },
});

/** Mantine's variables from the palette, whose texts are readable on every ground that they stand on. */
const variablesOf = (theme: Theme, scheme: 'light' | 'dark'): Record<string, string> => {
  const colour = paletteOf({ ...(scheme === 'dark' ? DARK : LIGHT), ...theme.colors }, scheme);
  const shades = (filled: string, hover: string, ground: string, ink: string) => ({
    ...{ filled, 'filled-hover': hover, light: ground, 'light-hover': ground },
    ...{ 'light-color': ink, outline: ink, text: ink },
  });
  const primary = shades(colour.fill, colour['fill-hover'], colour.selected, colour.link);
  // White is written on it in both schemes.
  const danger = shades('#c02636', '#a51f2d', colour['danger-ground'], colour.danger);
  const named = (prefix: string, values: Record<string, string>) =>
    Object.entries(values).map(([name, value]) => [`--mantine-${prefix}-${name}`, value]);
  return Object.fromEntries([
    ...named('color-blue', primary),
    ...named('color-red', danger),
    ...named('primary-color', { ...primary, contrast: colour['fill-text'] }),
    ...named('color', {
      body: colour.surface,
      text: colour.text,
      bright: colour.text,
      dimmed: colour.muted,
      placeholder: colour.muted,
      anchor: colour.link,
      error: colour.danger,
      success: colour.success,
      default: colour.surface,
      'default-color': colour.text,
      'default-hover': colour.hover,
      // The edge of an input is what shows where it is.
      'default-border': colour.edge,
      'disabled-color': colour.muted,
    }),
    // Inputs and menus of Mantine take these shades instead of the names above.
    ...named(scheme === 'dark' ? 'color-dark' : 'color-gray', {
      4: colour.edge,
      ...(scheme === 'dark' ? { 5: colour.hover, 6: colour.surface, 7: colour.surface } : { 0: colour.hover }),
    }),
    ['--crm-background', colour.background],
    ['--crm-border', colour.border],
    ['--crm-hover', colour.hover],
    ['--crm-selected', colour.selected],
  ]);
};

/** A page that keeps nothing in its browser is in the scheme of the system, or in that of its host. */
const KEEPS_NOTHING: MantineColorSchemeManager = {
  get: (preset) => preset,
  set: () => undefined,
  subscribe: () => undefined,
  unsubscribe: () => undefined,
  clear: () => undefined,
};
const KEEPS_CHOICE = localStorageColorSchemeManager({ key: 'crm-colour-scheme' });

export interface KitProps {
  readonly theme?: Theme;
  /** True when a choice of the colour scheme is kept in the browser. */
  readonly keepsScheme?: boolean;
  readonly children: ReactNode;
}

const NO_THEME: Theme = {};

/** Everything of a page is within it: Mantine in the colours, the roundness and the size of a theme. */
export function Kit({ theme = NO_THEME, keepsScheme = false, children }: KitProps) {
  const { radius = 8, fontSize = BASE_FONT_SIZE, colorScheme = 'auto' } = theme;
  const mantine = useMemo(
    () => ({ ...BASE, defaultRadius: radius, scale: fontSize / BASE_FONT_SIZE }),
    [radius, fontSize],
  );
  const resolver = useMemo<CSSVariablesResolver>(
    () => () => ({ variables: {}, light: variablesOf(theme, 'light'), dark: variablesOf(theme, 'dark') }),
    [theme],
  );
  return (
    <MantineProvider
      theme={mantine}
      cssVariablesResolver={resolver}
      colorSchemeManager={keepsScheme ? KEEPS_CHOICE : KEEPS_NOTHING}
      defaultColorScheme="auto"
      {...(colorScheme === 'auto' ? {} : { forceColorScheme: colorScheme })}
      getStyleNonce={styleNonce}
      // All of Mantine's variables are in its script anyway; their style sheet would be a fifth of all styles.
      deduplicateCssVariables={false}
    >
      {children}
    </MantineProvider>
  );
}
