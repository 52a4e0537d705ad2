import { Public } from '@crm/access';
import { Describe } from '@crm/http';
import { Controller, Get, Header } from '@nestjs/common';
import type { JWK } from 'jose';
import { SigningKeyService } from './signing-key.service.js';

@Controller('.well-known')
export class KeyController {
  constructor(private readonly keys: SigningKeyService) {}

  /** Public keys of the tenants' tokens (RFC 7517). A new key is published ten minutes before it signs. */
  @Get('jwks.json')
  @Public()
  @Header('Cache-Control', 'public, max-age=300')
  @Describe({ summary: 'Public keys that verify access tokens' })
  async keySet(): Promise<{ keys: JWK[] }> {
    return { keys: await this.keys.publicKeys(['api']) };
  }
}
