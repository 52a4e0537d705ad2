import { IntegerField, TextField } from '@crm/service-kit';

export class SignInInput {
  @TextField({ maxLength: 254, example: 'operator@platform.test' })
  email: string;

  @TextField({ maxLength: 256 })
  password: string;
}

export class RefreshInput {
  @TextField({ maxLength: 8192 })
  refreshToken: string;
}

export class TokenPairView {
  @TextField({ maxLength: 8192 })
  accessToken: string;

  @TextField({ maxLength: 512 })
  refreshToken: string;

  @TextField({ maxLength: 6, example: 'Bearer' })
  tokenType: string;

  @IntegerField({ description: 'Seconds', example: 900 })
  expiresIn: number;
}
