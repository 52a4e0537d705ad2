import { gauge } from '@crm/telemetry';
import type { SigningKey } from './sessions.entity.js';

export const signsSince = gauge(
  'signing_key_signs_since_seconds',
  'When the key that signs tokens now began to, in seconds since 1970; max over the processes of identity',
  ['group'],
);

/** @param keys published ones, in the order in which they begin to sign */
export function measureSigningKeys(keys: readonly SigningKey[]): void {
  const now = Date.now();
  for (const { group, signsFrom } of keys) {
    if (signsFrom.getTime() <= now) signsSince.set({ group }, signsFrom.getTime() / 1000);
  }
}
