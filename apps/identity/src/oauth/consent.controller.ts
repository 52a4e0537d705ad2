import { Access, CurrentPrincipal, type Principal, Public } from '@crm/access';
import { ApiGroup, Describe, IdParam, type ListAnswer, ListQuery, mapList, NotRepeatable } from '@crm/http';
import { Body, Controller, Delete, Get, Param, Patch, Post, Query, Req, Res, UseFilters } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OAUTH_GROUP } from '../api-groups.js';
import { AuthorizationRequestService, ConsentService } from './consent.service.js';
import { GrantService, grantView, type OwnGrant } from './grant.service.js';
import { ConsentView, DecisionInput, DecisionView, GrantInput, OwnGrantView } from './oauth.dto.js';
import { OAuthErrorFilter } from './oauth-error.js';
import { Parameters } from './token-request.js';

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

@ApiGroup(OAUTH_GROUP)
@Controller('api/auth/oauth/authorize')
@UseFilters(OAuthErrorFilter)
export class AuthorizeController {
  constructor(private readonly requests: AuthorizationRequestService) {}

  @Get()
  @Public()
  @Describe({
    summary: 'Start an authorization request',
    description:
      "The query has `response_type=code`, `client_id` (the key of the app), `redirect_uri` (exactly as in its manifest), `code_challenge` with `code_challenge_method=S256`, and may have `scope`, `state` and `installation_id`, which a sandbox needs. If the app or redirect URI isn't registered, this call returns 400; any other outcome goes to the redirect URI, with `iss` and `state`.",
    answers: [{ status: 303, description: 'To the page, or back to the app with an error' }],
  })
  async authorize(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const location = await this.requests.begin(Parameters.ofUrl(request.url));
    await reply.code(303).headers({ location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }).send();
  }
}

const ownGrantView = (grant: OwnGrant): OwnGrantView => ({
  ...grantView(grant),
  requiredScopes: grant.requiredScopes,
});

@ApiGroup(OAUTH_GROUP)
@Controller('api/auth/oauth/grants')
@Access({ right: 'read' })
export class OwnGrantController {
  constructor(private readonly grants: GrantService) {}

  @Get()
  @Describe({
    summary: 'List your connected apps',
    description: 'One entry for each authorization, until it is revoked or expires.',
    answers: [
      { status: 200, description: 'The apps, most recently connected first', body: () => OwnGrantView, list: true },
    ],
  })
  async list(@CurrentPrincipal() principal: Principal, @Query() query: ListQuery): Promise<ListAnswer<OwnGrantView>> {
    return mapList(await this.grants.list(principal, query), ownGrantView);
  }

  @Patch(':id')
  @Describe({
    summary: 'Remove scopes from a connected app',
    description:
      'Its access tokens stop working within a second. Its refresh token keeps working and returns tokens with the remaining scopes. To restore a scope, the app must ask for consent again.',
    answers: [{ status: 200, description: 'The remaining scopes', body: () => OwnGrantView }],
    errors: ['SCOPE_NOT_OFFERED', 'SCOPE_REQUIRED'],
  })
  async narrow(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: string,
    @Body() { scopes }: GrantInput,
  ): Promise<OwnGrantView> {
    return ownGrantView(await this.grants.narrow(principal, id, scopes));
  }

  @Delete(':id')
  @Describe({
    summary: 'Disconnect an app',
    description: 'Its refresh token and its access tokens stop working within a second.',
    answers: [{ status: 204, description: 'The app is disconnected' }],
  })
  async end(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<void> {
    await this.grants.endOwn(principal, id);
  }
}
