import { Module } from '@nestjs/common';
import { OutsideModule } from '../outside.module.js';
import { OidcClient } from './oidc-client.js';

/** OpenID Connect with the providers of workspaces. */
@Module({
  imports: [OutsideModule],
  providers: [OidcClient],
  exports: [OidcClient],
})
export class ProtocolModule {}
