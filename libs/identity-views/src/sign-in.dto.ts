import { IntegerField, TextField } from '@crm/http';

/** Only limits: a sign-in with a value that no account can have fails like any other. */
export class SignInInput {
  @TextField({ maxLength: 254, example: 'dev@acme.test' })
  email: string;

  @TextField({ maxLength: 256, example: 'correct-horse-battery-staple' })
  password: string;
}

export class RefreshInput {
  @TextField({ maxLength: 8192 })
  refreshToken: string;
}

/** `TokenPair` of the contracts on the wire. */
export class TokenPairView {
  @TextField({ maxLength: 8192 })
  accessToken: string;

  @TextField({ maxLength: 512 })
  refreshToken: string;

  @TextField({ maxLength: 6, example: 'Bearer' })
  tokenType: string;

  @IntegerField({ description: 'Lifetime of the access token in seconds', example: 900 })
  expiresIn: number;
}
