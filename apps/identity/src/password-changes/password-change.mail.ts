import type { NewMail } from '../mail/mail.repository.js';
import { letter, NOTICE_SECONDS, plainName } from '../mail/mail-text.js';
import type { User } from '../people/people.entity.js';

const RESET_MINUTES = 30;

export const RESET_SECONDS = RESET_MINUTES * 60;

type Person = Pick<User, 'email' | 'name'>;

export const greeting = (name: string): string => `Hello ${plainName(name, 'there')},`;

export interface AccountLink {
  /** The name that its people have given it. */
  readonly workspace: string;
  readonly link: string;
}

/** For an address that nobody has proven: the one link that is opened proves it, and the account becomes that of the recipient. */
export const chooseAccountMail = (recipient: string, accounts: readonly AccountLink[]): NewMail =>
  letter(recipient, 'Set a new password', RESET_SECONDS, [
    'someone, hopefully you, asked for a new password. Workspaces have added this address, which nobody has verified so far.',
    'Set the password of the account that you want to use:',
    '',
    ...accounts.flatMap(({ workspace, link }) => [`In the workspace ${plainName(workspace)}:`, link, '']),
    `One of the links works, once and for ${RESET_MINUTES} minutes. It makes the account yours: anyone who has used it before is signed`,
    'out. If you did not ask for this, or know none of the workspaces, you need not do anything.',
  ]);

export const resetMail = ({ email, name }: Person, link: string): NewMail =>
  letter(
    email,
    'Set a new password',
    RESET_SECONDS,
    [
      'someone, hopefully you, asked for a new password for your account. Set it here:',
      '',
      link,
      '',
      `The link works once and for ${RESET_MINUTES} minutes. Your present password stays valid until then, and the second factor`,
      'stays on. If you did not ask for this, you need not do anything.',
    ],
    greeting(name),
  );

/** @param how the sentence that says how it was set */
export const passwordChangedMail = ({ email, name }: Person, how: string): NewMail =>
  letter(
    email,
    'Your password was changed',
    NOTICE_SECONDS,
    [
      how,
      '',
      'If that was not you, set a new password at once ("forgot password"), look at the sessions of your account, and tell an',
      'administrator of your workspace.',
    ],
    greeting(name),
  );
