import { BooleanField, IntegerField, TextField } from '@crm/http';

export class CodeInput {
  @TextField({ maxLength: 100 })
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

  @IntegerField({ description: 'Seconds' })
  expiresIn: number;

  @BooleanField({ optional: true, description: 'A code was sent by mail' })
  mfaRequired?: boolean;

  @TextField({ maxLength: 100, optional: true })
  challengeId?: string;
}
