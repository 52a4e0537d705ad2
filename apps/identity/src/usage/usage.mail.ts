import type { NewMail } from '../mail/mail.repository.js';
import { letter, NOTICE_SECONDS, plainName, singleLine } from '../mail/mail-text.js';
import type { User } from '../people/people.entity.js';

/** @param full what is nearly at its limit, in words */
export function nearlyFullMail(
  { email, name }: Pick<User, 'email' | 'name'>,
  full: readonly string[],
  workspace: string,
  baseUrl: string,
): NewMail {
  const lines = [
    `the workspace ${plainName(workspace)} has used most of what its plan includes:`,
    '',
    ...full.map((line) => `  ${line}`),
    '',
    'At the limit nothing more can be added. Reading, changing to something shorter and deleting go on, and what is deleted for good',
    'makes room again. For a larger plan, ask the operators of the platform.',
    '',
    `What is used now: GET ${baseUrl}/api/tenant/usage`,
  ];
  return letter(email, 'Your workspace is nearly full', NOTICE_SECONDS, lines, `Hello ${singleLine(name)},`);
}
