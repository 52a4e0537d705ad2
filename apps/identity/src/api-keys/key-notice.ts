import { apiKeyStart } from '@crm/access';
import type { NewMail } from '../mail/mail.repository.js';

const VALID_SECONDS = 3 * 24 * 3600;

/**
 * Tells a user that a key acts for them from now on, so that one that a thief made does not go unnoticed.
 * @param recipient the address of the user
 */
export function keyNotice(recipient: string, keyId: string): NewMail {
  const body = [
    `An API key was made for your account. It begins with ${apiKeyStart(keyId)}, and programs that have it act for you.`,
    '',
    'If this was not you, end the key, change your password, and tell the administrator of your workspace.',
    '',
  ].join('\n');
  return { recipient, subject: 'An API key was made for your account', body, validSeconds: VALID_SECONDS };
}
