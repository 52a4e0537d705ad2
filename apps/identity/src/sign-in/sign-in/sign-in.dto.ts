import { BooleanField, IntegerField, TextField } from '@crm/http';

export class CodeInput {
  @TextField({ maxLength: 100, description: '`challengeId` of the sign-in' })
  challengeId: string;

  @TextField({ maxLength: 6, pattern: /^\d{6}$/, example: '123456' })
  code: string;
}

/** Tokens, or the request for a code. */
export class SignInView {
  @TextField({ maxLength: 8192, optional: true })
  accessToken?: string;

  @TextField({ maxLength: 512, optional: true })
  refreshToken?: string;

  @TextField({ maxLength: 6, optional: true })
  tokenType?: string;

  @IntegerField({ description: 'Lifetime of the access token or of the challenge, in seconds', example: 900 })
  expiresIn: number;

  @BooleanField({
    optional: true,
    description: 'Whether a code was sent by e-mail; the tokens are absent then',
    example: false,
  })
  mfaRequired?: boolean;

  @TextField({ maxLength: 100, optional: true })
  challengeId?: string;
}
