import type { TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { PLATFORM_TENANT } from '../platform-tenant.js';
import type { NewMail } from './mail.repository.js';
import { MailService } from './mail.service.js';
import { NOTICE_SECONDS, plainName } from './mail-text.js';

/** What happened to the factors of an account that its holder is told, so that what a thief does is not unnoticed. */
export type FactorChange =
  | 'second-factor-on'
  | 'second-factor-off'
  | 'authenticator-added'
  | 'authenticator-removed'
  | 'recovery-codes-replaced'
  | 'recovery-code-used'
  | 'passkey-added'
  | 'passkey-removed'
  | 'passkey-refused'
  | 'factor-reset';

const NOTICES: Readonly<Record<FactorChange, { subject: string; sentence: string }>> = {
  'second-factor-on': {
    subject: 'The second factor of your account was turned on',
    sentence: 'The second factor of your account was turned on. From now on every sign-in asks for a code.',
  },
  'second-factor-off': {
    subject: 'The second factor of your account was turned off',
    sentence: 'The second factor of your account was turned off. From now on the password alone signs in.',
  },
  'authenticator-added': {
    subject: 'An authenticator was added to your account',
    sentence: 'An authenticator app was added to your account. From now on every sign-in asks for its code.',
  },
  'authenticator-removed': {
    subject: 'The authenticator was removed from your account',
    sentence:
      'The authenticator app was removed from your account. From now on sign-in codes are sent to this address.',
  },
  'recovery-codes-replaced': {
    subject: 'Your recovery codes were replaced',
    sentence: 'The recovery codes of your account were replaced. The previous ones do not work any more.',
  },
  'recovery-code-used': {
    subject: 'A recovery code of your account was used',
    sentence:
      'A recovery code of your account was used in place of a code of the authenticator. It does not work again.',
  },
  'passkey-added': {
    subject: 'A passkey was added to your account',
    sentence: 'A passkey was added to your account. It signs in without the password.',
  },
  'passkey-removed': {
    subject: 'A passkey was removed from your account',
    sentence: 'A passkey was removed from your account. It does not sign in any more.',
  },
  'passkey-refused': {
    subject: 'A passkey of your account was refused',
    sentence:
      'A passkey of your account was refused because its counter went back: there may be a copy of it. Remove it, and set up a new one.',
  },
  'factor-reset': {
    subject: 'The second factor of your account was reset',
    sentence:
      'An administrator of your workspace has reset the second factor of your account: the authenticator, recovery codes and passkeys were removed, and every session has ended. Set up a new second factor at your next sign-in.',
  },
};

/** What someone else has added, or turned off, stays so after a change of the password. */
const UNDO: Partial<Record<FactorChange, string>> = {
  'second-factor-off': 'turn the second factor on again, ',
  'authenticator-added': 'remove the authenticator, ',
  'passkey-added': 'remove the passkey, ',
};

/** Whom to ask: an operator belongs to no workspace. @param undo what the advice begins with */
const ADVICE = {
  users: (undo: string) =>
    `If this was not you, ${undo}change your password, end all sessions and tell the administrator of your workspace.`,
  operators: (undo: string) =>
    `If this was not you, ${undo}end all sessions and tell another administrator of the platform.`,
};

export interface FactorNotice {
  readonly change: FactorChange;
  /** The name of a passkey. The one who added it chose the name, so only plain words of it are shown. */
  readonly name?: string;
}

export function factorNotice(recipient: string, { change, name }: FactorNotice, holder: keyof typeof ADVICE): NewMail {
  const { subject, sentence } = NOTICES[change];
  const named = name === undefined ? '' : `\n\nIts name: ${plainName(name)}`;
  return {
    recipient,
    subject,
    body: `${sentence}${named}\n\n${ADVICE[holder](UNDO[change] ?? '')}\n`,
    validSeconds: NOTICE_SECONDS,
  };
}

/** The address of an account: of a user, or of an operator in the platform's tenant. $1: tenant, $2: account. */
export const FIND_ACCOUNT_EMAIL = `
  SELECT email FROM app_user WHERE tenant_id = $1 AND id = $2
  UNION ALL
  SELECT email FROM operator WHERE tenant_id = $1 AND id = $2`;

@Injectable()
export class FactorNoticeService {
  constructor(private readonly mails: MailService) {}

  async send(tx: TenantTransaction, userId: string, notice: FactorNotice): Promise<void> {
    const [account] = await tx.query<{ email: string }>(FIND_ACCOUNT_EMAIL, [tx.tenantId, userId]);
    if (!account) return;
    const holder = tx.tenantId === PLATFORM_TENANT ? 'operators' : 'users';
    await this.mails.queue(tx, tx.tenantId, factorNotice(account.email, notice, holder));
  }
}
