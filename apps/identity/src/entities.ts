import * as accounts from './accounts/accounts.entity.js';
import * as apiKeys from './api-keys/api-key.entity.js';
import * as audit from './audit/audit-entry.entity.js';
import * as embedding from './embedding/embedding.entity.js';
import * as mail from './mail/mail.entity.js';
import * as oauth from './oauth/oauth.entity.js';
import * as people from './people/people.entity.js';
import * as person from './people/person.entity.js';
import * as roles from './roles/role.entity.js';
import * as sessions from './sessions/sessions.entity.js';
import * as signIn from './sign-in/sign-in.entity.js';
import * as singleSignOn from './single-sign-on/single-sign-on.entity.js';

const FILES = [accounts, apiKeys, audit, embedding, mail, oauth, people, person, roles, sessions, signIn, singleSignOn];

/** Every table of the service but those of the libraries (outbox, idempotency): the classes that the files of entities export. */
export const entities = FILES.flatMap((file) => Object.values(file)).filter((value) => typeof value === 'function');
