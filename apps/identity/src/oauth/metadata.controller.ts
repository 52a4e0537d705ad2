import { Public } from '@crm/access';
import { SCOPES } from '@crm/contracts';
import { ApiGroup, Describe, type JsonSchema } from '@crm/http';
import { Controller, Get, Header, Inject } from '@nestjs/common';
import { OAUTH_GROUP } from '../api-groups.js';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';

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
