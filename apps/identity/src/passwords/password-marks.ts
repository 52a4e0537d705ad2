import { createHmac } from 'node:crypto';
import { EncryptionKeys } from '@crm/encryption';
import { Inject, Injectable } from '@nestjs/common';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';

/** Distinguish two passwords where a fast hash is stored, from which a reader of the table could guess a plain one. */
@Injectable()
export class PasswordMarks {
  private readonly key: Buffer;

  constructor(@Inject(IDENTITY_CONFIG) config: IdentityConfig) {
    // Only the current key marks: a mark that another key made is forgotten within the hour, and only counts a guess twice.
    [this.key] = EncryptionKeys.parse(config.keyEncryptionKey).derive('password marks');
  }

  of(password: string): string {
    return createHmac('sha256', this.key).update(password).digest('base64');
  }
}
