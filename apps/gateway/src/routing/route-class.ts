import { DEFAULT_BODY_LIMIT } from '@crm/http';

/** What holds for all calls of a kind. */
export interface RouteClass {
  /** Bytes of a body; a larger one is refused before it is read. */
  readonly bodyBytes: number;
  /** Longest wait for the service, where it is shorter than that of every call. */
  readonly timeoutMs?: number;
  /** By what calls are counted: by whoever the token says, or the address without one; by the address; by the hook. */
  readonly limit: 'caller' | 'address' | 'hook';
  /** Answers hold records, and no secret whose length could be compared with what a caller chose (decision record 0174). */
  readonly compresses?: boolean;
  /** A token that is sent along is not looked at. */
  readonly ignoresToken: boolean;
  /** The cookie that ties a sign-in to its browser is forwarded both ways, and no other. */
  readonly passesSignInCookie?: boolean;
}

export const ROUTE_CLASSES = {
  /** Calls with a token, and what is public. */
  api: { bodyBytes: DEFAULT_BODY_LIMIT, limit: 'caller', ignoresToken: false },
  /** Records: the same, with lists that are worth compressing. */
  records: { bodyBytes: DEFAULT_BODY_LIMIT, limit: 'caller', compresses: true, ignoresToken: false },
  /** Calls that exchange credentials for a token: short, and a client may still send its last, expired token. */
  credentials: { bodyBytes: 16 * 1024, timeoutMs: 15_000, limit: 'address', ignoresToken: true },
  /** The same, by a browser that goes to an identity provider in between. */
  browserCredentials: {
    bodyBytes: 16 * 1024,
    timeoutMs: 15_000,
    limit: 'address',
    ignoresToken: true,
    passesSignInCookie: true,
  },
  /** Calls of upstream systems; the secret in the path is all that they bring. */
  hook: { bodyBytes: 256 * 1024, timeoutMs: 15_000, limit: 'hook', ignoresToken: true },
} as const satisfies Readonly<Record<string, RouteClass>>;

export type RouteClassName = keyof typeof ROUTE_CLASSES;
