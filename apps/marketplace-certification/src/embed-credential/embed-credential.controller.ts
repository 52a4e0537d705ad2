import { Access, CurrentPrincipal } from '@crm/access';
import { type Principal } from '@crm/context';
import { Describe, NotRepeatable, TextField } from '@crm/http';
import { Controller, Param, Post } from '@nestjs/common';
import { EmbedCredentialService } from './embed-credential.service.js';

export class EmbedCredentialsAnswer {
  @TextField({ maxLength: 200, description: 'Sent as X-Embed-Key' })
  clientId: string;

  @TextField({ maxLength: 200, description: 'Sent as X-Embed-Secret; shown this once' })
  clientSecret: string;
}

@Controller('api/marketplace/developer/apps/:key/embed-credentials')
export class EmbedCredentialController {
  constructor(private readonly credentials: EmbedCredentialService) {}

  @Post()
  @NotRepeatable()
  @Access({ right: 'administer' })
  @Describe({
    summary: "Issues credentials for the app's backend to mint embed tokens",
    answers: [{ status: 201, description: 'The credentials, this once', body: () => EmbedCredentialsAnswer }],
  })
  issue(@CurrentPrincipal() principal: Principal, @Param('key') key: string): Promise<EmbedCredentialsAnswer> {
    return this.credentials.issue(principal, key);
  }
}
