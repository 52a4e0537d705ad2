import { BooleanField, DateTimeField, IdField, TextField } from '@crm/http';

/** `SessionView` of the contracts on the wire. */
export class SessionView {
  @IdField()
  id: string;

  @BooleanField({ description: 'Whether this is the session of the access token' })
  current: boolean;

  @TextField({ maxLength: 64, nullable: true, description: 'Where the sign-in came from' })
  address: string | null;

  @TextField({ maxLength: 64, nullable: true, description: 'Where the session was used last' })
  lastAddress: string | null;

  @TextField({ maxLength: 300, nullable: true })
  userAgent: string | null;

  @TextField({ maxLength: 60, nullable: true, description: 'The user agent in short', example: 'Firefox on Linux' })
  device: string | null;

  @DateTimeField()
  createdAt: string;

  @DateTimeField()
  lastUsedAt: string;

  @DateTimeField({ description: 'When the session ends unless it is refreshed before' })
  expiresAt: string;

  @DateTimeField({ description: 'When the session ends however often it is refreshed' })
  endsAt: string;
}
