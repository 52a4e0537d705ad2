import { TextField } from '@crm/http';

export class WebhookSecretView {
  @TextField({ maxLength: 100, description: 'Shown only once', example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' })
  secret: string;
}
