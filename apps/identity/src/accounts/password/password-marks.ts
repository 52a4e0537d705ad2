import { createHmac, hkdfSync } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { IDENTITY_CONFIG, type IdentityConfig } from '../../config.js';

/**
 * Marks that tell two passwords apart and, without the service's key, tell nothing about them. They take the place of a
 * password where a fast hash is kept: a plain one could be guessed from by whoever reads the table.
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
