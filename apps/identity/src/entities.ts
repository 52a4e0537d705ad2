import * as emailChanges from './accounts/email-change.entity.js';
import * as invitations from './accounts/invitation.entity.js';
import * as operators from './accounts/operator.entity.js';
import * as passwordResets from './accounts/password-reset.entity.js';
import * as suspensions from './accounts/suspension.entity.js';
import * as apiKeys from './api-keys/api-key.entity.js';
import * as audit from './audit/audit-entry.entity.js';
import * as embedding from './embedding/embedding.entity.js';
import * as mail from './mail/mail.entity.js';
import * as oauth from './oauth/oauth.entity.js';
import * as people from './people/people.entity.js';
import * as person from './people/person.entity.js';
import * as roles from './roles/role.entity.js';
import * as sessions from './sessions/sessions.entity.js';
import * as guesses from './sign-in/code-guess.entity.js';
import * as passkeys from './sign-in/passkey.entity.js';
import * as secondFactor from './sign-in/second-factor.entity.js';
import * as signInPolicy from './sign-in/sign-in-policy.entity.js';
import * as singleSignOn from './single-sign-on/single-sign-on.entity.js';

const FILES = [
  ...[apiKeys, audit, embedding, emailChanges, guesses, invitations, mail, oauth, operators, passkeys, passwordResets],
  ...[people, person, roles, secondFactor, sessions, signInPolicy, singleSignOn, suspensions],
];

/** Every table of the service but those of the libraries (outbox, idempotency): the classes that the files of entities export. */
export const entities = FILES.flatMap((file) => Object.values(file)).filter((value) => typeof value === 'function');
