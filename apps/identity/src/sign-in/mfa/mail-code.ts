import { createHmac, hkdfSync, randomInt, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { IDENTITY_CONFIG, type IdentityConfig } from '../../config.js';

/** Six digits as the specification asks. */
const CODE_DIGITS = 6;

/** Codes that are sent by e-mail, and what is stored of them. */
@Injectable()
export class MailCodes {
  private readonly macKey: Buffer;

  constructor(@Inject(IDENTITY_CONFIG) config: IdentityConfig) {
    const master = Buffer.from(config.keyEncryptionKey, 'base64');
    this.macKey = Buffer.from(hkdfSync('sha256', master, '', 'identity.mfa-code', 32));
  }

  generate(): string {
    return String(randomInt(10 ** CODE_DIGITS)).padStart(CODE_DIGITS, '0');
  }

  mac(challengeId: string, code: string): Buffer {
    return createHmac('sha256', this.macKey).update(`${challengeId}.${code}`).digest();
  }

  isRight(challengeId: string, code: string, stored: Buffer): boolean {
    return timingSafeEqual(stored, this.mac(challengeId, code));
  }
}
