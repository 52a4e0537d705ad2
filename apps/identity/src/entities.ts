import { EmailChange } from './accounts/email-change/email-change.entity.js';
import { Invitation } from './accounts/invitation/invitation.entity.js';
import { PasswordReset } from './accounts/password-reset/password-reset.entity.js';
import { TenantSuspension } from './accounts/suspension/suspension.entity.js';
import { Tenant } from './accounts/tenant/tenant.entity.js';
import { EmailClaim } from './accounts/user/email-claim.entity.js';
import { SignInEmail } from './accounts/user/sign-in-email.entity.js';
import { User } from './accounts/user/user.entity.js';
import { ServiceAccount } from './api-keys/service-account/service-account.entity.js';
import { AuditEntry } from './audit/trail/audit-entry.entity.js';
import { EmbedClient } from './embedding/embed-client/embed-client.entity.js';
import { EmbedUser } from './embedding/embed-user/embed-user.entity.js';
import { SigningKey } from './keys/signing-key.entity.js';
import { Mail } from './mail/mail.entity.js';
import { OAuthApp } from './oauth/app/oauth-app.entity.js';
import { AuthorizationCode } from './oauth/grant/authorization-code.entity.js';
import { Grant } from './oauth/grant/grant.entity.js';
import { GrantToken } from './oauth/grant/grant-token.entity.js';
import { OAuthInstallation } from './oauth/installation/oauth-installation.entity.js';
import { AuthorizationRequest } from './oauth/request/authorization-request.entity.js';
import { Operator } from './operators/operator.entity.js';
import { ApiKey } from './sessions/api-key/api-key.entity.js';
import { RefreshToken } from './sessions/refresh-token/refresh-token.entity.js';
import { PendingCutoff } from './sessions/revocation/pending-cutoff.entity.js';
import { RevocationCutoff } from './sessions/revocation/revocation-cutoff.entity.js';
import { Session } from './sessions/session/session.entity.js';
import { Authenticator } from './sign-in/authenticator/authenticator.entity.js';
import { CodeGuess } from './sign-in/code-guess/code-guess.entity.js';
import { MfaChallenge } from './sign-in/mfa/mfa-challenge.entity.js';
import { Passkey } from './sign-in/passkey/passkey.entity.js';
import { SpentPasskeyChallenge } from './sign-in/passkey/spent-passkey-challenge.entity.js';
import { SignInPolicy } from './sign-in/policy/sign-in-policy.entity.js';
import { RecoveryCode } from './sign-in/recovery-code/recovery-code.entity.js';
import { MailDomain } from './single-sign-on/domain/mail-domain.entity.js';
import { VerifiedDomain } from './single-sign-on/domain/verified-domain.entity.js';
import { ProviderLink } from './single-sign-on/link/provider-link.entity.js';
import { IdentityProvider } from './single-sign-on/provider/identity-provider.entity.js';
import { ProviderSignIn } from './single-sign-on/sign-in/provider-sign-in.entity.js';

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
