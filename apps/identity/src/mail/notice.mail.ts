import { type AppStatus, type EVENTS, type EventData, type SubmissionOutcome } from '@crm/contracts';
import { type User } from '../people/people.entity.js';
import { type NewMail } from './mail.repository.js';
import { letter, NOTICE_SECONDS, plainName, plainText, quotedReason, singleLine } from './mail-text.js';

export type Verdict = EventData<(typeof EVENTS)['submission.decided']>;

/** Characters; what certification accepts. */
const LONGEST_VERSION = 64;

interface Text {
  /** The subject has it after the name of the app or of its version. */
  readonly outcome: string;
  /** What the operators do, before that name. */
  readonly act: string;
  /** True when it is about the app rather than one version of it. */
  readonly ofApp?: true;
  readonly meaning: readonly string[];
}

const TEXTS: Readonly<Record<SubmissionOutcome, Text>> = {
  changes_requested: {
    outcome: 'needs changes',
    act: 'ask for changes to',
    meaning: ['This version stays as it is. Submit a higher one with the changes.'],
  },
  rejected: {
    outcome: 'was rejected',
    act: 'have rejected',
    meaning: ['This version cannot be published. If you can do what the reason asks for, submit a higher one.'],
  },
  approved: {
    outcome: 'was approved',
    act: 'have approved',
    meaning: ['It is not in the marketplace yet. You get another mail when it is published.'],
  },
  published: {
    outcome: 'was published',
    act: 'have published',
    meaning: ['It is the version that workspaces install from now on. Those that have an earlier one can upgrade.'],
  },
  suspended: {
    outcome: 'was suspended',
    act: 'have suspended',
    ofApp: true,
    meaning: [
      'The marketplace no longer offers it: it cannot be installed, and no user can let it act for them for the first time.',
      'Installations that there are go on. A higher version that is published takes the place of the suspended one.',
    ],
  },
  reinstated: {
    outcome: 'was reinstated',
    act: 'have reinstated',
    ofApp: true,
    meaning: ['The marketplace offers it again, and workspaces can install it.'],
  },
  revoked: {
    outcome: 'was revoked',
    act: 'have revoked',
    ofApp: true,
    meaning: [
      'Every version that was published is revoked. All tokens of the app have ended, its credentials are refused, and no',
      'version of it can be published any more. This cannot be undone.',
    ],
  },
  unlisted: {
    outcome: 'was unlisted',
    act: 'have unlisted',
    ofApp: true,
    meaning: [
      'The marketplace no longer lists it, nor its later versions. Workspaces that know its key can install it, and',
      'installations that there are go on.',
    ],
  },
};

/** @param workspace name of the publisher */
export function verdictMail(
  recipient: string,
  { appKey, appName, version, decision, reason }: Verdict,
  workspace: string,
  baseUrl: string,
): NewMail {
  const { outcome, act, ofApp, meaning } = TEXTS[decision];
  const app = plainName(appName, 'without a name');
  const subject = ofApp ? `the app ${app}` : `version ${plainText(version, LONGEST_VERSION)} of the app ${app}`;
  const lines = [
    `the operators of the platform ${act} ${subject}. It belongs to the workspace ${plainName(workspace)}, which you administer.`,
    '',
    ...quotedReason(reason),
    ...meaning,
    '',
    'The verdict, and what the version changes:',
    '',
    // The key of an app may look like a domain, so it stands in this address alone.
    `GET ${baseUrl}/api/marketplace/developer/apps/${appKey}/versions/${encodeURIComponent(version)}`,
  ];
  const capitalised = subject.replace(/^./, (first) => first.toUpperCase());
  return letter(recipient, `${capitalised} ${outcome}`, NOTICE_SECONDS, lines);
}

export type ChangedStatus = EventData<(typeof EVENTS)['app.status_changed']>;

const STATUS_TEXTS: Readonly<Record<AppStatus, { readonly outcome: string; readonly meaning: readonly string[] }>> = {
  published: { outcome: 'reinstated', meaning: ['It can be installed again. Your installations have kept working.'] },
  suspended: {
    outcome: 'suspended',
    meaning: [
      'Your installations keep working: tokens, hooks, workflows and webhooks. The app cannot be installed again for now, and users who',
      'have not authorized it yet cannot do so.',
    ],
  },
  revoked: {
    outcome: 'revoked',
    meaning: [
      'The app has stopped working for good: its tokens are refused, its hooks no longer exist, its workflows have stopped, and it receives',
      'no events. Deliveries that were waiting are held and deleted after 30 days. Your users can still read the records of its objects.',
      'You can uninstall it.',
    ],
  },
};

/** To the administrators of a workspace that has the app. */
export function statusMail(
  recipient: string,
  { appName, publisher, appStatus }: ChangedStatus,
  workspace: string,
  baseUrl: string,
): NewMail {
  const { outcome, meaning } = STATUS_TEXTS[appStatus];
  const app = plainName(appName, 'without a name');
  const lines = [
    `the operators of the platform have ${outcome} the app ${app} of ${plainName(publisher)}. It is installed in the workspace ${plainName(workspace)}, which you administer.`,
    '',
    ...meaning,
    '',
    'What is installed:',
    '',
    `GET ${baseUrl}/api/marketplace/installs`,
  ];
  return letter(recipient, `The app ${app} was ${outcome}`, NOTICE_SECONDS, lines);
}

export type DisabledEndpoint = EventData<(typeof EVENTS)['webhook.endpoint_disabled']>;

/** Names the host only: the path of an endpoint often holds a secret. */
export function endpointMail(
  { email, name }: Pick<User, 'email' | 'name'>,
  { subscription, reason, heldDeliveries }: DisabledEndpoint,
  workspace: string,
  baseUrl: string,
): NewMail {
  const { id, url, description, events, appKey } = subscription;
  const { host } = new URL(url);
  const address = `${baseUrl}/api/webhooks/subscriptions/${id}`;
  const lines = [
    `the platform has disabled a webhook subscription of the workspace ${singleLine(workspace)}: ${reason}.`,
    '',
    `  Receiver: ${host}`,
    ...(description === null ? [] : [`  Description: ${singleLine(description)}`]),
    ...(appKey === undefined ? [] : [`  App: ${appKey}`]),
    `  Events: ${events.join(', ')}`,
    `  Subscription: ${id}`,
    ...(heldDeliveries === undefined ? [] : [`  Held deliveries: ${heldDeliveries}`]),
    '',
    'Its events are held from now on. When the receiver works again:',
    '',
    `1. Send it a test event: POST ${address}/test`,
    `2. Have new events sent: POST ${address}/resume`,
    `3. Send what was held: POST ${address}/recover`,
  ];
  const subject = `Webhook subscription for ${host} is disabled`;
  return letter(email, subject, NOTICE_SECONDS, lines, `Hello ${singleLine(name)},`);
}
