import * as apiKeys from './api-keys/api-key.entity.js';
import * as audit from './audit/audit-entry.entity.js';
import * as emailChanges from './email-changes/email-change.entity.js';
import * as embedding from './embedding/embedding.entity.js';
import * as guesses from './guesses/code-guess.entity.js';
import * as invitations from './invitations/invitation.entity.js';
import * as mail from './mail/mail.entity.js';
import * as oauth from './oauth/oauth.entity.js';
import * as operators from './operators/operator.entity.js';
import * as passkeys from './passkeys/passkey.entity.js';
import * as passwordResets from './password-changes/password-reset.entity.js';
import * as people from './people/people.entity.js';
import * as person from './people/person.entity.js';
import * as signInPolicy from './people/sign-in-policy.entity.js';
import * as roles from './roles/role.entity.js';
import * as secondFactor from './second-factor/second-factor.entity.js';
import * as sessions from './sessions/sessions.entity.js';
import * as singleSignOn from './single-sign-on/single-sign-on.entity.js';
import * as suspensions from './suspensions/suspension.entity.js';

const FILES = [
  ...[apiKeys, audit, embedding, emailChanges, guesses, invitations, mail, oauth, operators, passkeys, passwordResets],
  ...[people, person, roles, secondFactor, sessions, signInPolicy, singleSignOn, suspensions],
];

/** Every table of the service but those of the libraries (outbox, idempotency): the classes that the files of entities export. */
export const entities = FILES.flatMap((file) => Object.values(file)).filter((value) => typeof value === 'function');
