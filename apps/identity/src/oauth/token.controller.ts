import { Public } from '@crm/access';
import { ApiGroup, Describe, FormBody, type JsonSchema, NotRepeatable } from '@crm/http';
import { Controller, Post, Req, UseFilters } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { OAUTH_GROUP } from '../api-groups.js';
import { CurrentOrigin, type RequestOrigin } from '../audit/request-origin.decorator.js';
import { AboutTokenForm, IntrospectionView, OAuthErrorView, TokenAnswerView, TokenForm } from './oauth.dto.js';
import { OAuthErrorFilter } from './oauth-error.js';
import { type Introspection } from './own-token.service.js';
import { TokenService } from './token.service.js';
import { type ClientCall, Parameters } from './token-request.js';

/** RFC 7009, section 2.2: the status says everything. */
const NOTHING: JsonSchema = { type: 'object', properties: {} };

const REFUSED = { status: 400, description: 'Rejected (RFC 6749, section 5.2)', body: () => OAuthErrorView };

const NOT_AUTHENTICATED = { status: 401, description: 'Client authentication failed', body: () => OAuthErrorView };

const AUTHORIZATION = {
  name: 'Authorization',
  description: 'HTTP Basic with client id and secret, both form-encoded (RFC 6749, section 2.3.1)',
};

@ApiGroup(OAUTH_GROUP)
@Controller('api/auth/oauth')
@UseFilters(OAuthErrorFilter)
export class TokenController {
  constructor(private readonly tokens: TokenService) {}

  @Post('token')
  @NotRepeatable()
  @FormBody()
  @Public()
  @Describe({
    summary: 'Issue an access token',
    description:
      "For an installation, use `client_credentials` with the client ID and secret that an admin of its workspace issued. For a user, use `authorization_code` and then `refresh_token`, with the app's key as `client_id` and no secret. An access token is valid for 15 minutes.",
    headers: [AUTHORIZATION],
    body: { dto: () => TokenForm },
    example: { grant_type: 'client_credentials', scope: 'leads:read tasks' },
    answers: [{ status: 200, description: 'The token', body: () => TokenAnswerView }, REFUSED, NOT_AUTHENTICATED],
  })
  async issue(@Req() request: FastifyRequest, @CurrentOrigin() origin: RequestOrigin): Promise<TokenAnswerView> {
    return this.tokens.issue(callOf(request, origin));
  }

  @Post('revoke')
  @NotRepeatable()
  @FormBody()
  @Public()
  @Describe({
    summary: 'Revoke a token',
    description:
      "OAuth 2.0 token revocation (RFC 7009). Revoking a user's token disconnects the app from that user; revoking an installation's token affects only that token. An invalid token returns 200 as well.",
    headers: [AUTHORIZATION],
    body: { dto: () => AboutTokenForm },
    example: { token: 'eyJhbGciOiJFZERTQSJ9.e30.c2ln', client_id: 'acme-site-visits' },
    answers: [
      { status: 200, description: 'The token is revoked', body: NOTHING, example: {} },
      REFUSED,
      NOT_AUTHENTICATED,
    ],
  })
  async revoke(@Req() request: FastifyRequest, @CurrentOrigin() origin: RequestOrigin): Promise<object> {
    await this.tokens.revoke(callOf(request, origin));
    return {};
  }

  @Post('introspect')
  @NotRepeatable()
  @FormBody()
  @Public()
  @Describe({
    summary: 'Introspect a token',
    description:
      "OAuth 2.0 token introspection (RFC 7662), with an installation's credentials. Includes the tokens of users for whom the app acts in that workspace.",
    headers: [AUTHORIZATION],
    body: { dto: () => AboutTokenForm },
    example: { token: 'eyJhbGciOiJFZERTQSJ9.e30.c2ln' },
    answers: [
      { status: 200, description: "The token's status and scopes", body: () => IntrospectionView },
      REFUSED,
      NOT_AUTHENTICATED,
    ],
  })
  async introspect(@Req() request: FastifyRequest, @CurrentOrigin() origin: RequestOrigin): Promise<Introspection> {
    return this.tokens.introspect(callOf(request, origin));
  }
}

const callOf = ({ body, headers }: FastifyRequest, origin: RequestOrigin): ClientCall => ({
  header: headers.authorization,
  parameters: Parameters.ofForm(body),
  origin,
});
