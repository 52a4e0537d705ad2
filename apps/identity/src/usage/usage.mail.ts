import type { StorageKind } from '@crm/contracts';
import type { NewMail } from '../mail/mail.repository.js';
import { letter, NOTICE_SECONDS, plainName, singleLine } from '../mail/mail-text.js';
import type { User } from '../people/people.entity.js';

const UNITS: Readonly<Record<StorageKind, (used: number, limit: number) => string>> = {
  records: (used, limit) => `Records: ${used} of ${limit}`,
  bytes: (used, limit) => `Storage: ${megabytes(used)} of ${megabytes(limit)} MB`,
  users: (used, limit) => `Users: ${used} of ${limit}`,
};

const megabytes = (bytes: number): number => Math.round(bytes / 1_000_000);

/** @param full what is nearly at its limit */
export function nearlyFullMail(
  { email, name }: Pick<User, 'email' | 'name'>,
  full: readonly { readonly kind: StorageKind; readonly used: number; readonly limit: number }[],
  workspace: string,
  baseUrl: string,
): NewMail {
  const lines = [
    `the workspace ${plainName(workspace)} has used most of what its plan includes:`,
    '',
    ...full.map(({ kind, used, limit }) => `  ${UNITS[kind](used, limit)}`),
    '',
    'At the limit nothing more can be added. Reading, changing to something shorter and deleting go on, and what is deleted for good',
    'makes room again. For a larger plan, ask the operators of the platform.',
    '',
    `What is used now: GET ${baseUrl}/api/tenant/usage`,
  ];
  return letter(email, 'Your workspace is nearly full', NOTICE_SECONDS, lines, `Hello ${singleLine(name)},`);
}
