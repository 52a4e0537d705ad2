import { Access, CurrentPrincipal, type Principal, Public } from '@crm/access';
import { ApiGroup, Describe, NotRepeatable } from '@crm/http';
import { Body, Controller, Get, Param, Post, Req, Res, UseFilters } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OAUTH_GROUP } from '../api-groups.js';
import { AuthorizationRequestService } from './authorization-request.service.js';
import { ConsentService } from './consent.service.js';
import { ConsentView, DecisionInput, DecisionView } from './oauth.dto.js';
import { OAuthErrorFilter } from './oauth-error.js';
import { Parameters } from './token-request.js';

@ApiGroup(OAUTH_GROUP)
@Controller('api/auth/oauth/requests/:id')
export class ConsentController {
  constructor(private readonly consents: ConsentService) {}

  @Get()
  @Access({ right: 'read' })
  @Describe({
    summary: 'Returns what an app asks the current user for',
    description:
      'For the page that asks. The scopes are those that the app asks for and your workspace has granted to it; the user can leave out each that is not `required`.',
    answers: [{ status: 200, description: 'The request', body: () => ConsentView }],
    errors: ['INVALID_AUTHORIZATION_REQUEST', 'APP_NOT_INSTALLED', 'INSUFFICIENT_SCOPE'],
  })
  async describe(@CurrentPrincipal() principal: Principal, @Param('id') id: string): Promise<ConsentView> {
    return this.consents.describe(principal, id);
  }

  @Post('decision')
  @NotRepeatable()
  @Access({ right: 'read' })
  @Describe({
    summary: 'Allows an app to act for the current user, or refuses',
    description:
      'Ends the request. With `scopes` the app is given those alone, and learns it from the token. The browser is sent to the address in the answer, with a code that the app exchanges within a minute, or with `access_denied`. To approve needs a proof of your password or second factor in the last ten minutes.',
    answers: [{ status: 200, description: 'Where the browser is sent', body: () => DecisionView }],
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

@ApiGroup(OAUTH_GROUP)
@Controller('api/auth/oauth/authorize')
@UseFilters(OAuthErrorFilter)
export class AuthorizeController {
  constructor(private readonly requests: AuthorizationRequestService) {}

  @Get()
  @Public()
  @Describe({
    summary: 'Sends a browser to the page on which a user allows an app to act for them',
    description:
      'The query has `response_type=code`, `client_id` (the key of the app), `redirect_uri` (exactly as in its manifest), `code_challenge` with `code_challenge_method=S256`, and may have `scope`, `state` and `installation_id`, which a sandbox needs. A request whose app or redirect URI is not registered is answered here, with 400; everything else is answered at the redirect URI, with `iss` and the `state`.',
    answers: [{ status: 303, description: 'To the page, or back to the app with an error' }],
  })
  async authorize(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const location = await this.requests.begin(Parameters.ofUrl(request.url));
    await reply.code(303).headers({ location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }).send();
  }
}
