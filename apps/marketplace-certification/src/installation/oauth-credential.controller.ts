import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, IdParam, NotRepeatable } from '@crm/http';
import { Body, Controller, Delete, Get, Post } from '@nestjs/common';
import { INSTALLATIONS } from '../api-groups.js';
import { OAuthCredentialsInput, OAuthCredentialsSummaryView, OAuthCredentialsView } from './installation.dto.js';
import { OAuthClientService } from './oauth-client.service.js';

@ApiGroup(INSTALLATIONS)
@Controller('api/marketplace/installs/:id/oauth-credentials')
@Access({ right: 'administer', proof: false })
export class OAuthCredentialController {
  constructor(private readonly credentials: OAuthClientService) {}

  @Post()
  @Access({ right: 'administer', proof: true })
  @NotRepeatable()
  @Describe({
    summary: 'Issue client credentials',
    description:
      "The app exchanges them at `POST /api/auth/oauth/token` for tokens with the installation's scopes. Issuing again keeps the client ID and creates a new secret; the previous one stays valid for the requested number of hours.",
    answers: [
      {
        status: 201,
        description: "The credentials. You won't be able to see the secret again",
        body: () => OAuthCredentialsView,
      },
    ],
    errors: ['CONFLICT'],
  })
  issue(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: string,
    @Body() input?: OAuthCredentialsInput,
  ): Promise<OAuthCredentialsView> {
    return this.credentials.issue(principal, id, input);
  }

  @Get()
  @Describe({
    summary: 'Get the client credentials without their secrets',
    description: 'Includes the current scopes, and when each secret was created and last used.',
    answers: [{ status: 200, description: 'The credentials', body: () => OAuthCredentialsSummaryView }],
  })
  get(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<OAuthCredentialsSummaryView> {
    return this.credentials.get(principal, id);
  }

  @Delete('previous-secret')
  @Describe({
    summary: 'Revoke the previous client secret',
    description:
      'Use this if the secret has leaked, or once the app uses the new one. Its tokens expire within 15 minutes.',
    answers: [{ status: 204, description: 'The previous secret no longer works' }],
  })
  async revokePrevious(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<void> {
    await this.credentials.revokePrevious(principal, id);
  }
}
