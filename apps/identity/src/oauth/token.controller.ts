import { Public } from '@crm/access';
import { SCOPES } from '@crm/contracts';
import { ApiGroup, Describe, FormBody, type JsonSchema, NotRepeatable } from '@crm/http';
import { Controller, Get, Header, Inject, Post, Req, UseFilters } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { OAUTH_GROUP } from '../api-groups.js';
import { CurrentOrigin, type RequestOrigin } from '../audit/request-origin.decorator.js';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { AboutTokenForm, IntrospectionView, OAuthErrorView, TokenAnswerView, TokenForm } from './oauth.dto.js';
import { OAuthErrorFilter } from './oauth-error.js';
import { type Introspection, TokenService } from './token.service.js';
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

const text = (example: string): JsonSchema => ({ type: 'string', examples: [example] });
const texts = (example: string): JsonSchema => ({ type: 'array', items: text(example) });

const METADATA: JsonSchema = {
  type: 'object',
  properties: {
    issuer: text('https://crm.example.com'),
    authorization_endpoint: text('https://crm.example.com/api/auth/oauth/authorize'),
    token_endpoint: text('https://crm.example.com/api/auth/oauth/token'),
    revocation_endpoint: text('https://crm.example.com/api/auth/oauth/revoke'),
    introspection_endpoint: text('https://crm.example.com/api/auth/oauth/introspect'),
    jwks_uri: text('https://crm.example.com/.well-known/jwks.json'),
    scopes_supported: texts('leads:read'),
    response_types_supported: texts('code'),
    grant_types_supported: texts('authorization_code'),
    code_challenge_methods_supported: texts('S256'),
    token_endpoint_auth_methods_supported: texts('client_secret_basic'),
  },
  required: ['issuer', 'authorization_endpoint', 'token_endpoint', 'response_types_supported'],
};

const WITH_SECRET = ['client_secret_basic', 'client_secret_post'];

@ApiGroup(OAUTH_GROUP)
@Controller('.well-known/oauth-authorization-server')
export class MetadataController {
  constructor(@Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig) {}

  @Get()
  @Public()
  @Header('Cache-Control', 'public, max-age=300')
  @Describe({
    summary: 'Get the authorization server metadata',
    description: 'OAuth 2.0 authorization server metadata (RFC 8414).',
    answers: [{ status: 200, description: 'The metadata', body: METADATA }],
  })
  describe(): object {
    const { issuer, baseUrl } = this.config.service;
    const endpoint = (name: string) => `${baseUrl}/api/auth/oauth/${name}`;
    return {
      issuer,
      authorization_endpoint: endpoint('authorize'),
      token_endpoint: endpoint('token'),
      revocation_endpoint: endpoint('revoke'),
      introspection_endpoint: endpoint('introspect'),
      jwks_uri: `${baseUrl}/.well-known/jwks.json`,
      scopes_supported: SCOPES,
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: [...WITH_SECRET, 'none'],
      revocation_endpoint_auth_methods_supported: [...WITH_SECRET, 'none'],
      introspection_endpoint_auth_methods_supported: WITH_SECRET,
      authorization_response_iss_parameter_supported: true,
      service_documentation: `${baseUrl}/api/docs`,
    };
  }
}
