import { KeySource } from '@crm/access';
import { Module } from '@nestjs/common';
import { KeyController } from './key.controller.js';
import { KeyRpc } from './key.rpc.js';
import { OwnKeySource } from './own-key-source.js';
import { SigningKeyRepository } from './signing-key.repository.js';
import { SigningKeyService } from './signing-key.service.js';
import { TokenSigner } from './token-signer.js';

/** Signing keys: created, rotated and published here; others sign tokens with them. */
@Module({
  controllers: [KeyController, KeyRpc],
  providers: [
    SigningKeyRepository,
    SigningKeyService,
    TokenSigner,
    OwnKeySource,
    { provide: KeySource, useExisting: OwnKeySource },
  ],
  exports: [TokenSigner],
})
export class KeyModule {}
