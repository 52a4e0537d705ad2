import { BooleanField, EnumField, field, IdField, IntegerField, ListField, TextField } from '@crm/http';
import { NEW_PASSWORD } from '../passwords/password-policy.js';
import { SECOND_FACTOR_POLICIES, type SecondFactorPolicy } from '../people/sign-in-policy.entity.js';

/** Only limits: a sign-in with a value that no account can have fails like any other. */
export class SignInInput {
  @TextField({ maxLength: 254, example: 'dev@acme.test' }) email: string;
  @TextField({ maxLength: 256, example: 'correct-horse-battery-staple' }) password: string;

  @IdField({ optional: true, description: 'The workspace to sign in to; the last one used by default' })
  workspace?: string;

  @TextField({
    ...NEW_PASSWORD,
    optional: true,
    description: 'Replaces a password that someone else chose, only at the first sign-in',
    example: 'tidal-lantern-orbits-quietly',
  })
  newPassword?: string;
}

export class SwitchInput {
  @IdField({ description: 'Of the workspace' }) tenantId: string;

  @TextField({
    optional: true,
    maxLength: 256,
    description: "The person's password; required in a session opened by an identity provider",
  })
  password?: string;
}

export class PersonWorkspaceView {
  @IdField({ description: 'Of the workspace' }) tenantId: string;
  @TextField({ maxLength: 200 }) name: string;
  @ListField(field.text({ maxLength: 40 }), { example: ['member'] }) roles: string[];
  @BooleanField({ description: 'Whether the access token is for this workspace' }) current: boolean;
}

export class PersonWorkspacesView {
  @ListField(() => PersonWorkspaceView, { description: 'Sorted by name' }) data: PersonWorkspaceView[];

  @BooleanField({
    description:
      'Whether other workspaces may be missing because the session covers only its own; `POST` with the password lists them all',
  })
  partial: boolean;
}

export class WorkspacesInput {
  @TextField({ maxLength: 256, description: "The person's password", example: 'correct-horse-battery-staple' })
  password: string;
}

export class HandOverInput {
  @TextField({ maxLength: 512, optional: true, description: 'The refresh token of a sign-in, instead of the cookie' })
  refreshToken?: string;
}

export class PageSignInView {
  @TextField({ maxLength: 8192, optional: true }) accessToken?: string;
  @TextField({ maxLength: 6, optional: true }) tokenType?: string;

  @IntegerField({
    description: 'Lifetime of the access token, challenge, or enrolment token in seconds',
    example: 900,
  })
  expiresIn: number;

  @BooleanField({
    optional: true,
    description: 'Whether a code is required; the tokens are then absent',
    example: false,
  })
  mfaRequired?: boolean;

  @TextField({ maxLength: 100, optional: true }) challengeId?: string;

  @ListField(field.enum(['mail', 'authenticator', 'recovery_code', 'passkey']), {
    optional: true,
    description:
      'What completes the sign-in: the emailed code, a code from the authenticator app, or a recovery code; or, instead of the challenge, a passkey',
    example: ['authenticator', 'recovery_code'],
  })
  methods?: string[];

  @BooleanField({
    optional: true,
    description: 'Whether two-step verification has to be set up first; the tokens are then absent',
    example: false,
  })
  mfaEnrolmentRequired?: boolean;

  @TextField({ maxLength: 200, optional: true, description: 'Sets up an authenticator app, and nothing else' })
  enrolmentToken?: string;

  @BooleanField({
    optional: true,
    description:
      'Whether someone else chose the password; the tokens are then absent. Sign in again with a `newPassword`',
    example: false,
  })
  passwordChangeRequired?: boolean;
}

export class SignInView extends PageSignInView {
  @TextField({ maxLength: 512, optional: true }) refreshToken?: string;
}

/** What a workspace demands of the sign-ins of its users, as body and as answer. */
export class SignInPolicyInput {
  @EnumField(SECOND_FACTOR_POLICIES, {
    description: '`required`: users without two-step verification set up an authenticator app at their next sign-in',
    example: 'required',
  })
  secondFactor: SecondFactorPolicy;
}

export class SignInPolicyView extends SignInPolicyInput {}
