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
    summary: 'Lists the apps that act for the current user',
    description: 'Each time you allow an app to act for you there is one entry, until it is ended or expires.',
    answers: [{ status: 200, description: 'The apps, the last allowed first', body: () => OwnGrantView, list: true }],
  })
  async list(@CurrentPrincipal() principal: Principal, @Query() query: ListQuery): Promise<ListAnswer<OwnGrantView>> {
    return mapList(await this.grants.list(principal, query), ownGrantView);
  }

  @Patch(':id')
  @Describe({
    summary: 'Leaves an app fewer scopes',
    description:
      'Its access tokens stop working within a second; its refresh token goes on, and gives tokens with the scopes that are left. No call gives a scope back: the app can ask again, and you decide again.',
    answers: [{ status: 200, description: 'What the app may still do', body: () => OwnGrantView }],
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
    summary: 'Ends what an app may do for the current user',
    description: 'Its refresh token stops working, and its access tokens stop working within a second.',
    answers: [{ status: 204, description: 'The app no longer acts for you' }],
  })
  async end(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<void> {
    await this.grants.endOwn(principal, id);
  }
}
