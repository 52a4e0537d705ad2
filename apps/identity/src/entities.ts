import { EmailChange, Invitation, Operator, PasswordReset, TenantSuspension } from './accounts/accounts.entity.js';
import { ApiKey, ServiceAccount } from './api-keys/api-key.entity.js';
import { AuditEntry } from './audit/audit-entry.entity.js';
import { EmbedClient, EmbedUser } from './embedding/embedding.entity.js';
import { Mail } from './mail/mail.entity.js';
import {
  AuthorizationCode,
  AuthorizationRequest,
  Grant,
  GrantToken,
  OAuthApp,
  OAuthInstallation,
} from './oauth/oauth.entity.js';
import { EmailClaim, SignInEmail, Tenant, User } from './people/people.entity.js';
import { PendingCutoff, RefreshToken, RevocationCutoff, Session, SigningKey } from './sessions/sessions.entity.js';
import {
  Authenticator,
  CodeGuess,
  MfaChallenge,
  Passkey,
  RecoveryCode,
  SignInPolicy,
  SpentPasskeyChallenge,
} from './sign-in/sign-in.entity.js';
import {
  IdentityProvider,
  MailDomain,
  ProviderLink,
  ProviderSignIn,
  VerifiedDomain,
} from './single-sign-on/single-sign-on.entity.js';

/** Every table of the service but those of the libraries (outbox, idempotency). */
export const entities = [
  EmailChange,
  EmailClaim,
  EmbedClient,
  EmbedUser,
  Invitation,
  Mail,
  MfaChallenge,
  Operator,
  PasswordReset,
  PendingCutoff,
  RefreshToken,
  RevocationCutoff,
  Session,
  SignInEmail,
  SigningKey,
  Tenant,
  User,
  Authenticator,
  CodeGuess,
  RecoveryCode,
  SignInPolicy,
  AuditEntry,
  IdentityProvider,
  MailDomain,
  ProviderLink,
  ProviderSignIn,
  VerifiedDomain,
  Passkey,
  SpentPasskeyChallenge,
  ApiKey,
  ServiceAccount,
  OAuthApp,
  OAuthInstallation,
  AuthorizationRequest,
  AuthorizationCode,
  Grant,
  GrantToken,
  TenantSuspension,
];
