import {
  type HostMessage,
  MAX_TEXT,
  openEnvelope,
  PAGE_ERRORS,
  type PageErrorCode,
  type PageMessage,
  parseLocale,
  parseTheme,
  parseView,
  TOKEN_REASONS,
  type TokenReason,
} from './messages.js';

/**
 * The result of reading what arrived. `ignored` is what is not ours, is of a type that this version does not know, or is
 * malformed: nothing follows from it, and no answer is sent, so that it cannot be used to probe.
 */
export type Parsed<Message> =
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'other-version'; readonly version: number }
  | { readonly kind: 'ignored' };

const IGNORED = { kind: 'ignored' } as const;
/** Tokens are of the characters of a compact JWS. Checked, because the token becomes part of a header. */
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/;
/** Pixels beyond which a height is a mistake. */
const MAX_HEIGHT = 100_000;

/** @param data of a message whose source and origin were checked */
export const parseHostMessage = (data: unknown): Parsed<HostMessage> => parse(data, readHostMessage);

/** @param data of a message whose source and origin were checked */
export const parsePageMessage = (data: unknown): Parsed<PageMessage> => parse(data, readPageMessage);

function parse<Message>(
  data: unknown,
  read: (fields: Readonly<Record<string, unknown>>) => Message | undefined,
): Parsed<Message> {
  const opened = openEnvelope(data);
  if (opened.kind === 'foreign') return IGNORED;
  if (opened.kind === 'other-version') return opened;
  const message = read(opened.fields);
  return message === undefined ? IGNORED : { kind: 'message', message };
}

type Fields = Readonly<Record<string, unknown>>;

function readHostMessage({ type, token, view, theme, locale }: Fields): HostMessage | undefined {
  switch (type) {
    case 'token':
      return isText(token) && TOKEN.test(token) ? { type, token } : undefined;
    case 'token-failed':
    case 'destroyed':
      return { type };
    case 'navigate':
      return withValue(parseView(view), (value) => ({ type, view: value }));
    case 'theme':
      return withValue(parseTheme(theme), (value) => ({ type, theme: value }));
    case 'locale':
      return withValue(parseLocale(locale), (value) => ({ type, locale: value }));
    default:
      return undefined;
  }
}

function readPageMessage({ type, reason, code, message, height, view }: Fields): PageMessage | undefined {
  switch (type) {
    case 'ready':
      return { type };
    case 'token-wanted':
      return TOKEN_REASONS.includes(reason as TokenReason) ? { type, reason: reason as TokenReason } : undefined;
    case 'error':
      return PAGE_ERRORS.includes(code as PageErrorCode) && isText(message)
        ? { type, code: code as PageErrorCode, message }
        : undefined;
    case 'resize':
      return typeof height === 'number' && height >= 0 && height <= MAX_HEIGHT ? { type, height } : undefined;
    case 'navigate':
      return withValue(parseView(view), (value) => ({ type, view: value }));
    default:
      return undefined;
  }
}

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= MAX_TEXT;

const withValue = <Value, Message>(value: Value | undefined, make: (value: Value) => Message): Message | undefined =>
  value === undefined ? undefined : make(value);
