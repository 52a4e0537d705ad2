import { Module } from '@nestjs/common';
import { RevocationModule } from '../sessions/revocation.module.js';
import { ApiKeyRepository } from './api-key.repository.js';
import { ApiKeyEnding } from './api-key-ending.js';

/** The rows of API keys, and how they end. Sessions know them: what ends all of a person's sessions ends their keys. */
@Module({
  imports: [RevocationModule],
  providers: [ApiKeyRepository, ApiKeyEnding],
  exports: [ApiKeyRepository, ApiKeyEnding, RevocationModule],
})
export class ApiKeyModule {}
