import { Public } from '@crm/access';
import { ApiGroup, Describe, FormBody, type JsonSchema, NotRepeatable } from '@crm/http';
import { Controller, Post, Req, UseFilters } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { OAUTH_GROUP } from '../api-groups.js';
import { CurrentOrigin, type RequestOrigin } from '../audit/request-origin.decorator.js';
import { OAuthErrorFilter } from './oauth-error.js';
import type { Introspection } from './own-token.service.js';
import { AboutTokenForm, IntrospectionView, OAuthErrorView, TokenAnswerView, TokenForm } from './token.dto.js';
import { TokenService } from './token.service.js';
import { type ClientCall, Parameters } from './token-request.js';

/** RFC 7009, section 2.2: the status says everything. */
const NOTHING: JsonSchema = { type: 'object', properties: {} };
const REFUSED = { status: 400, description: 'Refused (RFC 6749, section 5.2)', body: () => OAuthErrorView };
const NOT_AUTHENTICATED = { status: 401, description: 'The client is not authenticated', body: () => OAuthErrorView };
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
    summary: 'Issues an access token to an app',
    description:
      'For an installation by `client_credentials`, with the client id and the secret that an administrator of its workspace was given. For a user by `authorization_code` and then `refresh_token`, where `client_id` is the key of the app and there is no secret. An access token lives 15 minutes.',
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
    summary: 'Ends a token of the app that calls',
    description:
      'RFC 7009. A token of a user ends everything that the app may do for them by the same consent; a token of the installation ends alone. A token that is not valid is answered with 200 as well.',
    headers: [AUTHORIZATION],
    body: { dto: () => AboutTokenForm },
    example: { token: 'eyJhbGciOiJFZERTQSJ9.e30.c2ln', client_id: 'acme-site-visits' },
    answers: [
      { status: 200, description: 'The token is not valid any more', body: NOTHING, example: {} },
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
    summary: 'Says whether a token of the calling installation is valid, and what it may do',
    description:
      'RFC 7662, with the credentials of an installation. Tokens of users for whom the app acts there count as its own.',
    headers: [AUTHORIZATION],
    body: { dto: () => AboutTokenForm },
    example: { token: 'eyJhbGciOiJFZERTQSJ9.e30.c2ln' },
    answers: [
      { status: 200, description: 'What the token is', body: () => IntrospectionView },
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
