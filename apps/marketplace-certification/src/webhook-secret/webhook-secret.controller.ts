import { Access, CurrentPrincipal } from '@crm/access';
import { type Principal } from '@crm/context';
import { ApiGroup, Describe, NotRepeatable, TextField } from '@crm/http';
import { Controller, Param, Post } from '@nestjs/common';
import { WebhookSecretService } from './webhook-secret.service.js';

export class WebhookSecretAnswer {
  @TextField({ maxLength: 100, description: 'Shown only once', example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' })
  secret: string;
}

@ApiGroup({
  name: 'Developer program',
  description: 'Certifying and submitting apps, following their review, and issuing the secrets of an app.',
})
@Controller('api/marketplace/developer/apps/:key/webhook-secret')
export class WebhookSecretController {
  constructor(private readonly secrets: WebhookSecretService) {}

  @Post()
  @NotRepeatable()
  @Access({ right: 'administer' })
  @Describe({
    summary: 'Rotates the webhook secret of an app',
    description: 'Signs the deliveries of every installation. The previous secret stays valid for one more day.',
    answers: [{ status: 201, description: 'The new secret; it is never shown again', body: () => WebhookSecretAnswer }],
  })
  async rotate(@CurrentPrincipal() principal: Principal, @Param('key') key: string): Promise<WebhookSecretAnswer> {
    return { secret: await this.secrets.rotate(principal, key) };
  }
}
