import { SecretBox } from '@crm/encryption';
import { Inject, Injectable } from '@nestjs/common';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { Mail } from './mail.entity.js';

/** Seals the texts of mails while they wait in the database: many carry a one-time secret. */
@Injectable()
export class MailSeal {
  private readonly box: SecretBox;

  constructor(@Inject(IDENTITY_CONFIG) config: IdentityConfig) {
    this.box = new SecretBox(config.keyEncryptionKey);
  }

  /** @param id of the mail: the text does not open in another row */
  seal(id: string, body: string): Buffer {
    return this.box.seal(body, contextOfMail(id));
  }

  /** @throws Error when the text was sealed with another key or for another mail */
  open({ id, body, sealedBody }: Pick<Mail, 'id' | 'body' | 'sealedBody'>): string {
    if (sealedBody) return this.box.open(sealedBody, contextOfMail(id));
    // Queued before texts were sealed.
    return body ?? '';
  }
}

export const contextOfMail = (id: string): string => `mail/${id}`;
