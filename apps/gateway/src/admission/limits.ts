import type { Limit } from '@crm/limits';

/** Whom or what requests are counted by; also the names of the policies in answers. */
export const LIMIT_NAMES = [
  /** All principals of a tenant together. */
  'tenant',
  /** One user or host user, or one API key. */
  'principal',
  /** One installed app in one tenant, with the app's own token. */
  'app',
  /** One address without a token, or with one that is not valid. */
  'address',
  /** One hook id from one address, whether such a hook exists or not. */
  'hook',
  /** One address that calls any hooks. */
  'hookAddress',
] as const;
export type LimitName = (typeof LIMIT_NAMES)[number];

export type Limits = Readonly<Record<LimitName, Limit>>;

/** Over which the points of a limit are counted. */
export const WINDOW_SECONDS = 60;
