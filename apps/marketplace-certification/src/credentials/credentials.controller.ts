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
    summary: 'Issue embed credentials',
    description:
      "The host's backend uses them to mint embed tokens. Issuing again keeps the client ID and creates a new secret; the previous one stays valid for the requested number of hours. Embed credentials work only for the publisher's workspace.",
    answers: [
      {
        status: 201,
        description: "The credentials. You won't be able to see the secret again",
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
    summary: 'Get the embed credentials without their secrets',
    description: 'Includes the current origins and scopes, and when each secret was created and last used.',
    answers: [{ status: 200, description: 'The credentials', body: () => EmbedCredentialsSummaryView }],
  })
  get(@CurrentPrincipal() principal: Principal, @Param('key') key: string): Promise<EmbedCredentialsSummaryView> {
    return this.credentials.get(principal, key);
  }

  @Delete()
  @Describe({
    summary: 'Revoke the embed credentials',
    description:
      'Within a second they no longer mint tokens, minted tokens stop working, and no one can frame the page of their client ID. Issuing again creates new credentials with another client ID; host users stay the same.',
    answers: [{ status: 204, description: 'The credentials are revoked' }],
  })
  async end(@CurrentPrincipal() principal: Principal, @Param('key') key: string): Promise<void> {
    await this.credentials.end(principal, key);
  }

  @Delete('previous-secret')
  @Describe({
    summary: 'Revoke the previous embed secret',
    description:
      'Use this if the secret has leaked, or once every host uses the new one. Tokens minted with it expire within 15 minutes.',
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
    summary: 'Rotate the webhook secret of an app',
    description:
      'The secret signs the deliveries to every installation. The previous one stays valid for one more day.',
    answers: [
      { status: 201, description: "The new secret. You won't be able to see it again", body: () => WebhookSecretView },
    ],
  })
  async rotate(@CurrentPrincipal() principal: Principal, @Param('key') key: string): Promise<WebhookSecretView> {
    return { secret: await this.secrets.rotate(principal, key) };
  }
}
