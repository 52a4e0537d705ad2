import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, NotRepeatable } from '@crm/http';
import { Controller, Param, Post } from '@nestjs/common';
import { DEVELOPER_PROGRAM } from '../catalogue/api-groups.js';
import { WebhookSecretView } from './webhook-secret.dto.js';
import { WebhookSecretService } from './webhook-secret.service.js';

@ApiGroup(DEVELOPER_PROGRAM)
@Controller('api/marketplace/developer/apps/:key/webhook-secret')
export class WebhookSecretController {
  constructor(private readonly secrets: WebhookSecretService) {}

  @Post()
  @NotRepeatable()
  @Access({ right: 'administer' })
  @Describe({
    summary: 'Rotates the webhook secret of an app',
    description: 'Signs the deliveries of every installation. The previous secret stays valid for one more day.',
    answers: [{ status: 201, description: 'The new secret; it is never shown again', body: () => WebhookSecretView }],
  })
  async rotate(@CurrentPrincipal() principal: Principal, @Param('key') key: string): Promise<WebhookSecretView> {
    return { secret: await this.secrets.rotate(principal, key) };
  }
}
