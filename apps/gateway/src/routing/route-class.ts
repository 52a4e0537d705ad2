import { CREDENTIALS_BODY_LIMIT, DEFAULT_BODY_LIMIT } from '@crm/http';
import type { ForwardClass } from '@crm/runtime/proxy';

/** Where bodies count: of tenants; of addresses without a token, with a room each for credentials and for hooks. */
export const BODY_ROOMS = ['tenant', 'address', 'credentials', 'hook'] as const;
export type BodyRoom = (typeof BODY_ROOMS)[number];

/** What holds for all calls of a kind. */
export interface RouteClass extends ForwardClass {
  /** A larger body is refused before it is read. */
  readonly bodyBytes: number;
  /** The same for a call without a valid token. */
  readonly strangerBytes: number;
  /** Where the body of a call without a valid token counts. */
  readonly room: Exclude<BodyRoom, 'tenant'>;
  /** What calls are counted by: whoever the token says, or the address without one; the address; the hook and the address. */
  readonly limit: 'caller' | 'address' | 'hook';
  /** A token that is sent along is not looked at. */
  readonly ignoresToken: boolean;
}

const CREDENTIALS = {
  bodyBytes: CREDENTIALS_BODY_LIMIT,
  strangerBytes: CREDENTIALS_BODY_LIMIT,
  room: 'credentials',
  timeoutMs: 15_000,
  limit: 'address',
  ignoresToken: true,
} as const;

/** What nobody without a token needs: the services refuse such a call, but only after they have parsed its body. */
const WITH_A_TOKEN = {
  bodyBytes: DEFAULT_BODY_LIMIT,
  strangerBytes: CREDENTIALS_BODY_LIMIT,
  room: 'address',
  limit: 'caller',
  ignoresToken: false,
} as const;

const HOOK_BODY_LIMIT = 256 * 1024;

export const ROUTE_CLASSES = {
  /** Calls with a token, and what is public. */
  api: WITH_A_TOKEN,
  /** Records: the same, with lists that are worth compressing. */
  records: { ...WITH_A_TOKEN, compresses: true },
  /** Calls that exchange credentials for a token: short, and a client may still send its last, expired token. */
  credentials: CREDENTIALS,
  /** The same, by a browser that goes to an identity provider in between. */
  browserCredentials: { ...CREDENTIALS, passesSignInCookie: true },
  /** Calls with a token, by a browser that goes to an identity provider next. */
  browserApi: { ...WITH_A_TOKEN, passesSignInCookie: true },
  /** Calls of upstream systems; the secret in the path is all that they bring. */
  hook: {
    bodyBytes: HOOK_BODY_LIMIT,
    strangerBytes: HOOK_BODY_LIMIT,
    room: 'hook',
    timeoutMs: 15_000,
    limit: 'hook',
    ignoresToken: true,
  },
} as const satisfies Readonly<Record<string, RouteClass>>;

export type RouteClassName = keyof typeof ROUTE_CLASSES;
