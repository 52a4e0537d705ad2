import { BooleanField, field, IntegerField, ListField, TextField } from '@crm/http';

/** Tokens, or what the sign-in still needs. */
export class SignInView {
  @TextField({ maxLength: 8192, optional: true })
  accessToken?: string;

  @TextField({ maxLength: 512, optional: true })
  refreshToken?: string;

  @TextField({ maxLength: 6, optional: true })
  tokenType?: string;

  @IntegerField({
    description: 'Lifetime of the access token, the challenge or the enrolment, in seconds',
    example: 900,
  })
  expiresIn: number;

  @BooleanField({
    optional: true,
    description: 'Whether a code is awaited; the tokens are absent then',
    example: false,
  })
  mfaRequired?: boolean;

  @TextField({ maxLength: 100, optional: true })
  challengeId?: string;

  @ListField(field.enum(['mail', 'authenticator', 'recovery_code', 'passkey']), {
    optional: true,
    description:
      'What completes the sign-in: the code sent by e-mail, one of the authenticator or a recovery code; or, in place of the challenge, a passkey',
    example: ['authenticator', 'recovery_code'],
  })
  methods?: string[];

  @BooleanField({
    optional: true,
    description: 'Whether a second factor is required and has to be set up first; the tokens are absent then',
    example: false,
  })
  mfaEnrolmentRequired?: boolean;

  @TextField({ maxLength: 200, optional: true, description: 'Sets up an authenticator, and nothing else' })
  enrolmentToken?: string;
}
