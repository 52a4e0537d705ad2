// What passwords and keys are made of, here and in Compose and Kubernetes. Needs Node alone.
import { randomBytes } from 'node:crypto';

/** Services that encrypt secrets at rest with a key of their own. */
export const SERVICES_WITH_KEY = ['automation-hooks', 'identity', 'marketplace-certification', 'webhook-dispatcher'];

/** Unescaped in URLs. A letter first: NATS reads a value from its environment as a part of its configuration, and would
 * take one that begins with digits for a number. */
export const newPassword = () => `p${randomBytes(24).toString('base64url')}`;

/** A ring of one key, whose name is 1: it can be replaced (docs/operations/encryption-keys.md). */
export const newKey = () => `1:${randomBytes(32).toString('base64')}`;
