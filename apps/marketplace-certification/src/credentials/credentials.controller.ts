import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, NotRepeatable } from '@crm/http';
import { Body, Controller, Delete, Get, Param, Post } from '@nestjs/common';
import { DEVELOPER_PROGRAM } from '../api-groups.js';
import {
  EmbedCredentialsInput,
  EmbedCredentialsSummaryView,
  EmbedCredentialsView,
  WebhookSecretView,
} from './credentials.dto.js';
import { EmbedCredentialService } from './embed-credential.service.js';
import { WebhookSecretService } from './webhook-secret.service.js';

@ApiGroup(DEVELOPER_PROGRAM)
@Controller('api/marketplace/developer/apps/:key/embed-credentials')
@Access({ right: 'administer', proof: false })
export class EmbedCredentialController {
  constructor(private readonly credentials: EmbedCredentialService) {}

  @Post()
  @Access({ right: 'administer', proof: true })
  @NotRepeatable()
  @Describe({
    summary: 'Issues embed credentials',
    description:
      'The backend of a host uses them to mint embed tokens. Issuing again keeps the client id and gives a new secret; the previous one stays valid for the hours that are asked for. Credentials of an app that has not been reviewed work for the workspace of its publisher only, like all.',
    answers: [
      {
        status: 201,
        description: 'The credentials; the secret is never shown again',
        body: () => EmbedCredentialsView,
      },
    ],
    errors: ['CONFLICT', 'EMAIL_NOT_VERIFIED'],
  })
  issue(
    @CurrentPrincipal() principal: Principal,
    @Param('key') key: string,
    @Body() input?: EmbedCredentialsInput,
  ): Promise<EmbedCredentialsView> {
    return this.credentials.issue(principal, key, input);
  }

  @Get()
  @Describe({
    summary: 'Returns the embed credentials without their secrets',
    description: 'With the origins and scopes in force, and when each secret was made and last used.',
    answers: [{ status: 200, description: 'The credentials', body: () => EmbedCredentialsSummaryView }],
  })
  get(@CurrentPrincipal() principal: Principal, @Param('key') key: string): Promise<EmbedCredentialsSummaryView> {
    return this.credentials.get(principal, key);
  }

  @Delete()
  @Describe({
    summary: 'Ends the embed credentials',
    description:
      'Within a second nothing is minted with them, tokens that were minted stop working, and nobody can frame the page of their client id. Issuing again makes others, with another client id; host users stay who they are.',
    answers: [{ status: 204, description: 'The credentials are ended' }],
  })
  async end(@CurrentPrincipal() principal: Principal, @Param('key') key: string): Promise<void> {
    await this.credentials.end(principal, key);
  }

  @Delete('previous-secret')
  @Describe({
    summary: 'Ends the previous secret at once',
    description:
      'For a secret that has leaked, or once every host has the new one. Tokens minted with it expire within 15 minutes.',
    answers: [{ status: 204, description: 'The previous secret no longer works' }],
  })
  async revokePrevious(@CurrentPrincipal() principal: Principal, @Param('key') key: string): Promise<void> {
    await this.credentials.revokePrevious(principal, key);
  }
}

@ApiGroup(DEVELOPER_PROGRAM)
@Controller('api/marketplace/developer/apps/:key/webhook-secret')
export class WebhookSecretController {
  constructor(private readonly secrets: WebhookSecretService) {}

  @Post()
  @NotRepeatable()
  @Access({ right: 'administer', proof: true })
  @Describe({
    summary: 'Rotates the webhook secret of an app',
    description: 'Signs the deliveries of every installation. The previous secret stays valid for one more day.',
    answers: [{ status: 201, description: 'The new secret; it is never shown again', body: () => WebhookSecretView }],
  })
  async rotate(@CurrentPrincipal() principal: Principal, @Param('key') key: string): Promise<WebhookSecretView> {
    return { secret: await this.secrets.rotate(principal, key) };
  }
}
