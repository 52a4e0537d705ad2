import { createHmac } from 'node:crypto';
import { EncryptionKeys } from '@crm/encryption';
import { Inject, Injectable } from '@nestjs/common';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';

/**
 * Marks that distinguish two passwords and reveal nothing about them without the key of the service. They replace a
 * password where a fast hash is stored: a reader of the table could guess the password from a plain hash.
 */
@Injectable()
export class PasswordMarks {
  private readonly key: Buffer;

  constructor(@Inject(IDENTITY_CONFIG) config: IdentityConfig) {
    // Of the current key alone: a mark that another key made is forgotten within the hour, and only counts a guess twice.
    [this.key] = EncryptionKeys.parse(config.keyEncryptionKey).derive('password marks');
  }

  of(password: string): string {
    return createHmac('sha256', this.key).update(password).digest('base64');
  }
}
