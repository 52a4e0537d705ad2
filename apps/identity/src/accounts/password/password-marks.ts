import { createHmac, hkdfSync } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { IDENTITY_CONFIG, type IdentityConfig } from '../../config.js';

/**
 * Marks that distinguish two passwords and reveal nothing about them without the key of the service. They replace a
 * password where a fast hash is stored: a reader of the table could guess the password from a plain hash.
 */
@Injectable()
export class PasswordMarks {
  private readonly key: Buffer;

  constructor(@Inject(IDENTITY_CONFIG) config: IdentityConfig) {
    const master = Buffer.from(config.keyEncryptionKey, 'base64');
    this.key = Buffer.from(hkdfSync('sha256', master, '', 'password marks', 32));
  }

  of(password: string): string {
    return createHmac('sha256', this.key).update(password).digest('base64');
  }
}
