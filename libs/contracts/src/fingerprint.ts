import { createHash } from 'node:crypto';

/**
 * What one service tells another of a random secret: whoever reads the calls cannot use it. SHA-256 in hexadecimal; the secret
 * is long, so one round of a fast hash protects it.
 */
export const fingerprintOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');
