import { Access, CurrentPrincipal } from '@crm/access';
import { type Principal } from '@crm/context';
import { ApiGroup, Describe, NotRepeatable, TextField } from '@crm/http';
import { Controller, Param, Post } from '@nestjs/common';
import { EmbedCredentialService } from './embed-credential.service.js';

export class EmbedCredentialsAnswer {
  @TextField({ maxLength: 200, description: 'Value of `X-Embed-Key`' })
  clientId: string;

  @TextField({ maxLength: 200, description: 'Value of `X-Embed-Secret`; shown only once' })
  clientSecret: string;
}

@ApiGroup({
  name: 'Developer program',
  description: 'Certifying and submitting apps, following their review, and issuing the secrets of an app.',
})
@Controller('api/marketplace/developer/apps/:key/embed-credentials')
export class EmbedCredentialController {
  constructor(private readonly credentials: EmbedCredentialService) {}

  @Post()
  @NotRepeatable()
  @Access({ right: 'administer' })
  @Describe({
    summary: 'Issues embed credentials',
    description:
      'The backend of a host uses them to mint embed tokens. Issuing new credentials replaces the previous ones at once.',
    answers: [
      {
        status: 201,
        description: 'The credentials; the secret is never shown again',
        body: () => EmbedCredentialsAnswer,
      },
    ],
  })
  issue(@CurrentPrincipal() principal: Principal, @Param('key') key: string): Promise<EmbedCredentialsAnswer> {
    return this.credentials.issue(principal, key);
  }
}
