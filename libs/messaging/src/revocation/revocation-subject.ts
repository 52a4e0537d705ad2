import { REVOCATION_BUCKET } from '@crm/contracts';

/** Stream behind the key-value bucket, and the prefix of its subjects (NATS architecture decision record 8). */
export const REVOCATION_STREAM = `KV_${REVOCATION_BUCKET}`;
export const REVOCATION_SUBJECT_PREFIX = `$KV.${REVOCATION_BUCKET}.`;
