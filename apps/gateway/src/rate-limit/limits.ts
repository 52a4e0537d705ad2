/** Requests per minute. */
export interface Limits {
  /** By all principals of a tenant together. */
  readonly tenant: number;
  /** By one user, app or host user. */
  readonly principal: number;
  /** From one address without a token. */
  readonly address: number;
  /** To one hook id, whether such a hook exists or not. */
  readonly hook: number;
  /** To any hooks from one address. */
  readonly hookAddress: number;
}

export type LimitName = keyof Limits;

export const WINDOW_SECONDS = 60;
