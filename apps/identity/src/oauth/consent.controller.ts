import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, NotRepeatable } from '@crm/http';
import { Body, Controller, Get, Param, Post } from '@nestjs/common';
import { OAUTH_GROUP } from '../api-groups.js';
import { ConsentService } from './consent.service.js';
import { ConsentView, DecisionInput, DecisionView } from './oauth.dto.js';

@ApiGroup(OAUTH_GROUP)
@Controller('api/auth/oauth/requests/:id')
@Access({ right: 'read' })
export class ConsentController {
  constructor(private readonly consents: ConsentService) {}

  @Get()
  @Describe({
    summary: 'Get an authorization request',
    description:
      "For the consent page. The scopes are those that the app requests and your workspace has granted; the user can leave out any that isn't `required`.",
    answers: [{ status: 200, description: 'The request', body: () => ConsentView }],
    errors: ['INVALID_AUTHORIZATION_REQUEST', 'APP_NOT_INSTALLED', 'INSUFFICIENT_SCOPE'],
  })
  async describe(@CurrentPrincipal() principal: Principal, @Param('id') id: string): Promise<ConsentView> {
    return this.consents.describe(principal, id);
  }

  @Post('decision')
  @NotRepeatable()
  @Describe({
    summary: 'Approve or deny an authorization request',
    description:
      'Ends the request. With `scopes`, the app gets only those and sees them in the token. Send the browser to the URL in the response, which has a code that the app exchanges within a minute, or `access_denied`. Approving requires authentication within the last 10 minutes.',
    answers: [{ status: 200, description: 'Where to send the browser', body: () => DecisionView }],
    errors: [
      'INVALID_AUTHORIZATION_REQUEST',
      'APP_NOT_INSTALLED',
      'INSUFFICIENT_SCOPE',
      'SCOPE_NOT_OFFERED',
      'SCOPE_REQUIRED',
      'STEP_UP_REQUIRED',
    ],
  })
  async decide(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Body() decision: DecisionInput,
  ): Promise<DecisionView> {
    return { redirectTo: await this.consents.decide(principal, id, decision) };
  }
}
