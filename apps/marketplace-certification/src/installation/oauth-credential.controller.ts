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
    summary: 'Issues credentials with which the app calls the API',
    description:
      'The app exchanges them at `POST /api/auth/oauth/token` for tokens with the scopes of the installation. Issuing again keeps the client id and gives a new secret; the previous one stays valid for the hours that are asked for.',
    answers: [
      {
        status: 201,
        description: 'The credentials; the secret is never shown again',
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
    summary: 'Returns the credentials of the app without their secrets',
    description: 'With the scopes in force, and when each secret was made and last used.',
    answers: [{ status: 200, description: 'The credentials', body: () => OAuthCredentialsSummaryView }],
  })
  get(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<OAuthCredentialsSummaryView> {
    return this.credentials.get(principal, id);
  }

  @Delete('previous-secret')
  @Describe({
    summary: 'Ends the previous secret of the app at once',
    description: 'For a secret that has leaked, or once the app has the new one. Its tokens expire within 15 minutes.',
    answers: [{ status: 204, description: 'The previous secret no longer works' }],
  })
  async revokePrevious(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<void> {
    await this.credentials.revokePrevious(principal, id);
  }
}
