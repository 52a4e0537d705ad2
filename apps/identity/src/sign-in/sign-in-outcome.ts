import type { TokenPair } from '@crm/contracts';

/** What a sign-in is answered with. */
export interface SignInOutcome<T = TokenPair> {
  answer: T;
  /** By which the device is known again, once the sign-in is complete. */
  deviceToken?: string | undefined;
}
