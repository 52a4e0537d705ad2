import { Public } from '@crm/access';
import { ApiGroup, Describe } from '@crm/http';
import { Controller, Get, Req, Res, UseFilters } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OAUTH_GROUP } from '../api-groups.js';
import { AuthorizationRequestService } from './authorization-request.service.js';
import { OAuthErrorFilter } from './oauth-error.js';
import { Parameters } from './token-request.js';

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
