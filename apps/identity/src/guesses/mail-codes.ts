import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import { EncryptionKeys } from '@crm/encryption';
import { Inject, Injectable } from '@nestjs/common';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';

const CODE_DIGITS = 6;

@Injectable()
export class MailCodes {
  /** The current one first; a code that was stored with an older one is valid for minutes. */
  private readonly macKeys: readonly [Buffer, ...Buffer[]];

  constructor(@Inject(IDENTITY_CONFIG) config: IdentityConfig) {
    this.macKeys = EncryptionKeys.parse(config.keyEncryptionKey).derive('identity.mfa-code');
  }

  generate(): string {
    return String(randomInt(10 ** CODE_DIGITS)).padStart(CODE_DIGITS, '0');
  }

  mac(challengeId: string, code: string): Buffer {
    return macOf(this.macKeys[0], challengeId, code);
  }

  isRight(challengeId: string, code: string, stored: Buffer): boolean {
    return this.macKeys.some((key) => timingSafeEqual(stored, macOf(key, challengeId, code)));
  }
}

const macOf = (key: Buffer, challengeId: string, code: string): Buffer =>
  createHmac('sha256', key).update(`${challengeId}.${code}`).digest();
