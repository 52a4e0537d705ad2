import { Access, CurrentPrincipal } from '@crm/access';
import { type Principal } from '@crm/context';
import { ApiGroup, Describe, NotRepeatable } from '@crm/http';
import { Controller, Param, Post } from '@nestjs/common';
import { DEVELOPER_PROGRAM } from '../catalogue/api-groups.js';
import { EmbedCredentialsView } from './embed-credential.dto.js';
import { EmbedCredentialService } from './embed-credential.service.js';

@ApiGroup(DEVELOPER_PROGRAM)
@Controller('api/marketplace/developer/apps/:key/embed-credentials')
export class EmbedCredentialController {
  constructor(private readonly credentials: EmbedCredentialService) {}

  @Post()
  @NotRepeatable()
  @Access({ right: 'administer' })
  @Describe({
    summary: 'Issues embed credentials',
    description:
      'The backend of a host uses them to mint embed tokens. Issuing new credentials replaces the previous ones at once. Needs a proof of your password or second factor in the last ten minutes.',
    answers: [
      {
        status: 201,
        description: 'The credentials; the secret is never shown again',
        body: () => EmbedCredentialsView,
      },
    ],
    refusals: ['STEP_UP_REQUIRED'],
  })
  issue(@CurrentPrincipal() principal: Principal, @Param('key') key: string): Promise<EmbedCredentialsView> {
    return this.credentials.issue(principal, key);
  }
}
