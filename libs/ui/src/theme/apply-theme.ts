import { type BaseColours, DARK, LIGHT, paletteOf } from './palette.js';

export interface Theme {
  readonly colourScheme?: 'light' | 'dark' | 'auto';
  readonly colours?: Partial<BaseColours>;
  /** Pixels. */
  readonly radius?: number;
  /** Pixels. */
  readonly fontSize?: number;
}

const RADIUS = 8;
const FONT_SIZE = 15;

/**
 * Shows the page in a theme, and follows the user's system as long as the theme leaves the colour scheme to it. Sets custom
 * properties one by one, which a policy without inline styles permits.
 * @param root the element of the document
 * @returns ends it
 */
export function applyTheme(root: HTMLElement, theme: Theme): () => void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const apply = (): void => {
    const { colourScheme = 'auto', colours = {}, radius = RADIUS, fontSize = FONT_SIZE } = theme;
    const scheme = colourScheme === 'auto' ? (system.matches ? 'dark' : 'light') : colourScheme;
    const properties = {
      ...paletteOf({ ...(scheme === 'dark' ? DARK : LIGHT), ...colours }, scheme),
      '--radius': `${radius}px`,
      '--font-size': `${fontSize}px`,
    };
    for (const [name, value] of Object.entries(properties)) root.style.setProperty(name, value);
    root.style.colorScheme = scheme;
    root.dataset.scheme = scheme;
  };
  apply();
  system.addEventListener('change', apply);
  return () => system.removeEventListener('change', apply);
}
