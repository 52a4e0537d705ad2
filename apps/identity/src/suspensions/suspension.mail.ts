import type { NewMail } from '../mail/mail.repository.js';
import { letter, NOTICE_SECONDS, plainName, quotedReason } from '../mail/mail-text.js';
import type { TenantDecision } from './suspension.dto.js';

/** @param name of the workspace, as its people chose it */
export function suspensionMail(
  recipient: string,
  decision: TenantDecision,
  name: string,
  reason: string,
  baseUrl: string,
): NewMail {
  const workspace = plainName(name);
  const state = decision === 'suspend' ? 'suspended' : 'reinstated';
  return letter(recipient, `The workspace ${workspace} was ${state}`, NOTICE_SECONDS, [
    `the operators of the platform have ${state} the workspace ${workspace}, which you administer.`,
    '',
    ...quotedReason(reason),
    ...(decision === 'suspend' ? whatStops() : whatGoesOn(baseUrl)),
  ]);
}

const whatStops = (): string[] => [
  'From now on:',
  '',
  '- Nobody can sign in to it, and everybody who was signed in is signed out.',
  '- API keys, installed apps and products that embed the CRM have no access to it.',
  '- Webhooks and workflows wait. What other systems send to its hooks is refused and not kept.',
  '- Nothing is deleted: records, users, apps and settings stay as they are.',
  '- Apps that it has published go on where other workspaces have installed them.',
  '',
  'You get another mail when it is reinstated.',
];

const whatGoesOn = (baseUrl: string): string[] => [
  'From now on:',
  '',
  `- Everybody can sign in again: ${baseUrl}/account/sign-in`,
  '- API keys, installed apps and embedding products have access again. Apps that acted for a user ask that user again.',
  '- Webhooks and workflows go on with what has waited.',
  '- What other systems sent to its hooks in the meantime was not kept: have them send it again.',
  '',
  'Both decisions are in the audit trail of the workspace:',
  `GET ${baseUrl}/api/admin/audit?action=workspace.suspended`,
  `GET ${baseUrl}/api/admin/audit?action=workspace.reinstated`,
];
