import { Public } from '@crm/access';
import { ApiGroup, Describe, type JsonSchema } from '@crm/http';
import { Controller, Get, Header } from '@nestjs/common';
import type { JWK } from 'jose';
import { SigningKeyService } from './signing-key.service.js';

const KEY_SET: JsonSchema = {
  type: 'object',
  properties: {
    keys: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          kty: { type: 'string', examples: ['OKP'] },
          crv: { type: 'string', examples: ['Ed25519'] },
          kid: { type: 'string', examples: ['2026-11'] },
          x: { type: 'string', examples: ['11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'] },
        },
        required: ['kty', 'crv', 'kid', 'x'],
      },
    },
  },
  required: ['keys'],
};

@ApiGroup({
  name: 'Keys',
  description: 'The public keys that verify access tokens.',
})
@Controller('.well-known')
export class KeyController {
  constructor(private readonly keys: SigningKeyService) {}

  @Get('jwks.json')
  @Public()
  @Header('Cache-Control', 'public, max-age=300')
  @Describe({
    summary: 'Get the public keys that verify access tokens',
    description: 'A JSON Web Key Set (RFC 7517). A new key is published 10 minutes before it signs its first token.',
    answers: [{ status: 200, description: 'The key set', body: KEY_SET }],
  })
  async keySet(): Promise<{ keys: JWK[] }> {
    return { keys: await this.keys.publicKeys(['api']) };
  }
}
