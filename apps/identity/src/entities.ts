import { EmbedClient } from './embed-client/embed-client.entity.js';
import { EmbedUser } from './embed-token/embed-user.entity.js';
import { Invitation } from './invitation/invitation.entity.js';
import { SigningKey } from './key/signing-key.entity.js';
import { Mail } from './mail/mail.entity.js';
import { MfaChallenge } from './mfa/mfa-challenge.entity.js';
import { Operator } from './operator/operator.entity.js';
import { OperatorSession } from './operator/operator-session.entity.js';
import { PendingCutoff } from './revocation/pending-cutoff.entity.js';
import { RevocationCutoff } from './revocation/revocation-cutoff.entity.js';
import { RefreshToken } from './session/refresh-token.entity.js';
import { Session } from './session/session.entity.js';
import { Tenant } from './tenant/tenant.entity.js';
import { SignInEmail } from './user/sign-in-email.entity.js';
import { User } from './user/user.entity.js';

/** Every table of the service but those of the libraries (outbox, idempotency). */
export const entities = [
  EmbedClient,
  EmbedUser,
  Invitation,
  Mail,
  MfaChallenge,
  Operator,
  OperatorSession,
  PendingCutoff,
  RefreshToken,
  RevocationCutoff,
  Session,
  SignInEmail,
  SigningKey,
  Tenant,
  User,
];
