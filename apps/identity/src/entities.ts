import { EmailChange } from './accounts/email-change.entity.js';
import { Invitation } from './accounts/invitation.entity.js';
import { PasswordReset } from './accounts/password-reset.entity.js';
import { TenantSuspension } from './accounts/suspension.entity.js';
import { ApiKey } from './api-keys/api-key.entity.js';
import { ServiceAccount } from './api-keys/service-account.entity.js';
import { AuditEntry } from './audit/audit-entry.entity.js';
import { EmbedClient } from './embedding/embed-client.entity.js';
import { EmbedUser } from './embedding/embed-user.entity.js';
import { Mail } from './mail/mail.entity.js';
import { AuthorizationCode } from './oauth/authorization-code.entity.js';
import { AuthorizationRequest } from './oauth/authorization-request.entity.js';
import { Grant } from './oauth/grant.entity.js';
import { GrantToken } from './oauth/grant-token.entity.js';
import { OAuthApp } from './oauth/oauth-app.entity.js';
import { OAuthInstallation } from './oauth/oauth-installation.entity.js';
import { Operator } from './operators/operator.entity.js';
import { EmailClaim } from './people/email-claim.entity.js';
import { SignInEmail } from './people/sign-in-email.entity.js';
import { Tenant } from './people/tenant.entity.js';
import { User } from './people/user.entity.js';
import { PendingCutoff } from './sessions/pending-cutoff.entity.js';
import { RefreshToken } from './sessions/refresh-token.entity.js';
import { RevocationCutoff } from './sessions/revocation-cutoff.entity.js';
import { Session } from './sessions/session.entity.js';
import { SigningKey } from './sessions/signing-key.entity.js';
import { Authenticator } from './sign-in/authenticator.entity.js';
import { CodeGuess } from './sign-in/code-guess.entity.js';
import { MfaChallenge } from './sign-in/mfa-challenge.entity.js';
import { Passkey } from './sign-in/passkey.entity.js';
import { RecoveryCode } from './sign-in/recovery-code.entity.js';
import { SignInPolicy } from './sign-in/sign-in-policy.entity.js';
import { SpentPasskeyChallenge } from './sign-in/spent-passkey-challenge.entity.js';
import { IdentityProvider } from './single-sign-on/identity-provider.entity.js';
import { MailDomain } from './single-sign-on/mail-domain.entity.js';
import { ProviderLink } from './single-sign-on/provider-link.entity.js';
import { ProviderSignIn } from './single-sign-on/provider-sign-in.entity.js';
import { VerifiedDomain } from './single-sign-on/verified-domain.entity.js';

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
