import { Access, CurrentPrincipal } from '@crm/access';
import { type Principal } from '@crm/context';
import { Describe, NotRepeatable, TextField } from '@crm/http';
import { Controller, Param, Post } from '@nestjs/common';
import { WebhookSecretService } from './webhook-secret.service.js';

export class WebhookSecretAnswer {
  @TextField({ maxLength: 100, description: 'Shown this once', example: 'whsec_…' })
  secret: string;
}

@Controller('api/marketplace/developer/apps/:key/webhook-secret')
export class WebhookSecretController {
  constructor(private readonly secrets: WebhookSecretService) {}

  @Post()
  @NotRepeatable()
  @Access({ right: 'administer' })
  @Describe({
    summary: "Makes a new secret for the signatures of the app's webhooks",
    answers: [{ status: 201, description: 'The secret, this once', body: () => WebhookSecretAnswer }],
  })
  async rotate(@CurrentPrincipal() principal: Principal, @Param('key') key: string): Promise<WebhookSecretAnswer> {
    return { secret: await this.secrets.rotate(principal, key) };
  }
}
