const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Version of the messages between a host's page and the embed page. A change that an older side cannot ignore gets the next
 * number; fields and types that may be ignored can be added without.
 */
export const PROTOCOL_VERSION = 1;

/** Marks the messages of this protocol among everything else that arrives at a window. */
export const PROTOCOL = 'crm-embed';

/** Longest text of a message that is read: a token is far shorter, and nothing else is longer. */
export const MAX_TEXT = 8192;

/** Longest tag with a language, script, region and variant. */
const MAX_LENGTH = 35;

/** @returns the canonical spelling of a BCP 47 tag; undefined for anything else */
export function parseLocale(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_LENGTH) return undefined;
  try {
    return Intl.getCanonicalLocales(value)[0];
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

export const COLOR_SCHEMES = ['light', 'dark', 'auto'] as const;
export type ColorScheme = (typeof COLOR_SCHEMES)[number];

/** The colors that a host may set. Everything else follows from them, so that text stays readable. */
export const THEME_COLORS = ['accent', 'background', 'surface', 'text', 'border'] as const;
export type ThemeColor = (typeof THEME_COLORS)[number];

export interface EmbedTheme {
  /** `auto`, the default, follows the user's system. */
  readonly colorScheme?: ColorScheme;
  /** Each as `#rrggbb`. Anything else is refused: a color never becomes a piece of a style sheet. */
  readonly colors?: Readonly<Partial<Record<ThemeColor, string>>>;
  /** Rounding of corners in pixels, 0 to 16. */
  readonly radius?: number;
  /** Size of text in pixels, 12 to 20. */
  readonly fontSize?: number;
  /** @deprecated read until 0.2: write `colorScheme` */
  readonly colourScheme?: ColorScheme;
  /** @deprecated read until 0.2: write `colors` */
  readonly colours?: EmbedTheme['colors'];
}

const COLOR = /^#[0-9a-f]{6}$/i;
const RADIUS = { min: 0, max: 16 };
const FONT_SIZE = { min: 12, max: 20 };

/** @returns undefined when any part of it is not what a theme may have */
export function parseTheme(value: unknown): EmbedTheme | undefined {
  if (!isPlainObject(value)) return undefined;
  const { radius, fontSize } = value;
  const colorScheme = value.colorScheme ?? value.colourScheme;
  const colors = value.colors ?? value.colours;
  if (!isAbsent(colorScheme) && !COLOR_SCHEMES.includes(colorScheme as ColorScheme)) return undefined;
  if (!isAbsent(radius) && !isWithin(radius, RADIUS)) return undefined;
  if (!isAbsent(fontSize) && !isWithin(fontSize, FONT_SIZE)) return undefined;
  const known = isAbsent(colors) ? {} : parseColors(colors);
  if (!known) return undefined;
  return {
    ...(isAbsent(colorScheme) ? {} : { colorScheme: colorScheme as ColorScheme }),
    ...(Object.keys(known).length > 0 ? { colors: known } : {}),
    ...(isAbsent(radius) ? {} : { radius: radius as number }),
    ...(isAbsent(fontSize) ? {} : { fontSize: fontSize as number }),
  };
}

function parseColors(value: unknown): Partial<Record<ThemeColor, string>> | undefined {
  if (!isPlainObject(value)) return undefined;
  const entries = Object.entries(value).filter(([, color]) => !isAbsent(color));
  const areColors = entries.every(
    ([name, color]) => THEME_COLORS.includes(name as ThemeColor) && typeof color === 'string' && COLOR.test(color),
  );
  return areColors ? Object.fromEntries(entries) : undefined;
}

const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;

const isWithin = (value: unknown, { min, max }: { min: number; max: number }): boolean =>
  typeof value === 'number' && value >= min && value <= max;

/** What the embed page shows. Without a view it shows the first object that the scopes allow. */
export interface EmbedView {
  /** `leads`, `contacts`, `companies`, `opportunities`, `tasks`, or the API name of a custom object after `custom:`. */
  readonly object: string;
  /** Id of a record; without one, the list. */
  readonly recordId?: string;
}

const OBJECT = /^(?:leads|contacts|companies|opportunities|tasks|custom:[a-z][a-z0-9_]{0,206})$/;
const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** @returns undefined for anything that is not a view */
export function parseView(value: unknown): EmbedView | undefined {
  if (!isPlainObject(value)) return undefined;
  const { object, recordId } = value;
  if (typeof object !== 'string' || !OBJECT.test(object)) return undefined;
  if (recordId === undefined || recordId === null) return { object };
  return typeof recordId === 'string' && ID.test(recordId) ? { object, recordId } : undefined;
}

/** A message as it is posted. */
type Envelope<Message> = Message & { readonly protocol: typeof PROTOCOL; readonly version: number };

export const inEnvelope = <Message extends object>(message: Message): Envelope<Message> => ({
  ...message,
  protocol: PROTOCOL,
  version: PROTOCOL_VERSION,
});

/** What was taken out of an envelope: the fields of a message, the version of another, or nothing of ours. */
type Opened =
  | { readonly kind: 'message'; readonly fields: Readonly<Record<string, unknown>> }
  | { readonly kind: 'other-version'; readonly version: number }
  | { readonly kind: 'foreign' };

export function openEnvelope(data: unknown): Opened {
  if (!isPlainObject(data) || data.protocol !== PROTOCOL) return { kind: 'foreign' };
  const { version } = data;
  if (typeof version !== 'number' || !Number.isSafeInteger(version)) return { kind: 'foreign' };
  return version === PROTOCOL_VERSION ? { kind: 'message', fields: data } : { kind: 'other-version', version };
}

/** Why the embed page cannot show what it was asked to. */
export const PAGE_ERRORS = ['token_refused', 'token_not_delivered', 'forbidden', 'unavailable', 'unsupported'] as const;
export type PageErrorCode = (typeof PAGE_ERRORS)[number];

/** What the host sends to the embed page. */
export type HostMessage =
  /** A token for the calls of the API: the first, or one that replaces it. */
  | { readonly type: 'token'; readonly token: string }
  /** `fetchToken` of the host failed; the page keeps what it has as long as that is valid. */
  | { readonly type: 'token-failed' }
  | { readonly type: 'navigate'; readonly view: EmbedView }
  | { readonly type: 'theme'; readonly theme: EmbedTheme }
  | { readonly type: 'locale'; readonly locale: string }
  /** The host is done with the page, which forgets its token. */
  | { readonly type: 'destroyed' };

/** What the embed page sends to the host. */
export type PageMessage =
  /** The page listens. The host answers with theme, locale, view and token. */
  | { readonly type: 'ready' }
  /** The page has no token, or the one it has ends within a minute, or was refused. */
  | { readonly type: 'token-wanted'; readonly reason: TokenReason }
  | { readonly type: 'error'; readonly code: PageErrorCode; readonly message: string }
  /** Height of the content in pixels. */
  | { readonly type: 'resize'; readonly height: number }
  /** The user went somewhere else in the page. */
  | { readonly type: 'navigate'; readonly view: EmbedView };

export const TOKEN_REASONS = ['first', 'expiring', 'refused'] as const;
export type TokenReason = (typeof TOKEN_REASONS)[number];

export type HostMessageType = HostMessage['type'];
export type PageMessageType = PageMessage['type'];
